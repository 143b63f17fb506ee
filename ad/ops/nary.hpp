// logsumexp: log Σ exp(xᵢ), shifted by the largest argument so that nothing overflows. With no argument it is −∞,
// as the empty sum's logarithm.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "ad/ops/op.hpp"

namespace tare::ad::ops {

struct LogSumExp {
  static constexpr OpInfo info{"logsumexp", -1, 40, {-3, 3}};

  /// at(i) is the i-th of n arguments.
  template <class T, class At>
  T value_of(std::size_t n, At at) const {
    using std::exp;
    using std::log;
    T largest = T(-std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < n; ++i) {
      const T x = at(i);
      if (x > largest || x != x) largest = x;
    }
    // All −∞, a +∞ or a NaN: the shift would turn the answer into NaN or lose it.
    if (!(largest - largest == T(0))) return largest;
    T sum(0);
    for (std::size_t i = 0; i < n; ++i) sum = sum + exp(at(i) - largest);
    return largest + log(sum);
  }
  template <class T>
  T value(std::span<const T> x) const {
    return value_of<T>(x.size(), [&](std::size_t i) { return x[i]; });
  }
  /// The derivative in the argument x, given the value y: a softmax weight.
  template <class T>
  T partial(const T& x, const T& y) const {
    using std::exp;
    return exp(x - y);
  }
};

}  // namespace tare::ad::ops
