#include "bench/compare/correction.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace tare {
namespace {

/// The places of the tests that have a p, by ascending p.
std::vector<std::size_t> by_p(std::span<const std::optional<double>> p, const char* operation) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!p[i]) continue;
    if (!(*p[i] >= 0 && *p[i] <= 1))
      throw std::invalid_argument(fmt::format("{}: a p is {}", operation, *p[i]));
    order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return *p[a] < *p[b]; });
  return order;
}

}  // namespace

std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p) {
  const auto order = by_p(p, "holm");
  std::vector<std::optional<double>> adjusted(p.size());
  double least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    least = std::max(least, static_cast<double>(order.size() - i) * *p[order[i]]);
    adjusted[order[i]] = std::min(1.0, least);
  }
  return adjusted;
}

std::vector<std::optional<double>> benjamini_hochberg(std::span<const std::optional<double>> p) {
  const auto order = by_p(p, "benjamini_hochberg");
  std::vector<std::optional<double>> adjusted(p.size());
  const auto count = static_cast<double>(order.size());
  double most = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    most = std::min(most, count / static_cast<double>(i + 1) * *p[order[i]]);
    adjusted[order[i]] = most;
  }
  return adjusted;
}

}  // namespace tare
