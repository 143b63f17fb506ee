#include "bench/measure/meters/allocation.hpp"

#include <barrier>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tare {
namespace {

/// Keeps the compiler from removing an allocation that nothing uses.
void keep(void* block) {
  asm volatile("" : : "g"(block) : "memory");
}

/// Allocations as the body of a benchmark makes them.
void allocate_once(std::size_t size) {
  void* block = std::malloc(size);
  keep(block);
  std::free(block);
}

/// A value the compiler knows nothing about, so that calls meant to fail are not refused at compile time.
template <class T>
T opaque(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

class Allocation : public testing::Test {
 protected:
  void SetUp() override {
    if (!AllocationMeter::available()) GTEST_SKIP() << AllocationMeter::why_not();
  }
};

TEST(AllocationAvailability, has_a_reason_exactly_when_it_is_missing) {
  EXPECT_EQ(AllocationMeter::available(), AllocationMeter::why_not().empty());
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__) && \
    defined(__GNUC__) && !defined(__clang__)
  EXPECT_TRUE(AllocationMeter::available());
#endif
}

TEST(AllocationAvailability, misuse_throws) {
  EXPECT_THROW((void)AllocationMeter::stop(), std::logic_error);
  if (!AllocationMeter::available()) {
    EXPECT_THROW(AllocationMeter::start(), std::logic_error);
    return;
  }
  AllocationMeter::start();
  EXPECT_THROW(AllocationMeter::start(), std::logic_error);
  (void)AllocationMeter::stop();
}

TEST_F(Allocation, one_per_iteration_reads_exactly_one_in_a_thousand_runs) {
  for (std::uint64_t run = 0; run < 1000; ++run) {
    const std::uint64_t iterations = 1 + run % 7;
    AllocationMeter::start();
    for (std::uint64_t i = 0; i < iterations; ++i) allocate_once(48);
    const AllocationCounts counts = AllocationMeter::stop();
    ASSERT_EQ(counts, (AllocationCounts{iterations, iterations, 48 * iterations, counts.peak_live_bytes, 0}));
  }
}

TEST_F(Allocation, none_reads_exactly_zero_in_a_thousand_runs) {
  for (int run = 0; run < 1000; ++run) {
    AllocationMeter::start();
    for (int i = 0; i < 10; ++i) keep(nullptr);
    ASSERT_EQ(AllocationMeter::stop(), (AllocationCounts{0, 0, 0, 0, 0}));
  }
}

TEST_F(Allocation, operator_new_is_counted) {
  AllocationMeter::start();
  std::vector<int>* vector = new std::vector<int>(1000);
  keep(vector);
  delete vector;
  const AllocationCounts counts = AllocationMeter::stop();
  EXPECT_EQ(counts.allocations, 2U);
  EXPECT_EQ(counts.deallocations, 2U);
  EXPECT_EQ(counts.requested_bytes, sizeof(std::vector<int>) + 1000 * sizeof(int));
}

TEST_F(Allocation, freeing_memory_from_before_the_pass_is_a_negative_retention) {
  void* block = std::malloc(1000);
  keep(block);
  const auto size = static_cast<std::int64_t>(malloc_usable_size(block));
  AllocationMeter::start();
  std::free(block);
  std::free(opaque<void*>(nullptr));
  EXPECT_EQ(AllocationMeter::stop(), (AllocationCounts{0, 1, 0, 0, -size}));
}

TEST_F(Allocation, peak_is_the_most_that_lived_at_once) {
  AllocationMeter::start();
  void* a = std::malloc(1000);
  void* b = std::malloc(5000);
  const auto size_a = static_cast<std::int64_t>(malloc_usable_size(a));
  const auto size_b = static_cast<std::int64_t>(malloc_usable_size(b));
  std::free(b);
  void* c = std::malloc(2000);
  const auto size_c = static_cast<std::int64_t>(malloc_usable_size(c));
  std::free(a);
  const AllocationCounts counts = AllocationMeter::stop();
  std::free(c);
  EXPECT_EQ(counts, (AllocationCounts{3, 2, 8000, size_a + size_b, size_c}));
}

TEST_F(Allocation, realloc_is_one_allocation_and_one_deallocation) {
  AllocationMeter::start();
  void* block = std::realloc(nullptr, 100);
  block = std::realloc(block, 10000);
  block = reallocarray(block, 50, 10);
  const auto size = static_cast<std::int64_t>(malloc_usable_size(block));
  const AllocationCounts held = AllocationMeter::stop();
  EXPECT_EQ(held.allocations, 3U);
  EXPECT_EQ(held.deallocations, 2U);
  EXPECT_EQ(held.requested_bytes, 100U + 10000U + 500U);
  EXPECT_EQ(held.retained_bytes, size);
  EXPECT_GE(*held.peak_live_bytes, 10000);
  EXPECT_LT(*held.peak_live_bytes, 10000 + 100);

  AllocationMeter::start();
  block = std::realloc(block, opaque<std::size_t>(0));
  EXPECT_EQ(AllocationMeter::stop(), (AllocationCounts{0, 1, 0, 0, -size}));
}

TEST_F(Allocation, failures_are_malloc_s_and_count_nothing) {
  const std::size_t huge = opaque<std::size_t>(SIZE_MAX / 2);
  void* block = std::malloc(64);
  std::memset(block, 7, 64);
  int errors[5] = {};
  void* results[5] = {};
  AllocationMeter::start();
  errno = 0, results[0] = std::malloc(huge), errors[0] = errno;
  errno = 0, results[1] = std::calloc(huge, 4), errors[1] = errno;
  errno = 0, results[2] = std::calloc(huge, 1), errors[2] = errno;
  errno = 0, results[3] = std::realloc(opaque(block), huge), errors[3] = errno;
  errno = 0, results[4] = reallocarray(opaque(block), huge, 4), errors[4] = errno;
  void* untouched = &results;
  const int not_a_power = posix_memalign(&untouched, opaque<std::size_t>(24), 8);
  const int too_large = posix_memalign(&untouched, opaque<std::size_t>(64), huge);
  const AllocationCounts counts = AllocationMeter::stop();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(results[i], nullptr) << i;
    EXPECT_EQ(errors[i], ENOMEM) << i;
  }
  EXPECT_EQ(not_a_power, EINVAL);
  EXPECT_EQ(too_large, ENOMEM);
  EXPECT_EQ(untouched, &results);
  EXPECT_EQ(counts, (AllocationCounts{0, 0, 0, 0, 0}));
  EXPECT_EQ(static_cast<unsigned char*>(block)[63], 7);
  std::free(block);
}

TEST_F(Allocation, every_way_to_allocate_is_counted_and_aligned) {
  const auto aligned_to = [](void* block, std::size_t alignment) {
    return block != nullptr && reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
  };
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* blocks[8] = {};
  AllocationMeter::start();
  blocks[0] = std::malloc(10);
  blocks[1] = std::calloc(3, 7);
  blocks[2] = std::realloc(nullptr, 10);
  blocks[3] = memalign(256, 100);
  blocks[4] = std::aligned_alloc(4096, 8192);
  const int code = posix_memalign(&blocks[5], 128, 300);
  blocks[6] = valloc(100);
  blocks[7] = pvalloc(100);
  const AllocationCounts counts = AllocationMeter::stop();
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(aligned_to(blocks[0], alignof(std::max_align_t)));
  EXPECT_TRUE(aligned_to(blocks[3], 256));
  EXPECT_TRUE(aligned_to(blocks[4], 4096));
  EXPECT_TRUE(aligned_to(blocks[5], 128));
  EXPECT_TRUE(aligned_to(blocks[6], page));
  EXPECT_TRUE(aligned_to(blocks[7], page));
  EXPECT_GE(malloc_usable_size(blocks[7]), page);
  for (int i = 0; i < 21; ++i) EXPECT_EQ(static_cast<unsigned char*>(blocks[1])[i], 0);
  EXPECT_EQ(counts.allocations, 8U);
  EXPECT_EQ(counts.deallocations, 0U);
  EXPECT_EQ(counts.requested_bytes, 10U + 21U + 10U + 100U + 8192U + 300U + 100U + 100U);
  EXPECT_EQ(counts.peak_live_bytes, counts.retained_bytes);
  AllocationMeter::start();
  for (void* block : blocks) std::free(block);
  const AllocationCounts freed = AllocationMeter::stop();
  EXPECT_EQ(freed.deallocations, 8U);
  EXPECT_EQ(*freed.retained_bytes, -*counts.retained_bytes);
}

TEST_F(Allocation, counts_are_exact_with_many_threads) {
  constexpr std::uint64_t each = 100000;
  constexpr int workers = 4;
  std::barrier gate(workers + 1);
  std::vector<std::thread> threads;
  for (int t = 0; t < workers; ++t)
    threads.emplace_back([&gate] {
      gate.arrive_and_wait();
      for (std::uint64_t i = 0; i < each; ++i) {
        void* block = std::malloc(16 + i % 300);
        keep(block);
        block = std::realloc(block, 500);
        keep(block);
        std::free(block);
      }
      gate.arrive_and_wait();
      gate.arrive_and_wait();  // a thread that ends frees memory: not before the pass is over
    });
  AllocationMeter::start();
  gate.arrive_and_wait();
  gate.arrive_and_wait();
  const AllocationCounts counts = AllocationMeter::stop();
  gate.arrive_and_wait();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counts.allocations, 2 * each * workers);
  EXPECT_EQ(counts.deallocations, 2 * each * workers);
  EXPECT_EQ(counts.retained_bytes, 0);
  EXPECT_GE(*counts.peak_live_bytes, 500);
  EXPECT_LE(*counts.peak_live_bytes, workers * 600);
}

TEST_F(Allocation, threads_that_end_inside_a_pass_leave_nothing_behind) {
  AllocationMeter::start();
  for (int i = 0; i < 50; ++i) std::thread([] { allocate_once(1000); }).join();
  const AllocationCounts counts = AllocationMeter::stop();
  EXPECT_GE(counts.allocations, 50U);
  EXPECT_GE(counts.requested_bytes, 50U * 1000U);
}

TEST_F(Allocation, a_forked_child_counts_for_itself) {
  AllocationMeter::start();
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 10; ++i) allocate_once(32);
    const AllocationCounts counts = AllocationMeter::stop();
    _exit(counts.allocations == 10 && counts.deallocations == 10 ? 0 : 1);
  }
  allocate_once(32);
  const AllocationCounts counts = AllocationMeter::stop();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(counts.allocations, 1U);
}

}  // namespace
}  // namespace tare
