// Exits with 0 when the meter counts in front of an allocator that is not glibc's, that allocator really
// served the call, and no live bytes are claimed for blocks whose size it does not tell.
#include <cstdio>
#include <new>

#include "bench/measure/meters/allocation.hpp"
#include "bench/measure/meters/other_malloc.hpp"

int main() {
  if (!tare::AllocationMeter::available()) {
    std::printf("not checked: %s\n", tare::AllocationMeter::why_not().c_str());
    return 0;
  }
  const unsigned long before = other_malloc_calls();
  tare::AllocationMeter::start();
  ::operator delete(::operator new(100));
  const tare::AllocationCounts counts = tare::AllocationMeter::stop();
  const unsigned long served = other_malloc_calls() - before;
  std::printf("counted %llu, served by the other allocator %lu, peak %s\n",
              static_cast<unsigned long long>(counts.allocations), served,
              counts.peak_live_bytes ? "known" : "unknown");
  return counts.allocations == 1 && counts.requested_bytes == 100 && served == 1 && !counts.peak_live_bytes
             ? 0
             : 1;
}
