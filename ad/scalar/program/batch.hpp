// Moving numbers between a batch as its owner keeps it and the lanes an executable works on.
#pragma once

#include <cstddef>

#include "ad/scalar/program/compiled.hpp"

namespace tare::ad::detail {

/// Inputs `first` … of a batch of `count`, each `width` numbers. Lanes beyond the last input repeat it.
struct BatchView {
  Layout layout;
  std::size_t count;
  std::size_t width;

  [[nodiscard]] std::size_t at(std::size_t input, std::size_t i) const {
    return layout == Layout::rows ? input * width + i : i * count + input;
  }
};
/// W numbers moved at once, by whole registers where the caller is compiled for them.
template <std::size_t W>
[[gnu::always_inline]] inline void move_lanes(const double* from, double* to) {
  using Lanes [[gnu::vector_size(8 * W), gnu::aligned(8), gnu::may_alias]] = double;
  *reinterpret_cast<Lanes*>(to) = *reinterpret_cast<const Lanes*>(from);
}

void pack(const BatchView& view, const double* batch, std::size_t first, std::size_t lanes, double* block);
void unpack(const BatchView& view, const double* block, std::size_t first, std::size_t lanes, double* batch);

}  // namespace tare::ad::detail
