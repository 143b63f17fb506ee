#include "bench/model/roofs.hpp"

#include <algorithm>

namespace tare {
namespace {

template <class T>
std::vector<T> nearest(const std::vector<T>& all, int threads) {
  int chosen = 0, fewest = 0;
  for (const T& one : all) {
    if (one.threads <= threads) chosen = std::max(chosen, one.threads);
    fewest = fewest == 0 ? one.threads : std::min(fewest, one.threads);
  }
  std::vector<T> kept;
  for (const T& one : all)
    if (one.threads == (chosen > 0 ? chosen : fewest)) kept.push_back(one);
  return kept;
}

}  // namespace

MachineRoofs MachineRoofs::with_threads(int threads) const {
  return {nearest(peaks, threads), nearest(bandwidths, threads), overhead_ns};
}

std::optional<double> least_ns(const MachineRoofs& roofs, double flops, double bytes, int threads) {
  const auto here = roofs.with_threads(threads);
  double least = 0;
  if (flops > 0) {
    if (here.peaks.empty() || !(here.peaks.front().flops_per_s > 0)) return std::nullopt;
    least = flops / here.peaks.front().flops_per_s * 1e9;
  }
  if (bytes > 0) {
    const auto level = std::find_if(here.bandwidths.begin(), here.bandwidths.end(), [&](const auto& b) {
      return b.holds_bytes == 0 || static_cast<double>(b.holds_bytes) >= bytes;
    });
    if (level == here.bandwidths.end() || !(level->bytes_per_s > 0)) return std::nullopt;
    least = std::max(least, bytes / level->bytes_per_s * 1e9);
  }
  return least > 0 ? std::optional(least) : std::nullopt;
}

std::optional<double> share_of_roof(const MachineRoofs& roofs, const BenchmarkResult& result) {
  const auto& work = result.throughput;
  const auto* time = result.metric("time");
  if (result.outcome != Outcome::ok || time == nullptr || !time->summary.time ||
      !(time->summary.time->point > 0) || !(work.flops > 0) || !(work.bytes > 0) ||
      result.workload.dtype != "f32")
    return std::nullopt;
  const auto least = least_ns(roofs, work.flops, work.bytes, std::max(1, result.workload.threads));
  return least ? std::optional(*least / time->summary.time->point) : std::nullopt;
}

}  // namespace tare
