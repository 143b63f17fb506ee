// Lifted: a tensor as a number type. The scalar rules of ad/ops, called with it, become tensor ops: a
// derivative that is recorded or captured itself comes from the same rule as the fused kernel.
#pragma once

#include <cmath>

#include "ad/tensor/ops.hpp"

namespace tare::ad::detail {

struct LiftedMask {
  Tensor condition;
};

struct Lifted {
  Tensor tensor;  ///< undefined: the number below
  double number = 0;

  explicit Lifted(double value) : number(value) {}
  explicit Lifted(int value) : number(value) {}
  explicit Lifted(Tensor value) : tensor(std::move(value)) {}

  [[nodiscard]] bool plain() const { return !tensor.defined(); }
  [[nodiscard]] bool is(double value) const { return plain() && number == value; }
  [[nodiscard]] Tensor beside(const Lifted& other) const {
    return plain() ? number_beside(number, other.tensor) : tensor;
  }
};

template <class F, class G>
Lifted lifted_binary(const Lifted& a, const Lifted& b, F numbers, G tensors) {
  if (a.plain() && b.plain()) return Lifted(numbers(a.number, b.number));
  return Lifted(tensors(a.beside(b), b.beside(a)));
}

inline Lifted operator+(const Lifted& a, const Lifted& b) {
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return lifted_binary(
      a, b, [](double x, double y) { return x + y; },
      [](const Tensor& x, const Tensor& y) { return add(x, y); });
}
inline Lifted operator-(const Lifted& a, const Lifted& b) {
  if (b.is(0)) return a;
  return lifted_binary(
      a, b, [](double x, double y) { return x - y; },
      [](const Tensor& x, const Tensor& y) { return sub(x, y); });
}
inline Lifted operator*(const Lifted& a, const Lifted& b) {
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  return lifted_binary(
      a, b, [](double x, double y) { return x * y; },
      [](const Tensor& x, const Tensor& y) { return mul(x, y); });
}
inline Lifted operator/(const Lifted& a, const Lifted& b) {
  if (b.is(1)) return a;
  return lifted_binary(
      a, b, [](double x, double y) { return x / y; },
      [](const Tensor& x, const Tensor& y) { return div(x, y); });
}
inline Lifted operator-(const Lifted& a) {
  return a.plain() ? Lifted(-a.number) : Lifted(neg(a.tensor));
}

inline LiftedMask operator<(const Lifted& a, const Lifted& b) {
  return {less(a.beside(b), b.beside(a))};
}
inline LiftedMask operator<=(const Lifted& a, const Lifted& b) {
  return {less_equal(a.beside(b), b.beside(a))};
}
inline LiftedMask operator>(const Lifted& a, const Lifted& b) {
  return b < a;
}
inline LiftedMask operator>=(const Lifted& a, const Lifted& b) {
  return b <= a;
}
inline LiftedMask operator==(const Lifted& a, const Lifted& b) {
  return {equal(a.beside(b), b.beside(a))};
}

inline Lifted select(const LiftedMask& m, const Lifted& a, const Lifted& b) {
  // Two plain numbers have no tensor to take the type from: the mask's users give it, so f32 is the least.
  if (a.plain() && b.plain()) {
    return Lifted(
        where(m.condition, Tensor::scalar(a.number, DType::f32), Tensor::scalar(b.number, DType::f32)));
  }
  return Lifted(where(m.condition, a.beside(b), b.beside(a)));
}

#define TARE_AD_LIFTED(Type, name)      \
  inline Lifted name(const Lifted& x) { \
    return Lifted(ad::name(x.tensor));  \
  }
TARE_AD_UNARY_OPS(TARE_AD_LIFTED)
TARE_AD_TENSOR_UNARY_OPS(TARE_AD_LIFTED)
#undef TARE_AD_LIFTED
inline Lifted pow(const Lifted& x, const Lifted& exponent) {
  if (exponent.plain()) return Lifted(ad::pow(x.tensor, exponent.number));
  return Lifted(ad::pow(x.beside(exponent), exponent.tensor));
}

}  // namespace tare::ad::detail
