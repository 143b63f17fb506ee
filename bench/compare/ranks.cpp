#include "bench/compare/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "bench/analyse/distributions.hpp"

namespace tare {
namespace {

/// Beyond this many values the normal approximation replaces counting.
constexpr std::size_t most_counted = 100;

/// Twice the mid-rank of each value among all of them: whole numbers even where values tie.
std::vector<std::size_t> doubled_ranks(Values values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  std::vector<std::size_t> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = begin + 1 + end;
    begin = end;
  }
  return ranks;
}

/// P(sum = s) for every s, of a sum in which each rank takes part or not with equal chance.
std::vector<double> signed_rank_law(const std::vector<std::size_t>& ranks) {
  const std::size_t top = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<double> chance(top + 1, 0.0);
  chance[0] = 1;
  std::size_t reach = 0;
  for (const auto rank : ranks) {
    reach += rank;
    for (std::size_t s = reach + 1; s-- > 0;)
      chance[s] = 0.5 * (chance[s] + (s >= rank ? chance[s - rank] : 0.0));
  }
  return chance;
}

/// P(sum = s) for every s, of the sum of `chosen` of the ranks, each choice as likely as any other.
std::vector<double> rank_sum_law(const std::vector<std::size_t>& ranks, std::size_t chosen) {
  const std::size_t top = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  // ways[c][s]: share of the choices of c ranks that sum to s; kept as chances so that nothing overflows.
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(top + 1, 0.0));
  ways[0][0] = 1;
  std::size_t seen = 0;
  for (const auto rank : ranks) {
    ++seen;
    for (std::size_t c = std::min(seen, chosen); c >= 1; --c) {
      // A choice of c among `seen` contains the last one with chance c / seen.
      const double with = static_cast<double>(c) / static_cast<double>(seen);
      for (std::size_t s = top + 1; s-- > 0;)
        ways[c][s] = (1 - with) * ways[c][s] + (s >= rank ? with * ways[c - 1][s - rank] : 0.0);
    }
  }
  return std::move(ways[chosen]);
}

/// Of the smaller tail, both sides together. Each tail is added up from its far end: 1 minus the other one
/// would lose the small chances, and might fall below 0.
double two_sided(const std::vector<double>& law, std::size_t sum) {
  const auto at = static_cast<std::ptrdiff_t>(sum);
  const double below = std::accumulate(law.begin(), law.begin() + at + 1, 0.0);
  const double above = std::accumulate(law.rbegin(), law.rend() - at, 0.0);
  return std::min(1.0, 2 * std::min(below, above));
}

double two_sided_normal(double sum, double mean, double variance) {
  if (!(variance > 0)) return 1;
  // Half a step towards the middle: the sum is a whole number.
  const double distance = std::max(0.0, std::abs(sum - mean) - 0.5);
  return std::min(1.0, 2 * normal_cdf(-distance / std::sqrt(variance)));
}

/// How many of the smallest (and largest) of `pairs` comparisons an interval of this level leaves out; empty
/// when even leaving out none is too many. `law` is of the statistic that counts comparisons, without ties.
std::optional<std::size_t> left_out(const std::vector<double>& law, double level) {
  // A level that is reached exactly must not be missed by its last bit.
  const double most = level / 2 * (1 + 1e-12);
  double tail = law[0];
  if (!(tail <= most)) return std::nullopt;
  std::size_t count = 0;
  while (count + 1 < law.size() && (tail += law[count + 1]) <= most) ++count;
  return count;
}

std::optional<std::size_t> left_out_normal(double mean, double variance, double level) {
  const double edge = std::floor(mean - 0.5 + normal_quantile(level / 2) * std::sqrt(variance));
  if (edge < 0) return std::nullopt;
  return static_cast<std::size_t>(edge);
}

/// Chances of whole ranks 1 … n, from the doubled ones.
std::vector<double> halved(const std::vector<double>& law) {
  std::vector<double> every_second;
  for (std::size_t s = 0; s < law.size(); s += 2) every_second.push_back(law[s]);
  return every_second;
}

std::vector<std::size_t> untied_ranks(std::size_t n) {
  std::vector<std::size_t> ranks(n);
  for (std::size_t i = 0; i < n; ++i) ranks[i] = 2 * (i + 1);
  return ranks;
}

Shift with_interval(std::vector<double> comparisons, std::optional<std::size_t> left, double p) {
  std::sort(comparisons.begin(), comparisons.end());
  Shift shift;
  shift.centre = quantile_of_sorted(comparisons, 0.5);
  shift.p = p;
  if (left && *left < comparisons.size() - *left) {
    shift.low = comparisons[*left];
    shift.high = comparisons[comparisons.size() - 1 - *left];
  }
  return shift;
}

}  // namespace

Shift signed_rank_shift(Values values, double level) {
  if (values.empty()) throw std::invalid_argument("signed_rank_shift: no values");
  const auto n = static_cast<double>(values.size());
  std::vector<double> walsh;
  walsh.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i; j < values.size(); ++j) walsh.push_back(values[i] / 2 + values[j] / 2);

  // Values of zero say nothing about the sign.
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (const double v : values) {
    if (v == 0) continue;
    sizes.push_back(std::abs(v));
    positive.push_back(v > 0);
  }
  const auto ranks = doubled_ranks(sizes);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) sum += positive[i] ? ranks[i] : 0;
  const bool counted = values.size() <= most_counted;
  double p = 1;
  if (counted) {
    p = two_sided(signed_rank_law(ranks), sum);
  } else {
    double mean = 0, variance = 0;
    for (const auto rank : ranks) {
      mean += static_cast<double>(rank) / 4;
      variance += static_cast<double>(rank * rank) / 16;
    }
    p = two_sided_normal(static_cast<double>(sum) / 2, mean, variance);
  }
  const auto left = counted ? left_out(halved(signed_rank_law(untied_ranks(values.size()))), level)
                            : left_out_normal(n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24, level);
  return with_interval(std::move(walsh), left, p);
}

Shift rank_sum_shift(Values before, Values after, double level) {
  if (before.empty() || after.empty()) throw std::invalid_argument("rank_sum_shift: a side has no values");
  std::vector<double> differences;
  differences.reserve(before.size() * after.size());
  for (const double b : before)
    for (const double a : after) differences.push_back(a - b);

  std::vector<double> all(after.begin(), after.end());
  all.insert(all.end(), before.begin(), before.end());
  const auto ranks = doubled_ranks(all);
  const std::size_t sum = std::accumulate(
      ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(after.size()), std::size_t{0});
  const auto m = static_cast<double>(after.size()), n = static_cast<double>(before.size());
  const bool counted = all.size() <= most_counted / 2;
  double p = 1;
  std::optional<std::size_t> left;
  if (counted) {
    p = two_sided(rank_sum_law(ranks, after.size()), sum);
    // From sums of ranks to counts of comparisons: the least sum is that of the ranks 1 … m.
    auto law = halved(rank_sum_law(untied_ranks(all.size()), after.size()));
    law.erase(law.begin(), law.begin() + static_cast<std::ptrdiff_t>(after.size() * (after.size() + 1) / 2));
    left = left_out(law, level);
  } else {
    const double mean = m * (m + n + 1) / 2;
    double squares = 0;
    for (const auto rank : ranks) squares += static_cast<double>(rank * rank) / 4;
    const double variance =
        m * n / ((m + n) * (m + n - 1)) * (squares - (m + n) * (m + n + 1) * (m + n + 1) / 4);
    p = two_sided_normal(static_cast<double>(sum) / 2, mean, variance);
    left = left_out_normal(m * n / 2, m * n * (m + n + 1) / 12, level);
  }
  return with_interval(std::move(differences), left, p);
}

}  // namespace tare
