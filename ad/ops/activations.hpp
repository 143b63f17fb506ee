// Pointwise ops that tensors have and the scalar tape does not need: activations, rounding, and ops with
// fixed numbers. Kinks take the derivative 0.
#pragma once

#include <cmath>
#include <numbers>

#include "ad/ops/op.hpp"

namespace tare::ad::ops {

struct Relu {
  static constexpr OpInfo info{"relu", 1, 1, {-3, 3}, {0, 0}, true};
  template <class T>
  T value(const T& x) const {
    return select(x > T(0), x, select(x <= T(0), T(0), x));  // NaN stays NaN
  }
  template <class T>
  T partial(const T&, const T& y) const {
    return select(y > T(0), T(1), T(0));
  }
};

/// x·Φ(x), by the error function.
struct Gelu {
  static constexpr OpInfo info{"gelu", 1, 24, {-3, 3}};
  template <class T>
  T value(const T& x) const {
    using std::erf;
    return T(0.5) * x * (T(1) + erf(x * T(std::numbers::sqrt2 / 2)));
  }
  template <class T>
  T partial(const T& x, const T&) const {
    using std::erf;
    using std::exp;
    const T density = T(std::numbers::inv_sqrtpi / std::numbers::sqrt2) * exp(T(-0.5) * (x * x));
    return T(0.5) * (T(1) + erf(x * T(std::numbers::sqrt2 / 2))) + x * density;
  }
};

/// x·sigmoid(x).
struct Silu {
  static constexpr OpInfo info{"silu", 1, 23, {-3, 3}};
  template <class T>
  static T sigmoid(const T& x) {
    using std::exp;
    const T e = exp(select(x >= T(0), T(-x), x));
    return select(x >= T(0), T(1), e) / (T(1) + e);
  }
  template <class T>
  T value(const T& x) const {
    return x * sigmoid(x);
  }
  template <class T>
  T partial(const T& x, const T& y) const {
    const T s = sigmoid(x);
    return s + y * (T(1) - s);
  }
};

struct Reciprocal {
  static constexpr OpInfo info{"reciprocal", 1, 4, {0.4, 3}};
  template <class T>
  T value(const T& x) const {
    return T(1) / x;
  }
  template <class T>
  T partial(const T&, const T& y) const {
    return -(y * y);
  }
};

struct Rsqrt {
  static constexpr OpInfo info{"rsqrt", 1, 8, {0.3, 4}};
  template <class T>
  T value(const T& x) const {
    using std::sqrt;
    return T(1) / sqrt(x);
  }
  template <class T>
  T partial(const T&, const T& y) const {
    return T(-0.5) * (y * y * y);
  }
};

struct Sign {
  static constexpr OpInfo info{"sign", 1, 1, {-3, 3}, {0, 0}, true};
  template <class T>
  T value(const T& x) const {
    return select(x > T(0), T(1), select(x < T(0), T(-1), x));
  }
  template <class T>
  T partial(const T&, const T&) const {
    return T(0);
  }
};

struct Floor {
  static constexpr OpInfo info{"floor", 1, 1, {-3, 3}, {0, 0}, true};
  template <class T>
  T value(const T& x) const {
    using std::floor;
    return floor(x);
  }
  template <class T>
  T partial(const T&, const T&) const {
    return T(0);
  }
};

/// Between two fixed numbers; the slope is 1 on the bounds themselves.
struct Clamp {
  static constexpr OpInfo info{"clamp", 1, 2, {-3, 3}, {0, 0}, true};
  double low = -1;
  double high = 1;
  template <class T>
  T value(const T& x) const {
    const T raised = select(x < T(low), T(low), x);
    return select(raised > T(high), T(high), raised);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    return select(x < T(low), T(0), select(x > T(high), T(0), T(1)));
  }
};

/// To a fixed power.
struct Power {
  static constexpr OpInfo info{"power", 1, 50, {0.3, 3}};
  double exponent = 1.5;
  template <class T>
  T value(const T& x) const {
    using std::pow;
    return pow(x, T(exponent));
  }
  template <class T>
  T partial(const T& x, const T&) const {
    using std::pow;
    return T(exponent) * pow(x, T(exponent - 1));
  }
};

}  // namespace tare::ad::ops

// clang-format off
/// X(Op type, function name) for every unary op that only tensors have and that takes no numbers.
#define TARE_AD_TENSOR_UNARY_OPS(X) \
  X(Relu, relu) X(Gelu, gelu) X(Silu, silu) X(Reciprocal, reciprocal) X(Rsqrt, rsqrt) X(Sign, sign) X(Floor, floor)
// clang-format on
