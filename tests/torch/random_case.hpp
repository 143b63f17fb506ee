// Cases for a row of the op table with shapes drawn at random: broadcasting, odd and empty sizes, any axes.
// Ranges of numbers are those of the row's own cases.
#pragma once

#include <random>

#include "ad/tensor/op.hpp"

namespace tare::ad {

class RandomCases {
 public:
  explicit RandomCases(std::uint64_t seed) : random_(seed) {}
  Case of(Op op);

 private:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  bool once_in(int n) { return between(1, n) == 1; }
  Shape shape(int least_rank, int most_rank, bool may_be_empty);
  Shape stretched_to(const Shape& whole);
  Shape some_axes(int rank);

  Case pointwise(Op op);
  Case rearranged(Op op);
  Case reduced(Op op);
  Case rows(Op op);
  Case product(Op op);
  Case image(Op op);
  Case indexed(Op op);

  std::mt19937_64 random_;
};

}  // namespace tare::ad
