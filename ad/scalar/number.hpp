// The machine number inside any of the engine's number types, for messages and checks.
#pragma once

#include "ad/ops/op.hpp"

namespace tare::ad::detail {

template <class T>
inline double as_double(const T& x) {
  if constexpr (Machine<T>) {
    return static_cast<double>(x);
  } else {
    return as_double(x.value());
  }
}

}  // namespace tare::ad::detail
