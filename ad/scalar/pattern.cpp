#include "ad/scalar/pattern.hpp"

namespace tare::ad {

std::vector<std::pair<std::uint32_t, std::uint32_t>>& Traced::interactions() {
  static thread_local std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  return found;
}

bool& Traced::collect() {
  static thread_local bool on = false;
  return on;
}

Traced::Inputs Traced::united(const Traced& a, const Traced& b) {
  if (b.inputs_.empty()) return a.inputs_;
  if (a.inputs_.empty()) return b.inputs_;
  Inputs all;
  all.reserve(a.inputs_.size() + b.inputs_.size());
  std::set_union(a.inputs_.begin(), a.inputs_.end(), b.inputs_.begin(), b.inputs_.end(),
                 std::back_inserter(all));
  return all;
}

void Traced::interact(const Traced& a, const Traced& b) {
  if (!collect()) return;
  for (const std::uint32_t i : a.inputs_) {
    for (const std::uint32_t j : b.inputs_) interactions().emplace_back(i, j);
  }
}

std::vector<std::uint32_t> colour_columns(const Pattern& pattern) {
  const Pattern by_column = pattern.transposed();
  std::vector<std::uint32_t> colour(pattern.columns, 0);
  // taken[c] is the last column that could not use colour c.
  std::vector<std::size_t> taken;
  for (std::size_t j = 0; j < pattern.columns; ++j) {
    for (const std::uint32_t i : by_column.rows[j]) {
      for (const std::uint32_t other : pattern.rows[i]) {
        if (other >= j) break;
        taken[colour[other]] = j + 1;
      }
    }
    std::uint32_t free = 0;
    while (free < taken.size() && taken[free] == j + 1) ++free;
    if (free == taken.size()) taken.push_back(0);
    colour[j] = free;
  }
  return colour;
}

}  // namespace tare::ad
