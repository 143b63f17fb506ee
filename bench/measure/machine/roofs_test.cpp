#include "bench/measure/machine/roofs.hpp"

#include <atomic>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

#include "bench/measure/machine/files.hpp"
#include "bench/measure/machine/made_up_tree.hpp"
#include "bench/measure/machine/roof_loops.hpp"

namespace tare {
namespace {

MachineRoofs invented(double flops) {
  return {{{1, flops}}, {{"L1", 2e11, 1, 32768}, {"DRAM", 2e10, 1, 0}}, 0};
}

/// A folder, and how often somebody measured.
struct Kept {
  MadeUpTree tree;
  Machine machine;
  std::atomic<int> measured{0};
  MachineRoofs ask(double flops = 1e9) {
    return cached_roofs(machine, tree.root(), [&] {
      ++measured;
      return invented(flops);
    });
  }
  [[nodiscard]] std::filesystem::path file() const {
    return tree.root() / ("roofs-" + machine.fingerprint() + ".json");
  }
};

TEST(CachedRoofs, are_measured_once) {
  Kept kept;
  EXPECT_EQ(kept.ask(1e9), invented(1e9));
  EXPECT_EQ(kept.ask(2e9), invented(1e9));
  EXPECT_EQ(kept.measured, 1);
}

TEST(CachedRoofs, of_another_machine_do_not_count) {
  Kept kept;
  kept.ask(1e9);
  kept.machine.cpu = "another";
  EXPECT_EQ(kept.ask(2e9), invented(2e9));
  EXPECT_EQ(kept.measured, 2);
}

TEST(CachedRoofs, that_cannot_be_understood_are_measured_again_and_kept) {
  for (const char* text : {"", "{", "[]", "{\"fingerprint\": 3}", "{\"roofs\": {\"peaks\": []}}"}) {
    Kept kept;
    kept.ask();
    std::ofstream(kept.file()) << text;
    EXPECT_EQ(kept.ask(3e9), invented(3e9)) << text;
    EXPECT_EQ(kept.ask(4e9), invented(3e9)) << text;
    EXPECT_EQ(kept.measured, 2) << text;
  }
}

TEST(CachedRoofs, of_a_machine_that_says_it_is_this_one_but_has_another_print_are_measured_again) {
  Kept kept, other;
  other.machine.cpu = "another";
  other.ask();
  std::filesystem::copy_file(other.file(), kept.file());
  EXPECT_EQ(kept.ask(5e9), invented(5e9));
}

TEST(CachedRoofs, are_given_even_where_nothing_can_be_kept) {
  Kept kept;
  const auto in_a_file = [&] {
    return cached_roofs(kept.machine, kept.tree.root() / "file" / "inside", [] { return invented(1e9); });
  };
  kept.tree.put("file", "");
  EXPECT_EQ(in_a_file(), invented(1e9));
  EXPECT_EQ(cached_roofs(kept.machine, {}, [] { return invented(2e9); }), invented(2e9));
}

TEST(CachedRoofs, asked_for_at_once_are_measured_by_one) {
  Kept kept;
  {
    std::vector<std::jthread> askers;
    for (int i = 0; i < 8; ++i) askers.emplace_back([&] { EXPECT_EQ(kept.ask(), invented(1e9)); });
  }
  EXPECT_EQ(kept.measured, 1);
  // Nothing but the answer and its lock is left behind.
  EXPECT_EQ(entries(kept.tree.root()).size(), 2U);
}

TEST(Caches, are_read_as_the_kernel_tells_them) {
  MadeUpTree tree;
  const auto put = [&](const std::string& index, const std::string& level, const std::string& type,
                       const std::string& size, const std::string& sharing) {
    const auto folder = "sys/devices/system/cpu/cpu0/cache/" + index + "/";
    tree.put(folder + "level", level).put(folder + "type", type).put(folder + "size", size);
    tree.put(folder + "shared_cpu_list", sharing);
  };
  put("index0", "1\n", "Data\n", "48K\n", "0\n");
  put("index1", "1\n", "Instruction\n", "32K\n", "0\n");
  put("index3", "3\n", "Unified\n", "12288K\n", "0-3\n");
  put("index2", "2\n", "Unified\n", "1280K\n", "0-1\n");
  put("index4", "4\n", "Unified\n", "many\n", "0-1\n");
  EXPECT_EQ(observe_caches(tree.root()),
            (std::vector<CacheLevel>{{1, 48 << 10, 1}, {2, 1280 << 10, 2}, {3, 12288 << 10, 4}}));
  EXPECT_TRUE(observe_caches("/nowhere").empty());
}

TEST(RoofLoops, compute_what_they_say) {
  // s ← s/2 + 1 goes to 2 in each of the 12 chains of lanes.
  const auto& fma = best_fma_loop();
  const double lanes = fma.flops_per_round / 24;
  EXPECT_FLOAT_EQ(fma.run(100, 0.5F, 1.0F), static_cast<float>(12 * lanes * 2));
  alignas(64) std::array<float, 128> to{}, a{}, b{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 2;
  }
  for (const auto* loop : {&triad_loop(), &stream_loop()}) {
    to.fill(0);
    loop->run(to.data(), a.data(), b.data(), a.size());
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(to[i], static_cast<float>(i) + 6) << loop->name << i;
  }
}

TEST(Roofs, are_positive_and_complete) {
  const auto roofs =
      measure_roofs({.threads = {1, 2}, .each = std::chrono::milliseconds(2), .most_bytes = 8U << 20U});
  ASSERT_EQ(roofs.peaks.size(), 2U);
  EXPECT_EQ(roofs.peaks[1].threads, 2);
  for (const auto& peak : roofs.peaks) EXPECT_GT(peak.flops_per_s, 0);
  for (const int threads : {1, 2}) {
    const auto here = roofs.with_threads(threads).bandwidths;
    ASSERT_FALSE(here.empty());
    EXPECT_EQ(here.back().level, "DRAM");
    EXPECT_EQ(here.back().holds_bytes, 0U);
    for (const auto& b : here) EXPECT_TRUE(b.bytes_per_s > 0 && std::isfinite(b.bytes_per_s)) << b.level;
  }
}

}  // namespace
}  // namespace tare
