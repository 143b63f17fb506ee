#include "ad/tensor/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ad/support/error.hpp"

namespace tare::ad {

Shape::Shape(std::span<const std::int64_t> list) {
  if (list.size() > most_axes)
    throw AdError(fmt::format("shape: {} axes, at most {} are possible", list.size(), most_axes));
  for (const auto size : list) push(size);
}

void Shape::push(std::int64_t size) {
  if (rank == most_axes)
    throw AdError(fmt::format("shape {}: no more than {} axes are possible", text_of(*this), most_axes));
  sizes[static_cast<std::size_t>(rank++)] = size;
}

std::string text_of(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape.list(), ", "));
}

Strides contiguous_strides(const Shape& shape) {
  Strides strides;
  strides.rank = shape.rank;
  std::int64_t step = 1;
  for (int i = shape.rank - 1; i >= 0; --i) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

void check_sizes(std::string_view op, const Shape& shape) {
  std::int64_t product = 1;
  for (const auto size : shape.list()) {
    if (size < 0) throw AdError(fmt::format("{}: shape {} has a negative size", op, text_of(shape)));
    // Sizes beside a 0 count as well: whatever order they are multiplied in must do. Eight bytes an element
    // at most: the bytes must fit as well.
    if (size != 0 && __builtin_mul_overflow(product, size, &product)) product = -1;
    if (product < 0 || product > (INT64_MAX >> 4)) {
      throw AdError(fmt::format("{}: shape {} has too many elements", op, text_of(shape)));
    }
  }
}

Shape broadcast(std::string_view op, const Shape& a, const Shape& b) {
  if (a == b) return a;
  const Shape& longer = a.rank >= b.rank ? a : b;
  const Shape& shorter = a.rank >= b.rank ? b : a;
  Shape result = longer;
  const int shift = longer.rank - shorter.rank;
  for (int i = 0; i < shorter.rank; ++i) {
    auto& size = result[i + shift];
    if (shorter[i] == size || shorter[i] == 1) continue;
    if (size != 1) {
      throw AdError(fmt::format(
          "{}: shapes {} and {} do not broadcast: sizes {} and {} of axis {} from the end", op, text_of(a),
          text_of(b), a[a.rank - shorter.rank + i], b[b.rank - shorter.rank + i], shorter.rank - i));
    }
    size = shorter[i];
  }
  return result;
}

bool stretches_to(const Shape& from, const Shape& shape) {
  const int shift = shape.rank - from.rank;
  for (int i = 0; i < from.rank; ++i)
    if (shift < 0 || (from[i] != shape[i + shift] && from[i] != 1)) return false;
  return true;
}

int checked_axis(std::string_view op, std::int64_t axis, const Shape& shape) {
  const std::int64_t at = axis < 0 ? axis + shape.rank : axis;
  if (at < 0 || at >= shape.rank) {
    throw AdError(fmt::format("{}: axis {} of a tensor of shape {}: give {} to {}", op, axis, text_of(shape),
                              -shape.rank, shape.rank - 1));
  }
  return static_cast<int>(at);
}

Shape checked_axes(std::string_view op, std::span<const std::int64_t> axes, const Shape& shape) {
  Shape result;
  if (axes.empty()) {
    for (int i = 0; i < shape.rank; ++i) result.push(i);
    return result;
  }
  for (const auto axis : axes) {
    const int at = checked_axis(op, axis, shape);
    if (std::ranges::find(result.list(), at) != result.list().end())
      throw AdError(fmt::format("{}: axis {} is named twice for shape {}", op, axis, text_of(shape)));
    result.push(at);
  }
  std::sort(result.sizes.begin(), result.sizes.begin() + result.rank);
  return result;
}

}  // namespace tare::ad
