// Lanes<T, N>: N adjoints swept together. Only what the reverse sweep needs.
#pragma once

#include <array>
#include <cstddef>

namespace tare::ad {

template <class T, std::size_t N>
struct Lanes {
  std::array<T, N> lane{};

  Lanes() = default;
  explicit Lanes(const T& all) { lane.fill(all); }

  friend Lanes operator+(const Lanes& a, const Lanes& b) {
    Lanes sum;
    for (std::size_t i = 0; i < N; ++i) sum.lane[i] = a.lane[i] + b.lane[i];
    return sum;
  }
  friend Lanes operator*(const T& factor, const Lanes& a) {
    Lanes product;
    for (std::size_t i = 0; i < N; ++i) product.lane[i] = factor * a.lane[i];
    return product;
  }
  friend bool operator==(const Lanes& a, const Lanes& b) = default;
};

}  // namespace tare::ad
