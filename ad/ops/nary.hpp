// logsumexp: log Σ exp(xᵢ), shifted by the largest argument so that nothing overflows. With no argument it is
// −∞, as the empty sum's logarithm.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "ad/ops/op.hpp"

namespace tare::ad::ops {

struct LogSumExp {
  static constexpr OpInfo info{"logsumexp", -1, 40, {-3, 3}};

  /// What value and derivatives share. The derivative in x is exp(x − largest) / total: taken from the
  /// logarithm itself it would lose as many digits as the arguments have before the point.
  template <class T>
  struct Parts {
    T largest;
    T total;

    [[nodiscard]] T value() const {
      using std::log;
      // All −∞, a +∞ or a NaN: the shift would turn the answer into NaN or lose it.
      return select(largest - largest == T(0), T(largest + log(total)), largest);
    }
    /// A softmax weight.
    [[nodiscard]] T partial(const T& x) const {
      using std::exp;
      return exp(x - largest) * (T(1) / total);
    }
  };

  /// at(i) is the i-th of n arguments.
  template <class T, class At>
  Parts<T> parts(std::size_t n, At at) const {
    using std::exp;
    T largest = T(-std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < n; ++i) {
      const T x = at(i);
      largest = select(x <= largest, largest, x);  // a NaN is kept too
    }
    T total(0);
    for (std::size_t i = 0; i < n; ++i) total = total + exp(at(i) - largest);
    return {largest, total};
  }
  template <class T>
  T value(std::span<const T> x) const {
    return parts<T>(x.size(), [&](std::size_t i) { return x[i]; }).value();
  }
};

}  // namespace tare::ad::ops
