// The ops of one argument. Derivatives use the value where that is cheaper and no less exact. Kinks: abs has
// derivative 0 at 0.
#pragma once

#include <cmath>
#include <numbers>

#include "ad/ops/op.hpp"

namespace tare::ad::ops {

struct Neg {
  static constexpr OpInfo info{"neg", 1, 1, {-3, 3}};
  template <class T>
  T value(const T& x) const {
    return -x;
  }
  template <class T>
  T partial(const T&, const T&) const {
    return T(-1);
  }
};

struct Square {
  static constexpr OpInfo info{"square", 1, 1, {-3, 3}};
  template <class T>
  T value(const T& x) const {
    return x * x;
  }
  template <class T>
  T partial(const T& x, const T&) const {
    return x + x;
  }
};

/// x to a fixed whole power, by repeated squaring: at most 2·log2|n| roundings.
struct PowInt {
  static constexpr OpInfo info{"powi", 1, 4, {0.3, 2.5}};
  int exponent = 3;

  template <class T>
  static T power(T base, int n) {
    unsigned left = n < 0 ? 0U - static_cast<unsigned>(n) : static_cast<unsigned>(n);
    T result(1);
    for (; left != 0; left >>= 1U) {
      if ((left & 1U) != 0) result = result * base;
      if (left > 1) base = base * base;
    }
    return n < 0 ? T(1) / result : result;
  }
  template <class T>
  T value(const T& x) const {
    return power(x, exponent);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    return exponent == 0 ? T(0) : T(exponent) * power(x, exponent - 1);
  }
};

struct Exp {
  static constexpr OpInfo info{"exp", 1, 20, {-3, 3}};
  template <class T>
  T value(const T& x) const {
    using std::exp;
    return exp(x);
  }
  template <class T>
  T partial(const T&, const T& y) const {
    return y;
  }
};

struct Exp2 {
  static constexpr OpInfo info{"exp2", 1, 20, {-3, 3}};
  template <class T>
  T value(const T& x) const {
    using std::exp2;
    return exp2(x);
  }
  template <class T>
  T partial(const T&, const T& y) const {
    return y * T(std::numbers::ln2);
  }
};

struct Expm1 {
  static constexpr OpInfo info{"expm1", 1, 20, {-3, 3}};
  template <class T>
  T value(const T& x) const {
    using std::expm1;
    return expm1(x);
  }
  template <class T>
  T partial(const T&, const T& y) const {
    return y + T(1);
  }
};

struct Log {
  static constexpr OpInfo info{"log", 1, 20, {0.2, 4}};
  template <class T>
  T value(const T& x) const {
    using std::log;
    return log(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    return T(1) / x;
  }
};

struct Log1p {
  static constexpr OpInfo info{"log1p", 1, 20, {-0.7, 4}};
  template <class T>
  T value(const T& x) const {
    using std::log1p;
    return log1p(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    return T(1) / (T(1) + x);
  }
};

struct Log2 {
  static constexpr OpInfo info{"log2", 1, 20, {0.2, 4}};
  template <class T>
  T value(const T& x) const {
    using std::log2;
    return log2(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    return T(std::numbers::log2e) / x;
  }
};

struct Log10 {
  static constexpr OpInfo info{"log10", 1, 20, {0.2, 4}};
  template <class T>
  T value(const T& x) const {
    using std::log10;
    return log10(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    return T(std::numbers::log10e) / x;
  }
};

struct Sqrt {
  static constexpr OpInfo info{"sqrt", 1, 4, {0.2, 4}};
  template <class T>
  T value(const T& x) const {
    using std::sqrt;
    return sqrt(x);
  }
  template <class T>
  T partial(const T&, const T& y) const {
    return T(0.5) / y;
  }
};

struct Cbrt {
  static constexpr OpInfo info{"cbrt", 1, 20, {0.2, 4}};
  template <class T>
  T value(const T& x) const {
    using std::cbrt;
    return cbrt(x);
  }
  template <class T>
  T partial(const T&, const T& y) const {
    return T(1) / (T(3) * (y * y));
  }
};

struct Abs {
  static constexpr OpInfo info{"abs", 1, 1, {-3, 3}, {0, 0}, true};
  template <class T>
  T value(const T& x) const {
    using std::abs;
    return abs(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    return select(x > T(0), T(1), select(x < T(0), T(-1), T(0)));
  }
};

struct Erf {
  static constexpr OpInfo info{"erf", 1, 20, {-2, 2}};
  template <class T>
  T value(const T& x) const {
    using std::erf;
    return erf(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    using std::exp;
    return T(2 * std::numbers::inv_sqrtpi) * exp(-(x * x));
  }
};

struct Erfc {
  static constexpr OpInfo info{"erfc", 1, 20, {-2, 2}};
  template <class T>
  T value(const T& x) const {
    using std::erfc;
    return erfc(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    using std::exp;
    return T(-2 * std::numbers::inv_sqrtpi) * exp(-(x * x));
  }
};

/// log(1 + exp(x)) without overflow.
struct Softplus {
  static constexpr OpInfo info{"softplus", 1, 40, {-4, 4}};
  template <class T>
  T value(const T& x) const {
    using std::exp;
    using std::log1p;
    const T rest = log1p(exp(select(x > T(0), T(-x), x)));
    return select(x > T(0), T(x + rest), rest);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    using std::exp;
    // Not -abs(x): its slope of 0 at 0 would be wrong in the second derivative.
    const T e = exp(select(x > T(0), T(-x), x));
    const T larger = T(1) / (T(1) + e);
    return select(x > T(0), larger, T(e * larger));
  }
};

struct Sigmoid {
  static constexpr OpInfo info{"sigmoid", 1, 22, {-4, 4}};
  template <class T>
  T value(const T& x) const {
    using std::exp;
    const T e = exp(select(x >= T(0), T(-x), x));
    return select(x >= T(0), T(1), e) / (T(1) + e);
  }
  template <class T>
  T partial(const T&, const T& y) const {
    return y * (T(1) - y);
  }
};

}  // namespace tare::ad::ops
