// Shapes: up to eight sizes, plain values. The product of the sizes always fits 63 bits: whoever makes a
// shape from outside goes through checked().
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace tare::ad {

inline constexpr int most_axes = 8;

struct Shape {
  std::array<std::int64_t, most_axes> sizes;
  int rank = 0;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> list) : Shape(std::span(list.begin(), list.size())) {}
  /// More than eight sizes throw.
  explicit Shape(std::span<const std::int64_t> list);
  Shape(const Shape& other) : rank(other.rank) { std::copy_n(other.sizes.begin(), rank, sizes.begin()); }
  Shape& operator=(const Shape& other) {
    rank = other.rank;
    std::copy_n(other.sizes.begin(), rank, sizes.begin());
    return *this;
  }

  std::int64_t& operator[](int axis) { return sizes[static_cast<std::size_t>(axis)]; }
  const std::int64_t& operator[](int axis) const { return sizes[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::span<const std::int64_t> list() const {
    return {sizes.data(), static_cast<std::size_t>(rank)};
  }
  /// Number of elements: 1 without axes.
  [[nodiscard]] std::int64_t count() const {
    std::int64_t product = 1;
    for (int i = 0; i < rank; ++i) product *= (*this)[i];
    return product;
  }
  void push(std::int64_t size);
  friend bool operator==(const Shape& a, const Shape& b) { return std::ranges::equal(a.list(), b.list()); }
};

/// Strides in elements, of a shape's rank.
using Strides = Shape;

/// "[2, 3]"
std::string text_of(const Shape& shape);
Strides contiguous_strides(const Shape& shape);
/// Throws, naming the op, when a size is negative or the product overflows.
void check_sizes(std::string_view op, const Shape& shape);
/// The shape two operands broadcast to; throws with the op's name and both shapes when they do not.
Shape broadcast(std::string_view op, const Shape& a, const Shape& b);
/// Whether what the two broadcast to is `shape`.
bool stretches_to(const Shape& from, const Shape& shape);
/// From −rank … rank − 1 to 0 … rank − 1; throws.
int checked_axis(std::string_view op, std::int64_t axis, const Shape& shape);
/// Empty means all axes. The result is sorted; an axis named twice throws.
Shape checked_axes(std::string_view op, std::span<const std::int64_t> axes, const Shape& shape);

}  // namespace tare::ad
