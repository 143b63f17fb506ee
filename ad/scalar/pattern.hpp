// Sparsity patterns: which inputs an output depends on, and which pairs of inputs interact, found by running
// the function once on numbers that carry sets of inputs instead of derivatives. A pattern holds for the
// branches taken at that point; an entry that happens to be zero there is still part of it. Cost: a set is a
// sorted vector, united at every op; fine for the small sets that make a matrix sparse.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "ad/ops/table.hpp"

namespace tare::ad {

/// Row by row, the columns that may differ from zero, ascending.
struct Pattern {
  std::size_t columns = 0;
  std::vector<std::vector<std::uint32_t>> rows;

  [[nodiscard]] std::size_t entries() const {
    std::size_t count = 0;
    for (const auto& row : rows) count += row.size();
    return count;
  }
  [[nodiscard]] Pattern transposed() const {
    Pattern result{rows.size(), std::vector<std::vector<std::uint32_t>>(columns)};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const std::uint32_t j : rows[i]) result.rows[j].push_back(static_cast<std::uint32_t>(i));
    }
    return result;
  }
};

/// Columns that share no row get the same colour: greedy, in the order of the columns. Returns the colour of
/// each.
std::vector<std::uint32_t> colour_columns(const Pattern& pattern);

/// A number that knows which inputs it depends on.
class Traced {
 public:
  using Inputs = std::vector<std::uint32_t>;

  Traced() = default;
  template <class U>
    requires std::is_arithmetic_v<U>
  Traced(U value) : value_(static_cast<double>(value)) {}
  Traced(double value, Inputs inputs) : value_(value), inputs_(std::move(inputs)) {}

  [[nodiscard]] double value() const { return value_; }
  [[nodiscard]] const Inputs& inputs() const { return inputs_; }

  /// Interactions found since the last call; only collected while `collect` is on.
  static std::vector<std::pair<std::uint32_t, std::uint32_t>>& interactions();
  static bool& collect();

  friend Traced operator-(const Traced& a) { return {-a.value_, a.inputs_}; }
  friend Traced operator+(const Traced& a) { return a; }
  friend Traced operator+(const Traced& a, const Traced& b) { return {a.value_ + b.value_, united(a, b)}; }
  friend Traced operator-(const Traced& a, const Traced& b) { return {a.value_ - b.value_, united(a, b)}; }
  friend Traced operator*(const Traced& a, const Traced& b) {
    interact(a, b);
    return {a.value_ * b.value_, united(a, b)};
  }
  friend Traced operator/(const Traced& a, const Traced& b) {
    interact(a, b);
    interact(b, b);
    return {a.value_ / b.value_, united(a, b)};
  }
  template <class U>
  Traced& operator+=(const U& b) {
    return *this = *this + b;
  }
  template <class U>
  Traced& operator-=(const U& b) {
    return *this = *this - b;
  }
  template <class U>
  Traced& operator*=(const U& b) {
    return *this = *this * b;
  }
  template <class U>
  Traced& operator/=(const U& b) {
    return *this = *this / b;
  }
  friend bool operator==(const Traced& a, const Traced& b) { return a.value_ == b.value_; }
  friend bool operator!=(const Traced& a, const Traced& b) { return a.value_ != b.value_; }
  friend bool operator<(const Traced& a, const Traced& b) { return a.value_ < b.value_; }
  friend bool operator<=(const Traced& a, const Traced& b) { return a.value_ <= b.value_; }
  friend bool operator>(const Traced& a, const Traced& b) { return a.value_ > b.value_; }
  friend bool operator>=(const Traced& a, const Traced& b) { return a.value_ >= b.value_; }

  /// The union of what two numbers depend on.
  static Inputs united(const Traced& a, const Traced& b);
  /// Every input of a interacts with every input of b.
  static void interact(const Traced& a, const Traced& b);

 private:
  double value_ = 0;
  Inputs inputs_;
};

template <class Op>
inline Traced evaluate(const Op& op, const Traced& x) {
  if constexpr (!std::is_same_v<Op, ops::Abs>) Traced::interact(x, x);
  return {op.value(x.value()), x.inputs()};
}
template <class Op>
inline Traced evaluate(const Op& op, const Traced& a, const Traced& b) {
  if constexpr (!std::is_same_v<Op, ops::Min> && !std::is_same_v<Op, ops::Max>) {
    Traced::interact(a, a);
    Traced::interact(a, b);
    Traced::interact(b, b);
  }
  return {op.value(a.value(), b.value()), Traced::united(a, b)};
}

#define TARE_AD_FUNCTION(Op, name)                    \
  [[nodiscard]] inline Traced name(const Traced& x) { \
    return evaluate(ops::Op{}, x);                    \
  }
TARE_AD_UNARY_OPS(TARE_AD_FUNCTION)
TARE_AD_FUNCTION(Abs, fabs)
#undef TARE_AD_FUNCTION
#define TARE_AD_FUNCTION(Op, name)                                     \
  [[nodiscard]] inline Traced name(const Traced& a, const Traced& b) { \
    return evaluate(ops::Op{}, a, b);                                  \
  }
TARE_AD_BINARY_OPS(TARE_AD_FUNCTION)
#undef TARE_AD_FUNCTION
[[nodiscard]] inline Traced pow(const Traced& x, int exponent) {
  if (exponent != 0 && exponent != 1) Traced::interact(x, x);
  return {ops::PowInt{exponent}.value(x.value()), exponent == 0 ? Traced::Inputs{} : x.inputs()};
}
[[nodiscard]] inline Traced logsumexp(std::span<const Traced> x) {
  Traced all(0.0);
  std::vector<double> values;
  for (const Traced& each : x) {
    all = {0.0, Traced::united(all, each)};
    values.push_back(each.value());
  }
  Traced::interact(all, all);
  return {ops::LogSumExp{}.value(std::span<const double>(values)), all.inputs()};
}
[[nodiscard]] inline bool isfinite(const Traced& x) {
  return std::isfinite(x.value());
}
[[nodiscard]] inline bool isnan(const Traced& x) {
  return std::isnan(x.value());
}

namespace detail {

inline std::vector<Traced> traced_inputs(std::span<const double> x) {
  std::vector<Traced> in;
  for (std::size_t i = 0; i < x.size(); ++i)
    in.emplace_back(x[i], Traced::Inputs{static_cast<std::uint32_t>(i)});
  return in;
}

}  // namespace detail

/// Which inputs each output of f(in, out) depends on.
template <class F>
Pattern jacobian_pattern(F&& f, std::span<const double> x, std::size_t outputs) {
  const std::vector<Traced> in = detail::traced_inputs(x);
  std::vector<Traced> out(outputs);
  f(std::span<const Traced>(in), std::span<Traced>(out));
  Pattern pattern{x.size(), {}};
  for (const Traced& y : out) pattern.rows.push_back(y.inputs());
  return pattern;
}

/// Which pairs of inputs f(in) couples beyond the linear.
template <class F>
Pattern hessian_pattern(F&& f, std::span<const double> x) {
  const std::vector<Traced> in = detail::traced_inputs(x);
  Traced::interactions().clear();
  Traced::collect() = true;
  struct Off {
    ~Off() { Traced::collect() = false; }
  } off;
  (void)f(std::span<const Traced>(in));
  Pattern pattern{x.size(), std::vector<std::vector<std::uint32_t>>(x.size())};
  for (const auto& [i, j] : Traced::interactions()) {
    pattern.rows[i].push_back(j);
    pattern.rows[j].push_back(i);
  }
  for (auto& row : pattern.rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return pattern;
}

}  // namespace tare::ad
