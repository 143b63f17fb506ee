#include "bench/measure/machine/roofs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <sys/mman.h>
#include <thread>

#include "bench/define/barrier.hpp"
#include "bench/measure/machine/files.hpp"
#include "bench/measure/machine/roof_loops.hpp"

namespace tare {
namespace {

using Clock = std::chrono::steady_clock;

/// Three arrays of `count` floats side by side, untouched: whoever writes first decides where they lie.
class Arrays {
 public:
  explicit Arrays(std::uint64_t bytes)
      : count(std::max<std::size_t>(64, static_cast<std::size_t>(bytes) / 3 / sizeof(float) / 64 * 64)) {
    const std::size_t whole = (3 * count * sizeof(float) + page - 1) / page * page;
    memory_.reset(static_cast<float*>(std::aligned_alloc(page, whole)));
    if (memory_) ::madvise(memory_.get(), whole, MADV_HUGEPAGE);
  }
  [[nodiscard]] bool there() const { return memory_ != nullptr; }
  void touch() { std::fill_n(memory_.get(), 3 * count, 1.0F); }
  float run(const MemoryLoop& loop) {
    return loop.run(memory_.get(), memory_.get() + count, memory_.get() + 2 * count, count);
  }

  const std::size_t count;

 private:
  static constexpr std::size_t page = 4096;
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float, Free> memory_;
};

/// Passes per second of all threads together, when each does `pass(thread)` again and again: of the
/// repetition whose slowest thread was fastest. `pass` must not throw.
double best_rate(int threads, std::chrono::milliseconds each, const std::function<void(std::size_t)>& pass) {
  std::vector<std::vector<double>> seconds(static_cast<std::size_t>(threads));
  constexpr std::size_t fewest = 4, most = 100000;
  std::barrier together(threads);
  std::atomic<bool> over{false};
  const auto end = Clock::now() + each;
  const auto body = [&](std::size_t thread) {
    for (;;) {
      // One thread decides for all whether there is another repetition; the first only warms up.
      if (thread == 0 && seconds[0].size() >= fewest && (Clock::now() > end || seconds[0].size() == most))
        over = true;
      together.arrive_and_wait();
      if (over) return;
      const auto begin = Clock::now();
      pass(thread);
      seconds[thread].push_back(std::chrono::duration<double>(Clock::now() - begin).count());
      together.arrive_and_wait();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(body, static_cast<std::size_t>(i));
    body(0);
  }
  double best = 0;
  for (std::size_t i = 1; i < seconds[0].size(); ++i) {
    double slowest = 0;
    for (const auto& of_thread : seconds) slowest = std::max(slowest, of_thread[i]);
    if (slowest > 0) best = std::max(best, threads / slowest);
  }
  return best;
}

double peak_flops(int threads, std::chrono::milliseconds each) {
  const auto& loop = best_fma_loop();
  constexpr std::int64_t rounds = 20000;  // some 100 µs
  const double rate = best_rate(threads, each, [&](std::size_t) { keep(loop.run(rounds, 0.999F, 0.001F)); });
  return rate * static_cast<double>(rounds) * loop.flops_per_round;
}

/// Zero when there is no memory for it.
double bandwidth(std::uint64_t bytes_per_thread, int threads, std::chrono::milliseconds each) {
  std::vector<std::unique_ptr<Arrays>> arrays;
  for (int i = 0; i < threads; ++i) {
    arrays.push_back(std::make_unique<Arrays>(bytes_per_thread));
    if (!arrays.back()->there()) return 0;
  }
  std::vector<char> touched(arrays.size());
  // A pass over a small cache is repeated, so that the clock does not show.
  constexpr std::size_t enough = 1U << 20U;
  const auto count = arrays.front()->count, times = std::max<std::size_t>(1, enough / count);
  double best = 0;
  const std::array loops{&read_loop(), &triad_loop(), &stream_loop()};
  for (const auto* loop : loops) {
    const double rate = best_rate(threads, each / static_cast<int>(loops.size()), [&](std::size_t thread) {
      if (touched[thread] == 0) arrays[thread]->touch();
      touched[thread] = 1;
      for (std::size_t i = 0; i < times; ++i) keep(arrays[thread]->run(*loop));
    });
    // Reading goes over a third of the memory.
    best = std::max(best,
                    rate * static_cast<double>(times) * loop->bytes_per_float * static_cast<double>(count));
  }
  return best;
}

std::vector<int> default_threads() {
  const auto all = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return all == 1 ? std::vector{1} : std::vector{1, all};
}

}  // namespace

std::vector<CacheLevel> observe_caches(const std::filesystem::path& root) {
  std::vector<CacheLevel> levels;
  for (const auto& cache : entries(root / "sys/devices/system/cpu/cpu0/cache")) {
    const auto level = read_number<int>(cache / "level");
    const std::string size = read_line(cache / "size");
    if (!level || size.empty() || size.back() != 'K' || read_line(cache / "type") == "Instruction") continue;
    const auto kib = to_number<std::uint64_t>(std::string_view(size).substr(0, size.size() - 1));
    if (!kib || *kib == 0) continue;
    const auto sharing = parse_cpu_list(read_line(cache / "shared_cpu_list")).size();
    levels.push_back({*level, *kib * 1024, std::max(1, static_cast<int>(sharing))});
  }
  std::sort(levels.begin(), levels.end(), [](const auto& a, const auto& b) { return a.level < b.level; });
  return levels;
}

MachineRoofs measure_roofs(const RoofOptions& options) {
  const auto threads = options.threads.empty() ? default_threads() : options.threads;
  const auto caches = observe_caches();
  MachineRoofs roofs;
  for (const int count : threads) {
    roofs.peaks.push_back({count, peak_flops(count, options.each)});
    std::uint64_t above = 0;  // what one thread's share of the level before holds
    for (const auto& cache : caches) {
      const auto instances = std::max(1, (count + cache.shared_by - 1) / cache.shared_by);
      const auto holds = cache.bytes * static_cast<std::uint64_t>(instances);
      // Half of it, but no more than is needed to be out of the level above.
      auto used = holds / static_cast<std::uint64_t>(count) / 2;
      if (above > 0) used = std::min(used, 8 * above);
      above = holds / static_cast<std::uint64_t>(count);
      if (used * static_cast<std::uint64_t>(count) > options.most_bytes) continue;
      roofs.bandwidths.push_back(
          {fmt::format("L{}", cache.level), bandwidth(used, count, options.each), count, holds});
    }
    const auto last = caches.empty() ? 0 : caches.back().bytes;
    const auto beyond = std::clamp<std::uint64_t>(
        2 * last, std::min<std::uint64_t>(64U << 20U, options.most_bytes), options.most_bytes);
    roofs.bandwidths.push_back(
        {"DRAM", bandwidth(beyond / static_cast<std::uint64_t>(count), count, options.each), count, 0});
  }
  std::erase_if(roofs.bandwidths, [](const auto& b) { return !(b.bytes_per_s > 0); });
  return roofs;
}

}  // namespace tare
