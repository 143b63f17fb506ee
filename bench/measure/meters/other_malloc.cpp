#include "bench/measure/meters/other_malloc.hpp"

#include <atomic>
#include <cstddef>

static constinit std::atomic<unsigned long> calls{0};

unsigned long other_malloc_calls() {
  return calls;
}

// Sanitizers own malloc; there the check that uses this has nothing to look at.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void* __libc_malloc(std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) {
  ++calls;
  return __libc_malloc(size);
}
void free(void* block) {
  __libc_free(block);
}
}
#endif
