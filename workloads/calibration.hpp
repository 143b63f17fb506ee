// Bodies of known relative cost, for proving a comparison: the same work on both sides, or a stated share
// more. Each owns its buffers, so that two of them differ in where they lie in memory, as two builds of a
// program do.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace workloads {

/// A chain of multiply-adds written to a tape and swept back: compute-bound, some tens of microseconds.
/// `share` more steps make it that much slower (0.01 is 1 %).
class TapeChain {
 public:
  explicit TapeChain(double share = 0) : partials_(length(share)), values_(length(share) + 1) {}

  double operator()(double x) {
    values_[0] = x;
    for (std::size_t i = 0; i < partials_.size(); ++i) {
      const double factor = 0.75 + 0.001 * values_[i];
      partials_[i] = factor + 0.001 * values_[i];
      values_[i + 1] = values_[i] * factor + 0.25;
    }
    double adjoint = 1;
    for (std::size_t i = partials_.size(); i-- > 0;) adjoint = adjoint * partials_[i] + 0.001;
    return values_.back() + adjoint;
  }

 private:
  static std::size_t length(double share) {
    return static_cast<std::size_t>(std::lround(2000 * (1 + share)));
  }
  std::vector<double> partials_;
  std::vector<double> values_;
};

/// Reads and writes 64 MB: bound by the memory's bandwidth.
class Stream {
 public:
  explicit Stream(double share = 0)
      : from_(static_cast<std::size_t>(std::lround(4e6 * (1 + share))), 1.0), to_(from_.size(), 0.0) {}

  double operator()(double x) {
    for (std::size_t i = 0; i < from_.size(); ++i) to_[i] = x * from_[i];
    return to_[from_.size() / 2];
  }

 private:
  std::vector<double> from_;
  std::vector<double> to_;
};

}  // namespace workloads
