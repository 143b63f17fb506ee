// What one scalar operation is: the shape every row of the op table has, and the facts tests and tools read.
// An op is an object (usually empty) with templates over the number type, so that the same rule serves
// double, float, dual numbers and, through them, second derivatives:
//   unary    value(x)      partial(x, y)                      y is the value already computed
//   binary   value(a, b)   left(a, b, y)   right(a, b, y)
// A rule is written with functions found by argument-dependent lookup, never with std:: spelled out, so that
// it can itself be differentiated, and with select() instead of a branch, so that it can be recorded once and
// replayed for other arguments. A rule that does branch (pow's) is called as a function there.
#pragma once

#include <string_view>
#include <type_traits>

namespace tare::ad {

/// Where an argument may be drawn from so that the op is defined and smooth there.
struct Range {
  double low;
  double high;
};

struct OpInfo {
  std::string_view name;
  int arity;            ///< -1: any number of arguments
  int flops;            ///< arithmetic of one evaluation; a library function counts as what it roughly costs
  Range first;          ///< good test inputs
  Range second{0, 0};   ///< only for binary ops
  bool kinked = false;  ///< has points without a derivative (abs at 0, max at a tie)
};

namespace ops {

template <class Op>
concept Unary = (Op::info.arity == 1);
template <class Op>
concept Binary = (Op::info.arity == 2);

}  // namespace ops

/// Number types whose arithmetic is the machine's own.
template <class T>
concept Machine = std::is_floating_point_v<T>;

/// a where the condition holds, else b; both are computed.
template <class T>
inline T select(bool condition, const T& a, const T& b) {
  return condition ? a : b;
}

/// The value of an op. Numbers that carry derivatives overload this, so that an op's own value rule only ever
/// runs on machine numbers: a stable formula stays stable under differentiation.
template <class Op, Machine T>
inline T evaluate(const Op& op, const T& x) {
  return op.value(x);
}
template <class Op, Machine T>
inline T evaluate(const Op& op, const T& a, const T& b) {
  return op.value(a, b);
}

}  // namespace tare::ad
