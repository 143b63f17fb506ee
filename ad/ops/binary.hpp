// The ops of two arguments. At a tie min and max pass everything to the first argument; hypot has derivative
// 0 at the origin; pow has derivative 0 in the exponent where the base is 0.
#pragma once

#include <cmath>

#include "ad/ops/op.hpp"

namespace tare::ad::ops {

struct Add {
  static constexpr OpInfo info{"add", 2, 1, {-3, 3}, {-3, 3}};
  template <class T>
  T value(const T& a, const T& b) const {
    return a + b;
  }
  template <class T>
  T left(const T&, const T&, const T&) const {
    return T(1);
  }
  template <class T>
  T right(const T&, const T&, const T&) const {
    return T(1);
  }
};

struct Sub {
  static constexpr OpInfo info{"sub", 2, 1, {-3, 3}, {-3, 3}};
  template <class T>
  T value(const T& a, const T& b) const {
    return a - b;
  }
  template <class T>
  T left(const T&, const T&, const T&) const {
    return T(1);
  }
  template <class T>
  T right(const T&, const T&, const T&) const {
    return T(-1);
  }
};

struct Mul {
  static constexpr OpInfo info{"mul", 2, 1, {-3, 3}, {-3, 3}};
  template <class T>
  T value(const T& a, const T& b) const {
    return a * b;
  }
  template <class T>
  T left(const T&, const T& b, const T&) const {
    return b;
  }
  template <class T>
  T right(const T& a, const T&, const T&) const {
    return a;
  }
};

struct Div {
  static constexpr OpInfo info{"div", 2, 4, {-3, 3}, {0.4, 3}};
  template <class T>
  T value(const T& a, const T& b) const {
    return a / b;
  }
  template <class T>
  T left(const T&, const T& b, const T&) const {
    return T(1) / b;
  }
  template <class T>
  T right(const T&, const T& b, const T& y) const {
    return -y * (T(1) / b);
  }
};

struct Pow {
  static constexpr OpInfo info{"pow", 2, 50, {0.3, 3}, {-2, 3}};
  template <class T>
  T value(const T& a, const T& b) const {
    using std::pow;
    return pow(a, b);
  }
  template <class T>
  T left(const T& a, const T& b, const T& y) const {
    using std::abs;
    using std::pow;
    if (b == T(0)) return T(0);
    // y·b/a spares a second pow; where y has left the normal range it would lose digits.
    if (abs(y) > T(1e-30) && abs(y) < T(1e30) && abs(a) > T(1e-30)) return b * y / a;
    return b * pow(a, b - T(1));
  }
  template <class T>
  T right(const T& a, const T&, const T& y) const {
    using std::log;
    return select(a == T(0), T(0), T(y * log(a)));
  }
};

struct Atan2 {
  static constexpr OpInfo info{"atan2", 2, 25, {0.3, 3}, {-3, 3}};
  template <class T>
  T value(const T& a, const T& b) const {
    using std::atan2;
    return atan2(a, b);
  }
  template <class T>
  T left(const T& a, const T& b, const T&) const {
    return b / (a * a + b * b);
  }
  template <class T>
  T right(const T& a, const T& b, const T&) const {
    return -a / (a * a + b * b);
  }
};

struct Hypot {
  static constexpr OpInfo info{"hypot", 2, 8, {0.3, 3}, {-3, 3}};
  template <class T>
  T value(const T& a, const T& b) const {
    using std::hypot;
    return hypot(a, b);
  }
  template <class T>
  T left(const T& a, const T&, const T& y) const {
    return select(y == T(0), T(0), T(a / y));
  }
  template <class T>
  T right(const T&, const T& b, const T& y) const {
    return select(y == T(0), T(0), T(b / y));
  }
};

struct Min {
  static constexpr OpInfo info{"min", 2, 1, {-3, 3}, {-3, 3}, true};
  template <class T>
  T value(const T& a, const T& b) const {
    return select(b < a, b, a);
  }
  template <class T>
  T left(const T& a, const T& b, const T&) const {
    return select(b < a, T(0), T(1));
  }
  template <class T>
  T right(const T& a, const T& b, const T&) const {
    return select(b < a, T(1), T(0));
  }
};

struct Max {
  static constexpr OpInfo info{"max", 2, 1, {-3, 3}, {-3, 3}, true};
  template <class T>
  T value(const T& a, const T& b) const {
    return select(a < b, b, a);
  }
  template <class T>
  T left(const T& a, const T& b, const T&) const {
    return select(a < b, T(0), T(1));
  }
  template <class T>
  T right(const T& a, const T& b, const T&) const {
    return select(a < b, T(1), T(0));
  }
};

}  // namespace tare::ad::ops
