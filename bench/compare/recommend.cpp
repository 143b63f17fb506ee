#include "bench/compare/recommend.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <optional>

#include "bench/support/text.hpp"

namespace tare {
namespace {

using Candidates = std::vector<const ParetoPoint*>;

bool ahead(const ParetoMetric& metric, double a, double b) {
  return metric.better == Better::less ? a < b : a > b;
}

bool overlap(const Estimate& a, const Estimate& b) {
  return a.low.value_or(a.point) <= b.high.value_or(b.point) &&
         b.low.value_or(b.point) <= a.high.value_or(a.point);
}

std::string figures_of(const ParetoFront& front, const ParetoPoint& point) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < front.metrics.size(); ++i) {
    parts.push_back(fmt::format("{} {}", front.metrics[i].name,
                                format_value(point.values[i].point, front.metrics[i].unit)));
  }
  return join(parts, ", ");
}

/// 0 for the frontier's best value of the metric, 1 for its worst.
double distance(const Candidates& points, std::size_t metric, Better better, double value) {
  double low = points.front()->values[metric].point, high = low;
  for (const auto* p : points) {
    low = std::min(low, p->values[metric].point);
    high = std::max(high, p->values[metric].point);
  }
  const auto scaled = [logarithmic = low > 0](double v) { return logarithmic ? std::log(v) : v; };
  const double range = scaled(high) - scaled(low);
  if (!(range > 0)) return 0;
  const double place = (scaled(value) - scaled(low)) / range;
  return better == Better::less ? place : 1 - place;
}

double distance_to_ideal(const ParetoFront& front, const Candidates& points, const ParetoPoint& point) {
  double sum = 0;
  for (std::size_t i = 0; i < front.metrics.size(); ++i) {
    sum += std::pow(distance(points, i, front.metrics[i].better, point.values[i].point), 2);
  }
  return std::sqrt(sum);
}

const ParetoPoint* nearest(const ParetoFront& front, const Candidates& all, const Candidates& among) {
  return *std::min_element(among.begin(), among.end(), [&](const auto* a, const auto* b) {
    return distance_to_ideal(front, all, *a) < distance_to_ideal(front, all, *b);
  });
}

Recommendation best_in(const ParetoFront& front, const Candidates& points, std::size_t metric,
                       const char* purpose, const char* superlative) {
  const auto* best = *std::min_element(points.begin(), points.end(), [&](const auto* a, const auto* b) {
    return ahead(front.metrics[metric], a->values[metric].point, b->values[metric].point);
  });
  Candidates tied;
  for (const auto* p : points) {
    if (overlap(p->values[metric], best->values[metric])) tied.push_back(p);
  }
  const auto* chosen = nearest(front, points, tied);
  auto reason = fmt::format("{} {} of the frontier", superlative, front.metrics[metric].name);
  if (tied.size() > 1)
    reason =
        fmt::format("{}, tied with {} more; the best of them in the other metrics", reason, tied.size() - 1);
  return {purpose, chosen->name, reason, figures_of(front, *chosen)};
}

std::optional<std::size_t> first_metric(const ParetoFront& front,
                                        const std::function<bool(const ParetoMetric&)>& fits) {
  const auto found = std::find_if(front.metrics.begin(), front.metrics.end(), fits);
  if (found == front.metrics.end()) return std::nullopt;
  return static_cast<std::size_t>(found - front.metrics.begin());
}

}  // namespace

std::vector<Recommendation> recommend(const ParetoFront& front) {
  Candidates points;
  for (const auto& point : front.points) {
    if (point.frontier) points.push_back(&point);
  }
  std::vector<Recommendation> all;
  if (points.empty()) return all;
  const auto time =
      first_metric(front, [](const auto& m) { return m.unit == "ns" && m.better == Better::less; });
  const auto memory =
      first_metric(front, [](const auto& m) { return m.unit == "B" && m.better == Better::less; });
  const auto accuracy = first_metric(front, [](const auto& m) { return m.better == Better::more; });
  if (time) all.push_back(best_in(front, points, *time, "latency-critical", "the shortest"));
  if (memory) all.push_back(best_in(front, points, *memory, "memory-constrained", "the smallest"));
  if (accuracy) all.push_back(best_in(front, points, *accuracy, "accuracy-preserving", "the highest"));
  if (front.metrics.size() > 1) {
    const auto* balanced = nearest(front, points, points);
    all.push_back({"balanced", balanced->name,
                   points.size() == 1 ? "the only point of the frontier"
                                      : "nearest to the best of every metric at once",
                   figures_of(front, *balanced)});
  }
  return all;
}

}  // namespace tare
