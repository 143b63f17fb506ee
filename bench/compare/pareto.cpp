#include "bench/compare/pareto.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

#include "bench/compare/recommend.hpp"

namespace tare {
namespace {

/// How the first value stands to the second.
enum class Order { better, tied, worse };

Order order(const ParetoMetric& metric, const Estimate& a, const Estimate& b) {
  const double a_low = a.low.value_or(a.point), a_high = a.high.value_or(a.point);
  const double b_low = b.low.value_or(b.point), b_high = b.high.value_or(b.point);
  if (a_low <= b_high && b_low <= a_high) return Order::tied;
  return (a_high < b_low) == (metric.better == Better::less) ? Order::better : Order::worse;
}

struct Relation {
  bool better = false;
  bool worse = false;
};

Relation relation(const ParetoFront& front, const ParetoPoint& a, const ParetoPoint& b) {
  Relation found;
  for (std::size_t i = 0; i < front.metrics.size(); ++i) {
    const auto stands = order(front.metrics[i], a.values[i], b.values[i]);
    found.better |= stands == Order::better;
    found.worse |= stands == Order::worse;
  }
  return found;
}

using Edges = std::vector<std::vector<std::size_t>>;

std::vector<char> reached(const Edges& edges, std::vector<std::size_t> from) {
  std::vector<char> seen(edges.size(), 0);
  while (!from.empty()) {
    const auto here = from.back();
    from.pop_back();
    for (const auto next : edges[here]) {
      if (seen[next]) continue;
      seen[next] = 1;
      from.push_back(next);
    }
  }
  return seen;
}

/// Circles that nothing outside dominates: their points tell nothing about each other.
void free_circles(ParetoFront& front, const Edges& dominates, const Edges& dominators) {
  std::vector<std::size_t> undominated;
  for (std::size_t i = 0; i < front.points.size(); ++i) {
    if (front.points[i].frontier) undominated.push_back(i);
  }
  const auto covered = reached(dominates, undominated);
  for (std::size_t i = 0; i < front.points.size(); ++i) {
    auto& point = front.points[i];
    if (!point.allowed || point.frontier || covered[i]) continue;
    const auto above = reached(dominators, {i});
    const auto below = reached(dominates, {i});
    bool circle = true;
    for (std::size_t k = 0; k < above.size(); ++k) circle = circle && (!above[k] || below[k]);
    if (!circle) continue;
    point.frontier = true;
    point.ties.insert(point.ties.end(), point.dominated_by.begin(), point.dominated_by.end());
    point.dominated_by.clear();
  }
}

void find_frontier(ParetoFront& front) {
  const auto n = front.points.size();
  Edges dominates(n), dominators(n);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const auto found = relation(front, front.points[a], front.points[b]);
      if (!found.better && !found.worse) {
        front.points[a].ties.push_back(front.points[b].name);
        front.points[b].ties.push_back(front.points[a].name);
      } else if (found.better != found.worse) {
        const auto winner = found.better ? a : b, loser = found.better ? b : a;
        if (!front.points[winner].allowed) continue;
        dominates[winner].push_back(loser);
        dominators[loser].push_back(winner);
        front.points[loser].dominated_by.push_back(front.points[winner].name);
      }
    }
  }
  for (auto& point : front.points) point.frontier = point.allowed && point.dominated_by.empty();
  free_circles(front, dominates, dominators);
}

std::size_t index_of(const std::vector<ParetoMetric>& metrics, const std::string& name) {
  const auto found =
      std::find_if(metrics.begin(), metrics.end(), [&](const ParetoMetric& m) { return m.name == name; });
  if (found == metrics.end())
    throw std::invalid_argument(
        fmt::format("pareto_front: a constraint names '{}', which is no metric", name));
  return static_cast<std::size_t>(found - metrics.begin());
}

}  // namespace

ParetoFront pareto_front(std::vector<ParetoMetric> metrics, const std::vector<ParetoCandidate>& candidates,
                         std::vector<ParetoConstraint> constraints) {
  ParetoFront front;
  front.metrics = std::move(metrics);
  front.constraints = std::move(constraints);
  for (const auto& metric : front.metrics) {
    if (metric.better == Better::neither)
      throw std::invalid_argument(fmt::format("pareto_front: metric '{}' has no direction", metric.name));
  }
  for (const auto& candidate : candidates) {
    if (candidate.values.size() != front.metrics.size()) {
      throw std::invalid_argument(fmt::format("pareto_front: '{}' has {} values for {} metrics",
                                              candidate.name, candidate.values.size(), front.metrics.size()));
    }
    ParetoPoint point;
    point.name = candidate.name;
    point.values = candidate.values;
    for (const auto& constraint : front.constraints) {
      const double value = point.values[index_of(front.metrics, constraint.metric)].point;
      if (constraint.at_least ? value >= constraint.bound : value <= constraint.bound) continue;
      point.violates.push_back(text_of(constraint));
    }
    point.allowed = point.violates.empty();
    front.points.push_back(std::move(point));
  }
  find_frontier(front);
  front.recommendations = recommend(front);
  return front;
}

}  // namespace tare
