// Circular and hyperbolic ops of one argument.
#pragma once

#include <cmath>

#include "ad/ops/op.hpp"

namespace tare::ad::ops {

struct Sin {
  static constexpr OpInfo info{"sin", 1, 20, {-3, 3}};
  template <class T>
  T value(const T& x) const {
    using std::sin;
    return sin(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    using std::cos;
    return cos(x);
  }
};

struct Cos {
  static constexpr OpInfo info{"cos", 1, 20, {-3, 3}};
  template <class T>
  T value(const T& x) const {
    using std::cos;
    return cos(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    using std::sin;
    return -sin(x);
  }
};

struct Tan {
  static constexpr OpInfo info{"tan", 1, 20, {-1.2, 1.2}};
  template <class T>
  T value(const T& x) const {
    using std::tan;
    return tan(x);
  }
  template <class T>
  T partial(const T&, const T& y) const {
    return T(1) + y * y;
  }
};

struct Asin {
  static constexpr OpInfo info{"asin", 1, 20, {-0.9, 0.9}};
  template <class T>
  T value(const T& x) const {
    using std::asin;
    return asin(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    using std::sqrt;
    return T(1) / sqrt((T(1) - x) * (T(1) + x));
  }
};

struct Acos {
  static constexpr OpInfo info{"acos", 1, 20, {-0.9, 0.9}};
  template <class T>
  T value(const T& x) const {
    using std::acos;
    return acos(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    using std::sqrt;
    return T(-1) / sqrt((T(1) - x) * (T(1) + x));
  }
};

struct Atan {
  static constexpr OpInfo info{"atan", 1, 20, {-3, 3}};
  template <class T>
  T value(const T& x) const {
    using std::atan;
    return atan(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    return T(1) / (T(1) + x * x);
  }
};

struct Sinh {
  static constexpr OpInfo info{"sinh", 1, 20, {-2, 2}};
  template <class T>
  T value(const T& x) const {
    using std::sinh;
    return sinh(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    using std::cosh;
    return cosh(x);
  }
};

struct Cosh {
  static constexpr OpInfo info{"cosh", 1, 20, {-2, 2}};
  template <class T>
  T value(const T& x) const {
    using std::cosh;
    return cosh(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    using std::sinh;
    return sinh(x);
  }
};

struct Tanh {
  static constexpr OpInfo info{"tanh", 1, 20, {-2, 2}};
  template <class T>
  T value(const T& x) const {
    using std::tanh;
    return tanh(x);
  }
  template <class T>
  T partial(const T&, const T& y) const {
    return (T(1) - y) * (T(1) + y);
  }
};

struct Asinh {
  static constexpr OpInfo info{"asinh", 1, 20, {-3, 3}};
  template <class T>
  T value(const T& x) const {
    using std::asinh;
    return asinh(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    using std::sqrt;
    return T(1) / sqrt(T(1) + x * x);
  }
};

struct Acosh {
  static constexpr OpInfo info{"acosh", 1, 20, {1.2, 4}};
  template <class T>
  T value(const T& x) const {
    using std::acosh;
    return acosh(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    using std::sqrt;
    return T(1) / sqrt((x - T(1)) * (x + T(1)));
  }
};

struct Atanh {
  static constexpr OpInfo info{"atanh", 1, 20, {-0.8, 0.8}};
  template <class T>
  T value(const T& x) const {
    using std::atanh;
    return atanh(x);
  }
  template <class T>
  T partial(const T& x, const T&) const {
    return T(1) / ((T(1) - x) * (T(1) + x));
  }
};

}  // namespace tare::ad::ops
