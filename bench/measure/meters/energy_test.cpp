#include "bench/measure/meters/energy.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/measure/meters/allocation.hpp"
#include "bench/measure/meters/resources.hpp"

namespace tare {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Energy : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tare_energy_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void domain(const std::string& folder, const std::string& name, const std::string& energy) const {
    std::filesystem::create_directories(root / folder);
    std::ofstream(root / folder / "name") << name << '\n';
    std::ofstream(root / folder / "max_energy_range_uj") << "1000000000\n";
    set(folder, energy);
  }
  void set(const std::string& folder, const std::string& energy) const {
    std::ofstream(root / folder / "energy_uj") << energy << '\n';
  }
  [[nodiscard]] EnergyMeter open(std::optional<double> watts = std::nullopt) const {
    return EnergyMeter::open(watts, root.string());
  }

  std::filesystem::path root;
};

TEST_F(Energy, packages_are_added_and_their_parts_are_not) {
  domain("intel-rapl:0", "package-0", "1000000");
  domain("intel-rapl:0:0", "core", "1000000");
  domain("intel-rapl:0:1", "dram", "1000000");
  domain("intel-rapl:1", "package-1", "5000000");
  domain("intel-rapl:2", "psys", "1000000");
  domain("intel-rapl-mmio:0", "package-0", "1000000");
  EnergyMeter meter = open();
  EXPECT_TRUE(meter.measured());
  EXPECT_EQ(meter.origin(), "measured");
  meter.start();
  for (const char* folder :
       {"intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1", "intel-rapl:2", "intel-rapl-mmio:0"})
    set(folder, "3000000");
  set("intel-rapl:1", "5500000");
  EXPECT_DOUBLE_EQ(meter.stop().value(), 2.5);
}

TEST_F(Energy, a_counter_that_wrapped_is_corrected) {
  domain("intel-rapl:0", "package-0", "999000000");
  EnergyMeter meter = open();
  meter.start();
  set("intel-rapl:0", "2000000");
  EXPECT_DOUBLE_EQ(meter.stop().value(), 3.0);
}

TEST(EnergyBetween, wraps_once_and_refuses_what_it_cannot_know) {
  EXPECT_EQ(energy_between(5, 9, 100), 4U);
  EXPECT_EQ(energy_between(95, 9, 100), 14U);
  EXPECT_FALSE(energy_between(95, 9, 0));
  EXPECT_EQ(energy_between(7, 7, 100), 0U);
}

TEST_F(Energy, one_unreadable_package_makes_nothing_measured) {
  domain("intel-rapl:0", "package-0", "1");
  std::filesystem::create_directories(root / "intel-rapl:1" / "energy_uj");
  std::ofstream(root / "intel-rapl:1" / "name") << "package-1\n";
  EnergyMeter meter = open();
  EXPECT_FALSE(meter.available());
  EXPECT_THAT(meter.origin(), AllOf(StartsWith("unavailable ("), HasSubstr("intel-rapl:1")));
  meter.start();
  EXPECT_FALSE(meter.stop());
  EXPECT_EQ(open(5.0).origin(), "estimated (cpu time × 5 W per core)");
}

TEST_F(Energy, a_file_only_root_may_read_says_what_to_do) {
  domain("intel-rapl:0", "package-0", "1");
  std::filesystem::permissions(root, std::filesystem::perms(0755));
  std::filesystem::permissions(root / "intel-rapl:0" / "energy_uj", std::filesystem::perms::none);
  // Root reads everything, so a test run by root asks as somebody else.
  const uid_t user = geteuid();
  constexpr uid_t nobody = 65534;
  ASSERT_EQ(seteuid(user == 0 ? nobody : user), 0);
  const std::string origin = open().origin();
  ASSERT_EQ(seteuid(user), 0);
  EXPECT_THAT(origin, AllOf(HasSubstr("run as root"), HasSubstr("chmod")));
}

TEST_F(Energy, garbage_is_no_measurement) {
  domain("intel-rapl:0", "package-0", "many joules");
  EXPECT_THAT(open().origin(), HasSubstr("holds no number"));
  domain("intel-rapl:0", "package-0", "100");
  EnergyMeter meter = open();
  meter.start();
  set("intel-rapl:0", "lost");
  EXPECT_FALSE(meter.stop());
}

TEST_F(Energy, without_rapl_it_is_estimated_from_cpu_time_or_absent) {
  EnergyMeter none = open();
  EXPECT_FALSE(none.available());
  EXPECT_THAT(none.origin(), HasSubstr("no RAPL package"));

  EnergyMeter meter = open(2.5);
  EXPECT_FALSE(meter.measured());
  EXPECT_TRUE(meter.available());
  EXPECT_EQ(meter.origin(), "estimated (cpu time × 2.5 W per core)");
  const std::int64_t outer = process_cpu_ns();
  meter.start();
  const std::int64_t inner = process_cpu_ns();
  while (process_cpu_ns() < inner + 1'000'000) {
  }
  const double joules = meter.stop().value();
  const std::int64_t after = process_cpu_ns();
  EXPECT_GE(joules, 1e-3 * 2.5);
  EXPECT_LE(joules, static_cast<double>(after - outer) * 1e-9 * 2.5);
}

TEST_F(Energy, watts_must_be_positive) {
  EXPECT_THROW((void)open(0.0), std::invalid_argument);
  EXPECT_THROW((void)open(-1.0), std::invalid_argument);
}

TEST_F(Energy, a_pass_allocates_nothing) {
  if (!AllocationMeter::available()) GTEST_SKIP() << AllocationMeter::why_not();
  domain("intel-rapl:0", "package-0", "1");
  EnergyMeter meter = open();
  AllocationMeter::start();
  meter.start();
  const auto joules = meter.stop();
  EXPECT_EQ(AllocationMeter::stop().allocations, 0U);
  EXPECT_EQ(joules, 0.0);
}

}  // namespace
}  // namespace tare
