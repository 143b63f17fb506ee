#include "bench/analyse/growth.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "bench/analyse/scaling.hpp"

namespace tare {
namespace {

struct Family {
  BenchmarkId id;  ///< without the parameter that varies
  std::string parameter;
  std::vector<GrowthPoint> points;
};

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<Family> families(const std::vector<BenchmarkResult>& results) {
  std::vector<Family> all;
  for (const auto& result : results) {
    const auto* time = result.metric("time");
    if (result.outcome != Outcome::ok || time == nullptr || !time->summary.time) continue;
    for (const auto& [key, value] : result.id.parameters) {
      const auto n = number(value);
      if (key == "threads" || !n || *n <= 0) continue;
      BenchmarkId rest = result.id;
      std::erase_if(rest.parameters, [&](const auto& pair) { return pair.first == key; });
      auto family = std::find_if(all.begin(), all.end(),
                                 [&](const Family& f) { return f.parameter == key && f.id == rest; });
      if (family == all.end()) family = all.insert(all.end(), Family{rest, key, {}});
      family->points.push_back({*n, *time->summary.time});
    }
  }
  return all;
}

}  // namespace

std::vector<GrowthFinding> find_growth(const std::vector<BenchmarkResult>& results) {
  std::vector<GrowthFinding> findings;
  for (auto& family : families(results)) {
    std::sort(family.points.begin(), family.points.end(),
              [](const auto& a, const auto& b) { return a.n < b.n; });
    std::vector<ScalingPoint> points;
    for (const auto& point : family.points) points.push_back({point.n, point.time.point});
    const auto fit = fit_scaling(points);
    if (!fit || fit->candidates.empty()) continue;
    findings.push_back({family.id.full(), family.parameter, points.front().n, points.back().n, fit->exponent,
                        name_of(fit->candidates.front().growth), fit->candidates.front().residual,
                        fit->factor, std::move(family.points)});
  }
  return findings;
}

}  // namespace tare
