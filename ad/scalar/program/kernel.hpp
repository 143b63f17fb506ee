// Kernel: the program of one point, applied to many and summed: y = Σ f(shared, point, gathered). It compiles
// in the time of one point however many there are. Points run in lanes and on several threads.
//   shared     the same for all points; what depends on them alone is computed once per call
//   gathered   values of a field, picked for each point by a Stencil; their derivatives are summed per field
//   value point      values of each point's own
// Sums are made in an order that depends on the number of points alone, not on threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ad/scalar/program/compiled.hpp"
#include "ad/scalar/program/symbol.hpp"

namespace tare::ad {

/// Which values of a field each point reads: indices[point · width + j] for its j-th.
class Stencil {
 public:
  Stencil(std::size_t field_size, std::size_t width, std::span<const std::uint32_t> indices);

  [[nodiscard]] std::size_t points() const { return points_; }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t field_size() const { return field_size_; }

 private:
  friend class Kernel;
  /// Consecutive points that read consecutive field values.
  struct Run {
    std::uint32_t place;  ///< of the first in indices_
    std::uint32_t index;  ///< of the first in the field
    std::uint32_t length;
  };
  /// Field values whose derivatives are summed by one task.
  static constexpr std::size_t block = 4096;

  std::size_t field_size_;
  std::size_t points_;
  std::size_t width_;
  std::vector<std::uint32_t> indices_;  ///< [j · points + point]
  std::vector<std::uint8_t> ahead_;     ///< how many points after this one go on in its run, up to 255
  std::vector<Run> runs_;               ///< of the first block of field values, then of the next, …
  std::vector<std::size_t> starts_;     ///< of each block's runs
};

/// The arguments of a kernel's body.
template <class T>
struct KernelArguments {
  std::span<const T> shared;
  std::span<const T> gathered;
  std::span<const T> point;
};

struct KernelInputs {
  std::span<const double> shared;
  std::span<const double> points;  ///< one point after the other; may be empty if the body reads none
  std::span<const double> field;
  const Stencil* stencil = nullptr;
};

/// Where derivatives go; an empty span for what is not wanted.
struct KernelGradient {
  std::span<double> shared;
  std::span<double> field;
  std::span<double> points;
};

struct KernelOptions {
  CompileOptions compile;
  bool point_gradients = false;  ///< whether points are inputs, or data without derivatives
};

class Kernel {
 public:
  Kernel(const Program& body, KernelArguments<double> sizes, const KernelOptions& options);

  /// The sum over all points.
  double value(const KernelInputs& in) const;
  double gradient(const KernelInputs& in, const KernelGradient& out) const;
  [[nodiscard]] CompileStats stats() const;

 private:
  struct State;
  struct Call;
  double run(const KernelInputs& in, const KernelGradient& out, bool derivatives) const;
  std::shared_ptr<const State> state_;
};

/// Records body(KernelArguments<Symbol>) at one point, whose values are `at`.
template <class F>
Kernel make_kernel(KernelArguments<double> at, F&& body, const KernelOptions& options = {}) {
  std::vector<double> all(at.shared.begin(), at.shared.end());
  all.insert(all.end(), at.gathered.begin(), at.gathered.end());
  all.insert(all.end(), at.point.begin(), at.point.end());
  const Program program = record_program(all, [&](std::span<const Symbol> x) {
    return Symbol(body(KernelArguments<Symbol>{x.first(at.shared.size()),
                                               x.subspan(at.shared.size(), at.gathered.size()),
                                               x.last(at.point.size())}));
  });
  return Kernel(program, at, options);
}

}  // namespace tare::ad
