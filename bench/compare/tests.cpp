#include "bench/compare/tests.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/analyse/distributions.hpp"
#include "bench/analyse/random.hpp"
#include "bench/compare/values.hpp"

namespace tare {
namespace {

struct Ranks {
  std::vector<double> ranks;  ///< beside the values, ties at their middle rank
  double ties = 0;            ///< Σ (t³ − t) over groups of t equal values
};

Ranks rank(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return values[x] < values[y]; });
  Ranks result{std::vector<double>(values.size()), 0};
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i)
      result.ranks[order[i]] = static_cast<double>(first + last) / 2 + 1;
    const auto tied = static_cast<double>(last - first + 1);
    result.ties += tied * tied * tied - tied;
    first = last + 1;
  }
  return result;
}

double two_sided_normal(double z) {
  return std::min(1.0, 2 * normal_cdf(-z));
}

/// The share of counts[u] with u ≥ at.
double share_from(const std::vector<double>& counts, double at) {
  const auto first = counts.begin() + static_cast<std::ptrdiff_t>(std::llround(at));
  return std::accumulate(first, counts.end(), 0.0) / std::accumulate(counts.begin(), counts.end(), 0.0);
}

/// How many ways of choosing `small` of all ranks give each U: one rank after the other is taken or not.
std::vector<double> mann_whitney_counts(std::size_t small, std::size_t large) {
  const std::size_t width = small * large + 1;
  std::vector<std::vector<double>> counts(small + 1, std::vector<double>(width, 0.0));
  counts[0][0] = 1;
  for (std::size_t rank = 0; rank < small + large; ++rank)
    for (std::size_t taken = std::min(small, rank + 1); taken > 0; --taken) {
      // As the taken-th of the chosen, this one has passed rank + 1 − taken of the others.
      const std::size_t passed = rank + 1 - taken;
      if (passed > large) continue;
      for (std::size_t u = passed; u < width; ++u) counts[taken][u] += counts[taken - 1][u - passed];
    }
  return counts[small];
}

/// How many choices of signs give each sum of positive ranks.
std::vector<double> signed_rank_counts(std::size_t n) {
  std::vector<double> counts(n * (n + 1) / 2 + 1, 0.0);
  counts[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank)
    for (std::size_t sum = counts.size() - 1; sum >= rank; --sum) counts[sum] += counts[sum - rank];
  return counts;
}

double ways_to_share(std::size_t a, std::size_t b) {
  double ways = 1;
  for (std::size_t i = 1; i <= a; ++i) ways *= static_cast<double>(b + i) / static_cast<double>(i);
  return std::round(ways);
}

std::vector<double> joined(Values a, Values b) {
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

}  // namespace

std::optional<TestResult> one_sample_t(Values values, double null) {
  const auto location = mean_location(values);
  if (!location) return std::nullopt;
  return TestResult{(location->centre - null) / location->standard_error, p_value(*location, null),
                    location->degrees, "t"};
}

std::optional<Location> welch_difference(Values a, Values b) {
  require_finite(a, "welch_difference");
  require_finite(b, "welch_difference");
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const auto na = static_cast<double>(a.size()), nb = static_cast<double>(b.size());
  const double va = *variance(a) / na, vb = *variance(b) / nb;
  if (!(va + vb > 0)) return std::nullopt;
  const double of_a = va / (va + vb), of_b = vb / (va + vb);
  const double degrees = 1 / (of_a * of_a / (na - 1) + of_b * of_b / (nb - 1));
  return Location{*mean(a) - *mean(b), std::sqrt(va + vb), degrees, "difference of means, Welch t"};
}

std::optional<TestResult> welch_t(Values a, Values b) {
  const auto difference = welch_difference(a, b);
  if (!difference) return std::nullopt;
  return TestResult{difference->centre / difference->standard_error, p_value(*difference),
                    difference->degrees, "Welch t"};
}

std::optional<TestResult> mann_whitney(Values a, Values b) {
  require_finite(a, "mann_whitney");
  require_finite(b, "mann_whitney");
  if (a.empty() || b.empty()) return std::nullopt;
  const auto ranked = rank(joined(a, b));
  const auto na = static_cast<double>(a.size()), nb = static_cast<double>(b.size());
  const auto end_of_a = ranked.ranks.begin() + static_cast<std::ptrdiff_t>(a.size());
  const double u = std::accumulate(ranked.ranks.begin(), end_of_a, 0.0) - na * (na + 1) / 2;
  const double larger = std::max(u, na * nb - u);
  const std::size_t small = std::min(a.size(), b.size()), large = std::max(a.size(), b.size());
  if (ranked.ties == 0 && small <= 8 && large <= 500)
    return TestResult{u, std::min(1.0, 2 * share_from(mann_whitney_counts(small, large), larger)),
                      std::nullopt, "Mann-Whitney, exact"};
  const double n = na + nb;
  const double variance = na * nb / 12 * (n + 1 - ranked.ties / (n * (n - 1)));
  if (!(variance > 0)) return std::nullopt;
  return TestResult{u, two_sided_normal((larger - na * nb / 2 - 0.5) / std::sqrt(variance)), std::nullopt,
                    "Mann-Whitney, normal"};
}

std::optional<TestResult> wilcoxon(Values differences) {
  require_finite(differences, "wilcoxon");
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (const double d : differences) {
    if (d == 0) continue;
    sizes.push_back(std::abs(d));
    positive.push_back(d > 0);
  }
  if (sizes.empty()) return std::nullopt;
  const auto ranked = rank(sizes);
  double up = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) up += positive[i] ? ranked.ranks[i] : 0;
  const auto n = static_cast<double>(sizes.size());
  const double all = n * (n + 1) / 2, smaller = std::min(up, all - up);
  if (differences.size() <= 50 && sizes.size() == differences.size() && ranked.ties == 0)
    return TestResult{smaller, std::min(1.0, 2 * share_from(signed_rank_counts(sizes.size()), all - smaller)),
                      std::nullopt, "Wilcoxon, exact"};
  const double variance = (n * (n + 1) * (2 * n + 1) - ranked.ties / 2) / 24;
  return TestResult{smaller, two_sided_normal((all / 2 - smaller) / std::sqrt(variance)), std::nullopt,
                    "Wilcoxon, normal"};
}

std::optional<TestResult> permutation_test(Values a, Values b, std::uint64_t seed, std::size_t draws) {
  require_finite(a, "permutation_test");
  require_finite(b, "permutation_test");
  if (a.empty() || b.empty()) return std::nullopt;
  auto all = joined(a, b);
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  if (*low == *high) return std::nullopt;
  const double observed = *mean(a) - *mean(b);
  // Around their common mean the difference of means is a multiple of the sum of one side.
  const double centre = *mean(all);
  double size = 0;
  for (double& v : all) size += std::abs(v -= centre);
  const auto sum_of_a = [&](const auto& chosen) {
    double sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) sum += chosen(i) ? all[i] : 0;
    return std::abs(sum);
  };
  // Sums that are equal on paper must count as such.
  const double limit = sum_of_a([&](std::size_t i) { return i < a.size(); }) - 1e-12 * size;

  if (ways_to_share(a.size(), b.size()) <= static_cast<double>(draws)) {
    std::vector<char> side(all.size(), 0);
    std::fill_n(side.rbegin(), a.size(), 1);
    std::size_t extreme = 0, ways = 0;
    do {
      extreme += sum_of_a([&](std::size_t i) { return side[i] != 0; }) >= limit ? 1 : 0;
      ++ways;
    } while (std::next_permutation(side.begin(), side.end()));
    return TestResult{observed, static_cast<double>(extreme) / static_cast<double>(ways), std::nullopt,
                      "permutation, exact"};
  }
  Random random(seed);
  std::size_t extreme = 1;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    for (std::size_t i = 0; i < a.size(); ++i)
      std::swap(all[i], all[i + random.index(static_cast<std::uint32_t>(all.size() - i))]);
    extreme += sum_of_a([&](std::size_t i) { return i < a.size(); }) >= limit ? 1 : 0;
  }
  return TestResult{observed, static_cast<double>(extreme) / static_cast<double>(draws + 1), std::nullopt,
                    "permutation, random"};
}

std::optional<Estimate> cliffs_delta(Values a, Values b, double confidence) {
  require_share(confidence, "cliffs_delta", "confidence");
  require_finite(a, "cliffs_delta");
  require_finite(b, "cliffs_delta");
  if (a.empty() || b.empty()) return std::nullopt;
  const auto na = static_cast<double>(a.size()), nb = static_cast<double>(b.size());
  std::vector<double> of_a(a.size(), 0.0), of_b(b.size(), 0.0);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      const double sign = a[i] > b[j] ? 1 : a[i] < b[j] ? -1 : 0;
      sum += sign;
      squares += sign * sign;
      of_a[i] += sign / nb;
      of_b[j] += sign / na;
    }
  const double delta = sum / (na * nb);
  Estimate estimate{delta, std::nullopt, std::nullopt, confidence, "Cliff"};
  if (a.size() < 2 || b.size() < 2 || std::abs(delta) == 1) return estimate;
  const auto spread = [&](const std::vector<double>& rows) {
    double total = 0;
    for (const double v : rows) total += (v - delta) * (v - delta);
    return total;
  };
  const double within = squares - na * nb * delta * delta;
  const double unbiased =
      (nb * nb * spread(of_a) + na * na * spread(of_b) - within) / (na * nb * (na - 1) * (nb - 1));
  const double variance = std::max(unbiased, (1 - delta * delta) / (na * nb - 1));
  const double z2 = std::pow(normal_quantile(1 - (1 - confidence) / 2), 2) * variance;
  const double rest = 1 - delta * delta;
  const double reach = std::sqrt(z2 * (rest * rest + z2));
  estimate.low = std::max(-1.0, (delta * rest - reach) / (rest + z2));
  estimate.high = std::min(1.0, (delta * rest + reach) / (rest + z2));
  return estimate;
}

}  // namespace tare
