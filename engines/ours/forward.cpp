// tare's forward mode: eight directions a pass, no tape. The example of docs/adding-an-engine.md.
#include "engines/ours/forward.hpp"

#include <algorithm>

#include "ad/scalar/dual.hpp"
#include "engines/offering.hpp"

using Number = tare::ad::Dual<double, 8>;

// Workloads take decisions (a maximum, a pivot) by plain numbers.
template <>
struct tare::workloads::Plain<Number> {
  static double of(const Number& x) { return x.value(); }
};

namespace tare::engines {
namespace {

template <class W>
class OnForward {
 public:
  explicit OnForward(const W& workload)
      : workload_(workload), x_(workload.inputs()), scratch_(workload.scratch()) {}
  double gradient(const double* x, double* g) {
    std::copy_n(x, x_.size(), x_.begin());
    double value = 0;
    for (std::size_t first = 0; first < x_.size(); first += 8) {
      const std::size_t lanes = std::min<std::size_t>(8, x_.size() - first);
      for (std::size_t i = 0; i < lanes; ++i) x_[first + i] = Number::variable(x[first + i], i);
      const Number y = workload_.value(x_.data(), scratch_.data());
      for (std::size_t i = 0; i < lanes; ++i) g[first + i] = y.tangent(i);
      for (std::size_t i = 0; i < lanes; ++i) x_[first + i] = x[first + i];
      value = y.value();
    }
    return value;
  }

 private:
  const W& workload_;
  std::vector<Number> x_;
  std::vector<Number> scratch_;
};

}  // namespace

Engine forward_mode() {
  return offering<OnForward>({.name = "forward", .label = "tare's forward mode", .per_input = true});
}

}  // namespace tare::engines
