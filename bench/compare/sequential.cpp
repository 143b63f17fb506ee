#include "bench/compare/sequential.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "bench/analyse/distributions.hpp"

namespace tare {
namespace {

constexpr double spending_power = 2;
constexpr double closest_looks = 1e-4;
/// In standard deviations: what lies beyond weighs less than 1e-18.
constexpr double far = 9;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Gauss-Legendre of 8 points on (−1, 1).
constexpr double abscissas[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                0.9602898564975363};
constexpr double weights[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
/// Widest panel, in standard deviations of the narrowest kernel: the product of two such kernels is
/// integrated to nine digits.
constexpr double panel = 2;

void check_alpha(double alpha, const char* operation) {
  if (!(alpha > 0 && alpha < 1))
    throw std::invalid_argument(
        fmt::format("{}: alpha is {}, but must be between 0 and 1", operation, alpha));
}

void check_fractions(std::span<const double> fractions, const char* operation) {
  double before = 0;
  for (const double fraction : fractions) {
    if (!(fraction > 0 && fraction <= 1 && fraction >= before))
      throw std::invalid_argument(fmt::format("{}: fraction {} after {}, but fractions ascend within (0, 1]",
                                              operation, fraction, before));
    before = fraction;
  }
}

std::vector<double> apart(std::span<const double> fractions) {
  std::vector<double> times;
  double before = 0;
  for (const double fraction : fractions)
    times.push_back(before = std::max(fraction, before + closest_looks));
  return times;
}

double upper_tail(double x) {
  return std::erfc(x / std::numbers::sqrt2) / 2;
}

/// The distance from zero of a Brownian motion that has not crossed a boundary yet, as masses at nodes.
class Walk {
 public:
  /// Moves on to the next look, at time `time`.
  void step(double time) {
    sigma_ = std::sqrt(time - time_);
    time_ = time;
  }

  /// Probability of being at `boundary` or beyond, for the first time, at this look.
  [[nodiscard]] double exit(double boundary) const {
    double sum = 0;
    for (const auto& [place, mass] : nodes_)
      sum += mass * (upper_tail((boundary - place) / sigma_) + upper_tail((boundary + place) / sigma_));
    return sum;
  }

  /// The boundary whose exit probability is `probability`. Newton's method on its logarithm: that is concave,
  /// so from a boundary too far out it descends. Too far out are the boundary of a walk that could not have
  /// crossed before, and the one of a walk that stands where it would have crossed at the last look.
  [[nodiscard]] double boundary(double probability) const {
    const double z = -normal_quantile(probability / 2);
    double at = std::min(z * std::sqrt(time_), end_ + z * sigma_);
    for (int i = 0; i < 50; ++i) {
      const double here = exit(at);
      const double change = here / density(at) * std::log(here / probability);
      at = std::max(0.0, at + change);
      if (std::abs(change) < 1e-12 * at) break;
    }
    return at;
  }

  /// Goes on with what stayed inside. `next_sigma` is the deviation of the step to come.
  void stay_below(double boundary, double next_sigma) {
    end_ = std::min(boundary, far * std::sqrt(time_));
    const auto panels = static_cast<std::size_t>(std::ceil(end_ / (panel * std::min(sigma_, next_sigma))));
    const double half = end_ / (2 * static_cast<double>(panels));
    std::vector<Node> inside;
    inside.reserve(panels * 2 * std::size(abscissas));
    for (std::size_t i = 0; i < panels; ++i) {
      const double middle = static_cast<double>(2 * i + 1) * half;
      for (std::size_t k = std::size(abscissas); k-- > 0;)
        add(inside, middle - half * abscissas[k], half * weights[k]);
      for (std::size_t k = 0; k < std::size(abscissas); ++k)
        add(inside, middle + half * abscissas[k], half * weights[k]);
    }
    nodes_ = std::move(inside);
  }

 private:
  struct Node {
    double place;
    double mass;
  };

  void add(std::vector<Node>& inside, double place, double weight) const {
    inside.push_back({place, weight * density(place)});
  }

  /// Of the distance at this look, over walks that have not crossed before. The nodes ascend: only those
  /// within reach are visited.
  [[nodiscard]] double density(double at) const {
    const auto from = std::partition_point(nodes_.begin(), nodes_.end(),
                                           [&](const Node& n) { return n.place < at - far * sigma_; });
    double sum = 0;
    for (auto node = from; node != nodes_.end() && node->place < at + far * sigma_; ++node) {
      const double near = (at - node->place) / sigma_, mirrored = (at + node->place) / sigma_;
      sum += node->mass * (std::exp(-near * near / 2) + std::exp(-mirrored * mirrored / 2));
    }
    return sum / (sigma_ * std::sqrt(2 * std::numbers::pi));
  }

  double time_ = 0;
  double sigma_ = 0;
  double end_ = 0;  ///< where the nodes end
  std::vector<Node> nodes_{{0, 1}};
};

double next_sigma(std::span<const double> times, std::size_t look) {
  return look + 1 < times.size() ? std::sqrt(times[look + 1] - times[look]) : infinity;
}

}  // namespace

double spent_alpha(double fraction, double alpha) {
  check_alpha(alpha, "spent_alpha");
  check_fractions(std::span(&fraction, 1), "spent_alpha");
  return alpha * std::pow(fraction, spending_power);
}

std::vector<double> nominal_levels(std::span<const double> fractions, double alpha, bool final_look) {
  check_alpha(alpha, "nominal_levels");
  check_fractions(fractions, "nominal_levels");
  const auto times = apart(fractions);
  std::vector<double> levels;
  double spent = 0;
  Walk walk;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool all = final_look && i + 1 == times.size();
    const double allowed = (all ? alpha : spent_alpha(fractions[i], alpha)) - spent;
    walk.step(times[i]);
    const double boundary = allowed > 0 ? walk.boundary(allowed) : infinity;
    levels.push_back(2 * upper_tail(boundary / std::sqrt(times[i])));
    if (i + 1 < times.size()) walk.stay_below(boundary, next_sigma(times, i));
    spent += std::max(allowed, 0.0);
  }
  return levels;
}

double sequential_p(std::span<const double> fractions, std::span<const double> levels, double nominal_p) {
  check_fractions(fractions, "sequential_p");
  if (fractions.empty() || levels.size() != fractions.size())
    throw std::invalid_argument(
        fmt::format("sequential_p: {} levels for {} looks", levels.size(), fractions.size()));
  if (!(nominal_p >= 0 && nominal_p <= 1))
    throw std::invalid_argument(fmt::format("sequential_p: the nominal p is {}", nominal_p));
  const auto boundary = [](double level, double time) {
    return level > 0 ? std::sqrt(time) * -normal_quantile(level / 2) : infinity;
  };
  const auto times = apart(fractions);
  double crossed = 0;
  Walk walk;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    walk.step(times[i]);
    const double limit = boundary(levels[i], times[i]);
    crossed += walk.exit(limit);
    walk.stay_below(limit, next_sigma(times, i));
  }
  walk.step(times.back());
  return std::min(1.0, crossed + walk.exit(boundary(nominal_p, times.back())));
}

}  // namespace tare
