#include "bench/measure/meters/counters.hpp"

#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace tare {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Counters, a_count_that_ran_all_the_time_is_measured) {
  const auto reading = scale_count(1000, 500, 500);
  ASSERT_TRUE(reading);
  EXPECT_EQ(*reading, (CounterReading{1000, 1}));
  EXPECT_EQ(reading->origin(), "measured");
}

TEST(Counters, a_multiplexed_count_is_scaled_and_says_so) {
  const auto reading = scale_count(1000, 800, 200);
  ASSERT_TRUE(reading);
  EXPECT_DOUBLE_EQ(reading->value, 4000);
  EXPECT_DOUBLE_EQ(reading->share, 0.25);
  EXPECT_THAT(reading->origin(), AllOf(HasSubstr("estimated"), HasSubstr("25"), HasSubstr("scaled")));
}

TEST(Counters, a_count_that_never_ran_is_undefined_not_zero) {
  EXPECT_FALSE(scale_count(0, 800, 0));
  EXPECT_FALSE(scale_count(0, 0, 0));
}

TEST(Counters, refusals_are_explained_with_a_way_out) {
  EXPECT_THAT(explain_refusal(HardwareCounter::cycles, ENOENT, 2),
              AllOf(HasSubstr("kernel or hypervisor offers no hardware counter"), HasSubstr("valgrind")));
  EXPECT_THAT(explain_refusal(HardwareCounter::cycles, EACCES, 3),
              AllOf(HasSubstr("perf_event_paranoid is 3"), HasSubstr("set it to 1")));
  EXPECT_THAT(explain_refusal(HardwareCounter::context_switches, EACCES, 2),
              AllOf(HasSubstr("perf_event_paranoid is 2"), HasSubstr("set it to 1")));
  EXPECT_THAT(explain_refusal(HardwareCounter::cycles, EPERM, 2), HasSubstr("seccomp"));
  EXPECT_THAT(explain_refusal(HardwareCounter::cycles, EPERM, std::nullopt), HasSubstr("unknown"));
  EXPECT_THAT(explain_refusal(HardwareCounter::cycles, ENOSYS, 2), HasSubstr("without perf events"));
  EXPECT_THAT(explain_refusal(HardwareCounter::branches, EMFILE, 2), HasSubstr("branches"));
}

TEST(Counters, each_is_readable_or_has_a_reason) {
  CounterMeter meter = CounterMeter::open();
  meter.start();
  const CounterReadings readings = meter.stop();
  for (std::size_t i = 0; i < counter_count; ++i) {
    const auto counter = static_cast<HardwareCounter>(i);
    EXPECT_EQ(meter.available(counter), meter.why_not(counter).empty()) << name_of(counter);
    EXPECT_TRUE(meter.available(counter) || !readings[i]) << name_of(counter);
  }
  EXPECT_EQ(meter.available(), meter.why_not().empty());
}

TEST(Counters, a_pass_counts_only_what_happened_inside_it) {
  CounterMeter meter = CounterMeter::open();
  if (!meter.available(HardwareCounter::page_faults))
    GTEST_SKIP() << meter.why_not(HardwareCounter::page_faults);
  const auto touch_pages = [](std::size_t pages) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* memory = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, pages * page, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
    munmap(memory, pages * page);
  };
  const auto faults = [](const CounterReadings& readings) {
    return readings[static_cast<std::size_t>(HardwareCounter::page_faults)].value().value;
  };
  meter.start();
  touch_pages(500);
  const double many = faults(meter.stop());
  touch_pages(500);
  meter.start();
  touch_pages(100);
  const double few = faults(meter.stop());
  EXPECT_GE(many, 500);
  EXPECT_GE(few, 100);
  EXPECT_LT(few, 500);
}

}  // namespace
}  // namespace tare
