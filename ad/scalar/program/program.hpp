// Program: a recorded computation as plain arrays in the order it was executed. Every node is a row of the op
// table applied to earlier nodes; the first nodes are the inputs. A comparison of recorded values decided
// which way the recorded code went: it stands here as a guard, so that a replay with other inputs can tell
// when the code would have gone another way.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ad/ops/table.hpp"
#include "ad/scalar/error.hpp"

namespace tare::ad {

/// A replay would not have taken the recorded branches.
struct ReplayError : AdError {
  using AdError::AdError;
};

enum class Comparison : std::uint8_t {
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  is_nan,
  is_inf,
  is_finite,
  sign_bit,
};

struct Node {
  OpCode code = OpCode::Input;
  std::uint32_t a = 0;  ///< first argument; of a constant its place in constants; of logsumexp in arguments
  std::uint32_t b = 0;  ///< second argument; of powi the exponent; of logsumexp the number of arguments
  std::uint32_t c = 0;  ///< of a custom op its place in customs
};

struct Guard {
  Comparison comparison;
  bool outcome;            ///< when it was recorded
  std::uint32_t a;         ///< nodes
  std::uint32_t b;         ///< for predicates of one argument the same as a
  std::uint32_t position;  ///< how many operations had been recorded before it
};

/// An op of the caller's inside a program. The functions are called at every replay, from any thread that
/// replays.
struct ScalarCustomOp {
  std::string name;
  int arity = 1;
  std::function<double(double, double)> value;
  std::function<double(double, double)> left;
  std::function<double(double, double)> right;
};

struct Program {
  std::size_t inputs = 0;
  std::vector<Node> nodes;
  std::vector<double> constants;
  std::vector<std::uint32_t> arguments;
  std::vector<Guard> guards;
  std::vector<ScalarCustomOp> customs;
  std::vector<std::uint32_t> outputs;
};

/// The values of all nodes, computed one by one with the op table's own rules: the reference every executor
/// is held against, and what messages take their values from.
std::vector<double> node_values(const Program& program, std::span<const double> x);

/// Operations of the program: nodes that are neither inputs nor constants.
std::size_t operations(const Program& program);

/// Says which comparison went the other way and for which values.
[[noreturn]] void throw_diverged(const Program& program, std::size_t guard, std::span<const double> x);

namespace detail {

/// How a comparison turns out: bool for numbers, a mask for what writes instructions.
template <class T>
auto outcome_of(Comparison comparison, const T& a, const T& b) -> decltype(a < b) {
  using std::abs, std::copysign;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (comparison) {
    case Comparison::less:
      return a < b;
    case Comparison::less_equal:
      return a <= b;
    case Comparison::greater:
      return a > b;
    case Comparison::greater_equal:
      return a >= b;
    case Comparison::equal:
      return a == b;
    case Comparison::not_equal:
      return a != b;
    case Comparison::is_nan:
      return a != a;  // NOLINT(misc-redundant-expression): only a NaN is
    case Comparison::is_inf:
      return abs(a) == T(infinity);
    case Comparison::is_finite:
      return abs(a) < T(infinity);
    case Comparison::sign_bit:
      break;
  }
  return copysign(T(1.0), a) < T(0.0);
}

}  // namespace detail

}  // namespace tare::ad
