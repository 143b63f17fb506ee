// The engine's one pool of threads. parallel_for splits a range into equal chunks whose borders depend on the
// range alone, never on the number of threads, so that whoever sums per chunk gets the same bits with any
// number. Idle threads spin for some microseconds, then sleep. A call from inside a chunk runs on its caller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tare::ad {

/// Threads that kernels may use, the caller included. The first use takes TARE_THREADS or else the CPUs of
/// this process.
int thread_count();
/// Those of them that a call from here would use: 1 inside a chunk.
int threads_here();
/// At least 1; more than the CPUs is allowed.
void set_thread_count(int count);

namespace detail {

using ChunkFunction = void (*)(void* context, std::int64_t chunk);
/// Calls f(context, 0) … f(context, chunks - 1), each once, on the pool; throws what the first of them threw.
void run_chunks(std::int64_t chunks, ChunkFunction function, void* context);

}  // namespace detail

/// f(begin, end) for consecutive parts of [0, count), each of `grain` except the last.
template <class F>
void parallel_for(std::int64_t count, std::int64_t grain, F&& f) {
  if (count <= 0) return;
  const std::int64_t chunks = (count + grain - 1) / grain;
  if (chunks == 1) {
    f(std::int64_t{0}, count);
    return;
  }
  struct Context {
    F* function;
    std::int64_t count, grain;
  } context{&f, count, grain};
  detail::run_chunks(
      chunks,
      [](void* erased, std::int64_t chunk) {
        const auto& c = *static_cast<Context*>(erased);
        (*c.function)(chunk* c.grain, std::min(c.count, (chunk + 1) * c.grain));
      },
      &context);
}

}  // namespace tare::ad
