#include "bench/measure/meters/resources.hpp"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sys/mman.h>
#include <thread>

#include "bench/measure/meters/allocation.hpp"

namespace tare {
namespace {

using testing::HasSubstr;

TEST(Resources, run_delay_is_the_second_number) {
  EXPECT_EQ(parse_run_delay("2345 62528 17\n"), 62528U);
  EXPECT_FALSE(parse_run_delay("2345\n17 3"));
  EXPECT_FALSE(parse_run_delay(""));
  EXPECT_FALSE(parse_run_delay("1 x 2"));
  EXPECT_FALSE(parse_run_delay("1 99999999999999999999999 2"));
}

TEST(Resources, steal_is_the_eighth_number_of_the_first_line) {
  EXPECT_EQ(parse_steal("cpu  5773 0 2937 156270 1684 0 66 22 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n"), 22U);
  EXPECT_FALSE(parse_steal("cpu0 5773 0 2937 156270 1684 0 66 22 0 0\n"));
  EXPECT_FALSE(parse_steal("cpu  5773 0 2937 156270\n"));
  EXPECT_FALSE(parse_steal(""));
}

TEST(Resources, interference_is_what_happened_between_two_snapshots) {
  const InterferenceSnapshot before{10, 20, 30, 40, 5000, 10'000'000, 1};
  const InterferenceSnapshot after{11, 22, 33, 44, 5500, 30'000'000, 0};
  EXPECT_EQ(difference(before, after), (Interference{1, 2, 1, 3, 4, 500, 20'000'000}));
  EXPECT_EQ(difference(before, before), Interference{});
}

TEST(Resources, totals_that_run_backwards_or_overflow_stay_in_range) {
  const InterferenceSnapshot low{};
  const InterferenceSnapshot high{1ULL << 40, 5, 5, 5, 5, 5, 3};
  EXPECT_EQ(difference(high, low), Interference{});
  EXPECT_EQ(difference(low, high).voluntary_switches, UINT32_MAX);
  EXPECT_EQ(difference(low, high).migrations, 0U) << "an unknown CPU is no migration";
}

TEST(Resources, page_faults_of_this_process_are_seen) {
  const InterferenceMeter meter;
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, 300 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, 300 * page, MADV_NOHUGEPAGE);
  const InterferenceSnapshot before = meter.now();
  for (std::size_t i = 0; i < 300; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  const Interference seen = difference(before, meter.now());
  munmap(memory, 300 * page);
  EXPECT_GE(seen.minor_faults, 300U);
}

TEST(Resources, giving_the_cpu_away_is_a_voluntary_switch) {
  const InterferenceMeter meter;
  const InterferenceSnapshot before = meter.now();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(difference(before, meter.now()).voluntary_switches, 1U);
}

TEST(Resources, a_snapshot_allocates_nothing) {
  if (!AllocationMeter::available()) GTEST_SKIP() << AllocationMeter::why_not();
  const InterferenceMeter meter;
  AllocationMeter::start();
  const InterferenceSnapshot before = meter.now();
  const Interference seen = difference(before, meter.now());
  const AllocationCounts counts = AllocationMeter::stop();
  EXPECT_EQ(counts.allocations, 0U);
  EXPECT_LE(seen.migrations, 1U);
}

class ResourcesTree : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tare_resources_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root); }
  void put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  std::filesystem::path root;
};

TEST_F(ResourcesTree, files_are_read_anew_each_time) {
  put("stat", "cpu  1 1 1 1 1 1 1 3 0 0\n");
  put("thread-self/schedstat", "1 100 1\n");
  const InterferenceMeter meter(root.string());
  EXPECT_TRUE(meter.notes().empty());
  const InterferenceSnapshot before = meter.now();
  put("stat", "cpu  1 1 1 1 1 1 1 5 0 0\n");
  put("thread-self/schedstat", "1 170 1\n");
  const Interference seen = difference(before, meter.now());
  EXPECT_EQ(seen.wait_ns, 70U);
  EXPECT_EQ(seen.steal_ns, 2U * (1'000'000'000U / static_cast<unsigned>(sysconf(_SC_CLK_TCK))));
}

TEST_F(ResourcesTree, missing_files_read_as_zero_and_are_noted) {
  const InterferenceMeter meter(root.string());
  ASSERT_EQ(meter.notes().size(), 2U);
  EXPECT_THAT(meter.notes()[0], HasSubstr("waiting for a CPU is not recorded"));
  EXPECT_THAT(meter.notes()[1], HasSubstr("steal time is not recorded"));
  EXPECT_EQ(meter.now().wait_ns, 0U);
  EXPECT_EQ(meter.now().steal_ns, 0U);
}

TEST_F(ResourcesTree, peak_memory_comes_from_the_status_file) {
  put("self/status", "Name:\tx\nVmPeak:\t  900 kB\nVmHWM:\t    123 kB\nVmRSS:\t 100 kB\n");
  EXPECT_EQ(peak_resident_bytes(root.string()).value(), 123U * 1024U);
  put("self/status", "Name:\tx\n");
  EXPECT_GT(peak_resident_bytes(root.string()).value(), 0U) << "getrusage is the second choice";
}

TEST_F(ResourcesTree, a_peak_that_cannot_be_reset_says_what_is_reported_instead) {
  const Status status = reset_peak_resident(root.string());
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("whole process"));
}

TEST(Resources, the_peak_of_memory_can_be_taken_anew) {
  constexpr std::size_t bytes = 64 << 20;
  const auto use = [] {
    auto block = std::make_unique<char[]>(bytes);
    std::memset(block.get(), 1, bytes);
    asm volatile("" : : "g"(block.get()) : "memory");
  };
  if (!reset_peak_resident()) GTEST_SKIP() << "clear_refs is not writable here";
  const std::uint64_t before = peak_resident_bytes().value();
  use();
  const std::uint64_t during = peak_resident_bytes().value();
  EXPECT_GE(during, before + bytes / 2);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  ASSERT_TRUE(reset_peak_resident());
  EXPECT_LT(peak_resident_bytes().value(), during);
#endif
}

TEST(Resources, cpu_time_grows_with_work_and_a_thread_is_part_of_the_process) {
  const std::int64_t process = process_cpu_ns();
  const std::int64_t thread = thread_cpu_ns();
  EXPECT_GT(thread, 0);
  EXPECT_LE(thread, process_cpu_ns());
  while (process_cpu_ns() == process) {
  }
  EXPECT_GT(process_cpu_ns(), process);
}

TEST(WithinRegion, waiting_is_no_longer_than_the_thread_was_away) {
  Interference seen;
  seen.wait_ns = 5000;
  seen.involuntary_switches = 2;
  EXPECT_EQ(within_region(seen, 10'000, 9'000).wait_ns, 1000u);
  EXPECT_EQ(within_region(seen, 10'000, 1'000).wait_ns, 5000u) << "asleep is not waiting";
  EXPECT_EQ(within_region(seen, 10'000, 11'000).wait_ns, 0u);
  EXPECT_EQ(within_region(seen, 10'000, 11'000).involuntary_switches, 2u);
}

}  // namespace
}  // namespace tare
