// Eigen matrices of active values and dual numbers. Include it where Eigen is present; nothing else here
// needs it.
#pragma once

#include <Eigen/Core>

#include "ad/scalar/dual.hpp"
#include "ad/scalar/functions.hpp"
#include "ad/scalar/real.hpp"

namespace Eigen {

template <class T>
struct NumTraits<tare::ad::Real<T>> : NumTraits<T> {
  using Real = tare::ad::Real<T>;
  using NonInteger = tare::ad::Real<T>;
  using Nested = tare::ad::Real<T>;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 8,
    MulCost = 10,
  };
};

template <class T, std::size_t N>
struct NumTraits<tare::ad::Dual<T, N>> : NumTraits<T> {
  using Real = tare::ad::Dual<T, N>;
  using NonInteger = tare::ad::Dual<T, N>;
  using Nested = tare::ad::Dual<T, N>;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1 + N,
    AddCost = 1 + N,
    MulCost = 1 + 2 * N,
  };
};

template <class T, class Op>
struct ScalarBinaryOpTraits<tare::ad::Real<T>, T, Op> {
  using ReturnType = tare::ad::Real<T>;
};
template <class T, class Op>
struct ScalarBinaryOpTraits<T, tare::ad::Real<T>, Op> {
  using ReturnType = tare::ad::Real<T>;
};
template <class T, std::size_t N, class Op>
struct ScalarBinaryOpTraits<tare::ad::Dual<T, N>, T, Op> {
  using ReturnType = tare::ad::Dual<T, N>;
};
template <class T, std::size_t N, class Op>
struct ScalarBinaryOpTraits<T, tare::ad::Dual<T, N>, Op> {
  using ReturnType = tare::ad::Dual<T, N>;
};

}  // namespace Eigen
