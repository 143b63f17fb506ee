// Walks several tensors of one (broadcast) shape together, run by run: axes that lie behind each other in all
// of them are joined, and the last axis is handed out as one run with a stride for each. Work is split among
// the threads at borders that depend on the shape alone.
#pragma once

#include <array>
#include <cstdint>

#include "ad/support/threads.hpp"
#include "ad/tensor/body.hpp"

namespace tare::ad::detail {

/// Elements below which another thread is not worth its waking.
inline constexpr std::int64_t parallel_grain = 32768;

/// Strides of a body seen as a tensor of `shape`: 0 along what is repeated.
inline Strides broadcast_strides(const Body& body, const Shape& shape) {
  Strides result;
  result.rank = shape.rank;
  const Strides own = body.all_strides();
  const int shift = shape.rank - body.shape.rank;
  for (int i = 0; i < shape.rank; ++i)
    result[i] = i < shift || (body.shape[i - shift] == 1 && shape[i] != 1) ? 0 : own[i - shift];
  return result;
}

template <int N>
class Walk {
 public:
  using Offsets = std::array<std::int64_t, N>;

  Walk(const Shape& shape, const std::array<Strides, N>& strides) {
    for (int i = 0; i < shape.rank; ++i) {
      if (shape[i] == 1) continue;
      if (rank_ > 0 && joins(strides, i, shape[i])) {
        sizes_[last()] *= shape[i];
      } else {
        sizes_[static_cast<std::size_t>(rank_++)] = shape[i];
      }
      for (std::size_t k = 0; k < N; ++k) strides_[k][last()] = strides[k][i];
    }
    if (rank_ == 0) {
      rank_ = 1;
      sizes_[0] = 1;
      for (auto& s : strides_) s[0] = 0;
    }
  }

  /// f(offsets, count, steps): one run of `count` elements, `steps` apart.
  template <class F>
  void run(F&& f) const {
    const std::int64_t inner = sizes_[last()];
    std::int64_t outer = 1;
    for (int i = 0; i + 1 < rank_; ++i) outer *= sizes_[static_cast<std::size_t>(i)];
    if (inner == 0 || outer == 0) return;
    Offsets steps;
    for (std::size_t k = 0; k < N; ++k) steps[k] = strides_[k][last()];
    if (outer == 1) {
      parallel_for(inner, parallel_grain, [&](std::int64_t begin, std::int64_t end) {
        Offsets at;
        for (std::size_t k = 0; k < N; ++k) at[k] = begin * steps[k];
        f(at, end - begin, steps);
      });
      return;
    }
    const std::int64_t rows = std::max<std::int64_t>(1, parallel_grain / inner);
    parallel_for(outer, rows, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) f(offsets_of(row), inner, steps);
    });
  }

 private:
  [[nodiscard]] std::size_t last() const { return static_cast<std::size_t>(rank_ - 1); }
  [[nodiscard]] bool joins(const std::array<Strides, N>& strides, int axis, std::int64_t size) const {
    for (std::size_t k = 0; k < N; ++k)
      if (strides_[k][last()] != strides[k][axis] * size) return false;
    return true;
  }
  [[nodiscard]] Offsets offsets_of(std::int64_t row) const {
    Offsets at{};
    for (int i = rank_ - 2; i >= 0; --i) {
      const auto axis = static_cast<std::size_t>(i);
      const std::int64_t index = row % sizes_[axis];
      row /= sizes_[axis];
      for (std::size_t k = 0; k < N; ++k) at[k] += index * strides_[k][axis];
    }
    return at;
  }

  std::array<std::int64_t, most_axes> sizes_{};
  std::array<std::array<std::int64_t, most_axes>, N> strides_{};
  int rank_ = 0;
};

/// A run of an operand as contiguous memory: itself, or gathered into a small buffer, or one repeated number.
template <class T>
class Run {
 public:
  static constexpr std::int64_t most = 512;
  Run(const T* base, std::int64_t step) : base_(base), step_(step) {}
  /// Elements at … at + n − 1, n ≤ most when gathered.
  const T* take(std::int64_t at, std::int64_t n) {
    if (step_ == 1) return base_ + at;
    if (step_ == 0) return base_;
    for (std::int64_t i = 0; i < n; ++i) buffer_[i] = base_[(at + i) * step_];
    return buffer_;
  }
  [[nodiscard]] bool gathers() const { return step_ != 0 && step_ != 1; }
  [[nodiscard]] int step() const { return step_ == 0 ? 0 : 1; }

 private:
  const T* base_;
  std::int64_t step_;
  T buffer_[most];
};

}  // namespace tare::ad::detail
