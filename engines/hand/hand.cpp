// The limit: the hand-written adjoints of the workloads; and below it the function alone, without a gradient,
// which is what "gradient ÷ primal" divides by.
#include "engines/hand/hand.hpp"

#include "engines/offering.hpp"

namespace tare::engines {
namespace {

template <class W>
class OnHand {
 public:
  explicit OnHand(const W& workload) : workload_(workload), scratch_(workload.adjoint_scratch()) {}
  double gradient(const double* x, double* g) { return workload_.gradient(x, g, scratch_.data()); }

 private:
  const W& workload_;
  std::vector<double> scratch_;
};

template <class W>
class OnPrimal {
 public:
  explicit OnPrimal(const W& workload) : workload_(workload), scratch_(workload.scratch()) {}
  double gradient(const double* x, double*) { return workload_.value(x, scratch_.data()); }

 private:
  const W& workload_;
  std::vector<double> scratch_;
};

}  // namespace

Engine hand() {
  return offering<OnHand>({.name = "hand", .label = "hand-written adjoint: the limit"});
}
Engine primal() {
  return offering<OnPrimal>(
      {.name = "primal", .label = "the function alone, no gradient", .value_only = true});
}

}  // namespace tare::engines
