// tare's recorded programs: one compiled and replayed for an input at a time, or for a batch of them. What
// recording and compiling cost is not part of a gradient; the suite measures it apart (compile/…).
#include "engines/ours/compiled.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "engines/offering.hpp"
#include "engines/ours/symbols.hpp"

namespace tare::engines {
namespace {

template <class W>
class OnCompiled {
 public:
  explicit OnCompiled(const W& workload)
      : workload_(workload), compiled_(compile(recorded(workload, workload.point(0)))) {}
  double gradient(const double* x, double* g) {
    const std::size_t n = workload_.inputs();
    try {
      return compiled_.gradient({x, n}, {g, n});
    } catch (const ad::ReplayError&) {
      // Another branch, such as another pivot: what a user of the engine would do.
      compiled_ = compile(recorded(workload_, {x, x + n}));
      return compiled_.gradient({x, n}, {g, n});
    }
  }

 private:
  const W& workload_;
  ad::Compiled compiled_;
};

/// A single gradient is one row among others, in turn each, so that checking reaches every lane.
template <class W>
class OnBatch {
 public:
  static constexpr std::size_t size = 16;

  explicit OnBatch(const W& workload)
      : workload_(workload),
        compiled_(compile(recorded(workload, workload.point(0)))),
        x_(size * workload.inputs()),
        y_(size),
        g_(size * workload.inputs()) {
    const auto point = workload.point(0);
    for (std::size_t row = 0; row < size; ++row) place(row, point.data());
  }
  [[nodiscard]] std::size_t batch() const { return size; }
  double gradient(const double* x, double* g) {
    const std::size_t n = workload_.inputs();
    row_ = (row_ + 1) % size;
    place(row_, x);
    gradients(x_.data(), y_.data(), g_.data());
    std::copy_n(g_.begin() + static_cast<std::ptrdiff_t>(row_ * n), n, g);
    return y_[row_];
  }
  void gradients(const double* x, double* y, double* g) {
    if (all_as_recorded(x, y, g)) return;
    // Another branch than the recording's, then perhaps not the same in all rows.
    compiled_ = compile(recorded(workload_, {x, x + workload_.inputs()}));
    if (!all_as_recorded(x, y, g)) one_by_one(x, y, g);
  }

 private:
  void place(std::size_t row, const double* x) {
    std::copy_n(x, workload_.inputs(), x_.begin() + static_cast<std::ptrdiff_t>(row * workload_.inputs()));
  }
  bool all_as_recorded(const double* x, double* y, double* g) {
    const std::size_t n = workload_.inputs();
    compiled_.gradients({x, size * n}, {y, size}, {g, size * n}, ad::Layout::rows, diverged_);
    return std::all_of(diverged_.begin(), diverged_.end(),
                       [](std::int32_t guard) { return guard == ad::as_recorded; });
  }
  /// Rows that take different branches have no program in common.
  void one_by_one(const double* x, double* y, double* g) {
    const std::size_t n = workload_.inputs();
    for (std::size_t row = 0; row < size; ++row, x += n, g += n) {
      y[row] = compile(recorded(workload_, {x, x + n})).gradient({x, n}, {g, n});
    }
  }

  const W& workload_;
  ad::Compiled compiled_;
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> g_;
  std::array<std::int32_t, size> diverged_{};
  std::size_t row_ = 0;
};

/// A million points written out one after the other are a kernel's work.
Engine without_long_sums(Engine engine) {
  std::erase_if(engine.offers, [](const Offer& offer) { return offer.workload == "gmm" && offer.n > 20; });
  return engine;
}

}  // namespace

Engine compiled() {
  return without_long_sums(
      offering<OnCompiled>({.name = "compiled", .label = "tare's compiled program, one input"}));
}
Engine compiled_batch() {
  return without_long_sums(
      offering<OnBatch>({.name = "batch", .label = "tare's compiled program, 16 inputs at a time"}));
}

}  // namespace tare::engines
