#include <algorithm>
#include <fmt/format.h>

#include "ad/scalar/program/kernel.hpp"

namespace tare::ad {

Stencil::Stencil(std::size_t field_size, std::size_t width, std::span<const std::uint32_t> indices)
    : field_size_(field_size),
      points_(width == 0 ? 0 : indices.size() / width),
      width_(width),
      indices_(indices.size()),
      ahead_(indices.size()) {
  if (width == 0) detail::throw_error("Stencil", "a stencil of width 0 reads nothing");
  if (points_ * width != indices.size()) detail::throw_size("Stencil", points_ * width, indices.size());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (indices[k] >= field_size) {
      detail::throw_error(
          "Stencil", fmt::format("point {} reads field value {} of {}", k / width, indices[k], field_size));
    }
    indices_[k % width * points_ + k / width] = indices[k];
  }
  const auto goes_on = [&](std::size_t k) {
    return (k + 1) % points_ != 0 && indices_[k + 1] == indices_[k] + 1;
  };
  for (std::size_t k = indices_.size(); k-- > 0;) {
    if (goes_on(k)) ahead_[k] = static_cast<std::uint8_t>(std::min(ahead_[k + 1] + 1, 255));
  }
  std::vector<std::vector<Run>> by_block((field_size + block - 1) / block);
  for (std::size_t k = 0; k < indices_.size();) {
    std::size_t end = k;
    while (goes_on(end) && indices_[end + 1] % block != 0) ++end;
    by_block[indices_[k] / block].push_back(
        {static_cast<std::uint32_t>(k), indices_[k], static_cast<std::uint32_t>(end + 1 - k)});
    k = end + 1;
  }
  starts_.push_back(0);
  for (const std::vector<Run>& each : by_block) {
    runs_.insert(runs_.end(), each.begin(), each.end());
    starts_.push_back(runs_.size());
  }
}

}  // namespace tare::ad
