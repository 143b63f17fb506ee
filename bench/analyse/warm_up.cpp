#include "bench/analyse/warm_up.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tare {
namespace {

constexpr std::size_t least_samples = 10;
constexpr std::size_t least_level = 3;  // samples in a level
constexpr std::size_t most_levels = 6;
constexpr std::size_t most_points = 400;  // longer series are read as medians of blocks: the fit is quadratic
constexpr double relevant_change = 0.005;
constexpr double noise_floor = 0.0005;  // of the median: finer than any level worth naming

/// What one more level must gain in log likelihood (times two), for its place and its height.
double level_penalty(double n) {
  return 4 * std::log(n) + 1000 / (n * n);
}
double line_penalty(double n) {
  return 3 * std::log(n) + 1000 / (n * n);
}

struct Level {
  std::size_t begin, end;
  double height;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

double median_of_block(Values series, std::size_t begin, std::size_t end) {
  return *median(series.subspan(begin, end - begin));
}

std::vector<double> in_blocks(Values series, std::size_t block) {
  std::vector<double> medians;
  for (std::size_t i = 0; i + block <= series.size(); i += block)
    medians.push_back(median_of_block(series, i, i + block));
  return medians;
}

/// Isolated spikes brought back: a value far from the median of the three before it and, to the same side,
/// from the median of the three after it. The edge of a level agrees with one of the two and stays.
std::vector<double> without_spikes(Values series) {
  const auto n = series.size();
  std::vector<double> distance(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t begin = i < 3 ? 0 : i - 3, end = std::min(i + 4, n);
    const double after = i + 1 < n ? series[i] - median_of_block(series, i + 1, end) : 0;
    // The first of a falling series is not a spike: it is held against its neighbour alone.
    const double before = series[i] - (i > 0 ? median_of_block(series, begin, i) : series[1]);
    const double last = i + 1 < n ? after : before;
    if (before * last > 0) distance[i] = std::abs(before) < std::abs(last) ? before : last;
  }
  std::vector<double> apart;
  for (const double d : distance)
    if (d != 0) apart.push_back(std::abs(d));
  const double limit = apart.empty() ? 0 : 4 * *median(apart);
  std::vector<double> calm(n);
  for (std::size_t i = 0; i < n; ++i) calm[i] = series[i] - (std::abs(distance[i]) > limit ? distance[i] : 0);
  return calm;
}

/// Penalised-likelihood cost of residuals under the best AR(1) law.
double cost(Values residuals, double floor) {
  const auto n = static_cast<double>(residuals.size());
  double first = residuals[0] * residuals[0], squares = 0, products = 0, earlier = 0;
  for (std::size_t i = 1; i < residuals.size(); ++i) {
    squares += residuals[i] * residuals[i];
    products += residuals[i] * residuals[i - 1];
    earlier += residuals[i - 1] * residuals[i - 1];
  }
  double best = std::numeric_limits<double>::infinity();
  for (double phi = 0; phi < 0.95; phi += 0.1) {
    const double rest = (1 - phi * phi) * first + squares - 2 * phi * products + phi * phi * earlier;
    best = std::min(best, n * std::log(rest / n + floor * floor) - std::log(1 - phi * phi));
  }
  return best;
}

/// The best fits with 1 … most_levels levels, by dynamic programming over the squared error.
std::vector<std::vector<Level>> fit_levels(Values y) {
  const auto n = y.size();
  std::vector<double> sum(n + 1), squares(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    sum[i + 1] = sum[i] + y[i];
    squares[i + 1] = squares[i] + y[i] * y[i];
  }
  const auto height = [&](std::size_t a, std::size_t b) {
    return (sum[b] - sum[a]) / static_cast<double>(b - a);
  };
  const auto error = [&](std::size_t a, std::size_t b) {
    return squares[b] - squares[a] - (sum[b] - sum[a]) * height(a, b);
  };
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> least(most_levels, std::vector<double>(n + 1, none));
  std::vector<std::vector<std::size_t>> cut(most_levels, std::vector<std::size_t>(n + 1, 0));
  for (std::size_t end = least_level; end <= n; ++end) least[0][end] = error(0, end);
  std::vector<std::vector<Level>> fits;
  for (std::size_t m = 0; m < most_levels && (m + 1) * least_level <= n; ++m) {
    for (std::size_t end = (m + 1) * least_level; m > 0 && end <= n; ++end) {
      for (std::size_t begin = m * least_level; begin + least_level <= end; ++begin) {
        const double total = least[m - 1][begin] + error(begin, end);
        if (total >= least[m][end]) continue;
        least[m][end] = total;
        cut[m][end] = begin;
      }
    }
    std::vector<Level> levels(m + 1);
    std::size_t end = n;
    for (std::size_t k = m + 1; k-- > 0;) {
      const std::size_t begin = k == 0 ? 0 : cut[k][end];
      levels[k] = {begin, end, height(begin, end)};
      end = begin;
    }
    fits.push_back(std::move(levels));
  }
  return fits;
}

std::vector<double> residuals_of(const std::vector<Level>& levels, Values y) {
  std::vector<double> residuals(y.size());
  for (const auto& level : levels)
    for (std::size_t i = level.begin; i < level.end; ++i) residuals[i] = y[i] - level.height;
  return residuals;
}

struct Line {
  double slope;
  std::vector<double> residuals;
};

Line fit_line(Values y) {
  const auto n = static_cast<double>(y.size());
  const double middle = (n - 1) / 2, centre = *mean(y);
  double product = 0;
  for (std::size_t i = 0; i < y.size(); ++i) product += (static_cast<double>(i) - middle) * (y[i] - centre);
  Line line{product / (n * (n * n - 1) / 12), std::vector<double>(y.size())};
  for (std::size_t i = 0; i < y.size(); ++i)
    line.residuals[i] = y[i] - centre - line.slope * (static_cast<double>(i) - middle);
  return line;
}

struct Decay {
  double height = 0;  ///< of the first value above the end; negative for a rise that levels off
  double life = 1;    ///< samples in which it falls to 1 / e
  std::vector<double> residuals;
};

/// The exponential with the least squared error, its life on a grid from 1 to a fifth of the samples.
Decay fit_decay(Values y) {
  const auto n = y.size();
  const double centre = *mean(y);
  Decay best;
  double least = std::numeric_limits<double>::infinity();
  for (double life = 1; life <= static_cast<double>(n) / 5; life *= 1.15) {
    std::vector<double> curve(n);
    for (std::size_t i = 0; i < n; ++i) curve[i] = std::exp(-static_cast<double>(i) / life);
    const double middle = *mean(curve);
    double product = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      product += (curve[i] - middle) * (y[i] - centre);
      squares += (curve[i] - middle) * (curve[i] - middle);
    }
    Decay decay{product / squares, life, std::vector<double>(n)};
    double error = 0;
    for (std::size_t i = 0; i < n; ++i) {
      decay.residuals[i] = y[i] - centre - decay.height * (curve[i] - middle);
      error += decay.residuals[i] * decay.residuals[i];
    }
    if (error >= least) continue;
    least = error;
    best = std::move(decay);
  }
  return best;
}

/// Neighbours that do not differ by a relevant amount, and bursts that end where they began, are one level.
std::vector<Level> merged(std::vector<Level> levels, double relevant, std::size_t n) {
  const auto merge = [](const Level& a, const Level& b) {
    const auto na = static_cast<double>(a.size()), nb = static_cast<double>(b.size());
    return Level{a.begin, b.end, (na * a.height + nb * b.height) / (na + nb)};
  };
  for (std::size_t i = 0; i + 1 < levels.size();) {
    if (std::abs(levels[i].height - levels[i + 1].height) < relevant) {
      levels[i] = merge(levels[i], levels[i + 1]);
      levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      i = 0;
    } else if (i + 2 < levels.size() && levels[i + 1].size() * 5 < n &&
               std::abs(levels[i].height - levels[i + 2].height) <
                   std::max(relevant, std::abs(levels[i + 1].height - levels[i].height) / 5)) {
      levels[i] = merge(levels[i], levels[i + 2]);
      levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                   levels.begin() + static_cast<std::ptrdiff_t>(i) + 3);
      i = 0;
    } else {
      ++i;
    }
  }
  return levels;
}

WarmUp class_of(const std::vector<Level>& fitted, std::size_t n, double relevant) {
  const auto levels = merged(fitted, relevant, n);
  if (levels.size() == 1) return {};
  const auto& last = levels.back();
  const bool rising = std::is_sorted(levels.begin(), levels.end(),
                                     [](const Level& a, const Level& b) { return a.height < b.height; });
  if (rising) return {Steadiness::slowing, 0};
  const bool fell = std::all_of(levels.begin(), levels.end() - 1,
                                [&](const Level& level) { return level.height > last.height; });
  if (fell && last.size() * 4 >= n) return {Steadiness::warming, last.begin};
  return {Steadiness::no_steady_state, 0};
}

WarmUp class_of(const Line& line, std::size_t n, double relevant) {
  if (std::abs(line.slope) * static_cast<double>(n) < relevant) return {};
  return {line.slope > 0 ? Steadiness::slowing : Steadiness::no_steady_state, 0};
}

/// Steady from where the decay is lost in half the noise.
WarmUp class_of(const Decay& decay, std::size_t n, double relevant) {
  if (std::abs(decay.height) < relevant) return {};
  if (decay.height < 0) return {Steadiness::slowing, 0};
  const double lost = std::max(relevant, *deviation(decay.residuals) / 2);
  if (decay.height <= lost) return {};
  const auto begin = static_cast<std::size_t>(std::ceil(decay.life * std::log(decay.height / lost)));
  if (begin * 4 > n * 3) return {Steadiness::no_steady_state, 0};
  return {Steadiness::warming, begin};
}

}  // namespace

WarmUp find_warm_up(Values series) {
  if (series.size() < least_samples) return {};
  const std::size_t block = (series.size() + most_points - 1) / most_points;
  auto y = without_spikes(block > 1 ? in_blocks(series, block)
                                    : std::vector<double>(series.begin(), series.end()));
  const auto n = y.size();
  const double size = std::abs(*median(y));
  // Around 0, so that the sums of squares keep their digits.
  const double centre = *mean(y);
  for (auto& v : y) v -= centre;

  const double relevant = relevant_change * size;
  const double floor = std::max(noise_floor * size, std::numeric_limits<double>::min());
  const auto count = static_cast<double>(n);
  WarmUp found;
  double best = std::numeric_limits<double>::infinity();
  const auto consider = [&](double total, const auto& fit) {
    if (total >= best) return;
    best = total;
    found = class_of(fit, n, relevant);
  };
  for (const auto& levels : fit_levels(y)) {
    const auto changes = static_cast<double>(levels.size() - 1);
    consider(cost(residuals_of(levels, y), floor) + level_penalty(count) * changes, levels);
  }
  const auto line = fit_line(y);
  consider(cost(line.residuals, floor) + line_penalty(count), line);
  const auto decay = fit_decay(y);
  consider(cost(decay.residuals, floor) + level_penalty(count), decay);
  found.begin *= block;
  return found;
}

}  // namespace tare
