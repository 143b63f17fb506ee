#include <algorithm>
#include <fmt/format.h>

#include "ad/scalar/program/kernel.hpp"

namespace tare::ad {

Stencil::Stencil(std::size_t field_size, std::size_t width, std::span<const std::uint32_t> indices)
    : points_(width == 0 ? 0 : indices.size() / width),
      width_(width),
      indices_(indices.size()),
      starts_(field_size + 1),
      readers_(indices.size()) {
  if (width == 0) detail::throw_error("Stencil", "a stencil of width 0 reads nothing");
  if (points_ * width != indices.size()) detail::throw_size("Stencil", points_ * width, indices.size());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (indices[k] >= field_size) {
      detail::throw_error(
          "Stencil", fmt::format("point {} reads field value {} of {}", k / width, indices[k], field_size));
    }
    indices_[k % width * points_ + k / width] = indices[k];
    ++starts_[indices[k] + 1];
  }
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (std::uint32_t k = 0; k < indices_.size(); ++k) readers_[next[indices_[k]]++] = k;
}

}  // namespace tare::ad
