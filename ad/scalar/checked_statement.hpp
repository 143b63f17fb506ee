// The slow path of a statement: nothing is recording, the memory is used up, or the checks are on. With
// checks every node of the expression is visited, so a message can name the op and the numbers it was given.
#pragma once

#include <array>
#include <cmath>

#include "ad/scalar/recorder.hpp"

namespace tare::ad::detail {

template <class T>
struct StatementChecker {
  const Recorder<T>& recorder;

  static bool finite(const T& x) { return std::isfinite(as_double(x)); }

  void leaf(const Leaf<T>& leaf) const {
    if (recorder.checks().stale) recorder.check_id("statement", leaf.id);
  }
  template <class N>
  void unary(const N& node) const {
    if (!recorder.checks().non_finite || !finite(node.a.value)) return;
    const std::array<double, 1> at{as_double(node.a.value)};
    report(node.op.info.name, at.data(), at.size(), node.value, T(node.op.partial(node.a.value, node.value)));
  }
  template <class N>
  void binary(const N& node) const {
    if (!recorder.checks().non_finite || !finite(node.a.value) || !finite(node.b.value)) return;
    const std::array<double, 2> at{as_double(node.a.value), as_double(node.b.value)};
    T left(0);
    T right(0);
    if constexpr (decltype(node.a)::leaves != 0) left = node.op.left(node.a.value, node.b.value, node.value);
    if constexpr (decltype(node.b)::leaves != 0)
      right = node.op.right(node.a.value, node.b.value, node.value);
    report(node.op.info.name, at.data(), at.size(), node.value, left);
    report(node.op.info.name, at.data(), at.size(), node.value, right);
  }

 private:
  static void report(std::string_view op, const double* at, std::size_t n, const T& value, const T& partial) {
    if (!finite(value)) throw_non_finite(op, as_double(value), at, n, false);
    if (!finite(partial)) throw_non_finite(op, as_double(partial), at, n, true);
  }
};

template <class T, class E>  // NOLINTNEXTLINE(performance-unnecessary-value-param): see cursor.hpp
[[gnu::noinline, gnu::cold]] Recorded<T> record_slowly(E expression) {
  Cursor<T>& at = cursor<T>;
  if (at.owner == nullptr) return {expression.value, 0};
  if (at.owner->checks().stale || at.owner->checks().non_finite) {
    StatementChecker<T> checker{*at.owner};
    expression.visit(checker);
  }
  if constexpr (Shift<E>::value) {
    return {expression.value, Shift<E>::id(expression)};
  } else {
    if (at.owner->full()) throw_limit("statement", at.owner->bytes_limit());
    return {expression.value, record_within(at, expression)};
  }
}

}  // namespace tare::ad::detail
