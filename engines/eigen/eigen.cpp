// Eigen's AutoDiffScalar: forward mode, every number carries the derivatives in all inputs.
#include "engines/eigen/eigen.hpp"

#include <Eigen/Core>
#include <unsupported/Eigen/AutoDiff>

#include "engines/offering.hpp"

using EigenScalar = Eigen::AutoDiffScalar<Eigen::VectorXd>;

template <>
struct tare::workloads::Plain<EigenScalar> {
  static double of(const EigenScalar& x) { return x.value(); }
};

namespace Eigen {
/// The only function of the workloads that it does not have.
template <class Derivatives>
EigenScalar atan(const AutoDiffScalar<Derivatives>& x) {
  return {std::atan(x.value()), x.derivatives() / (1 + x.value() * x.value())};
}
}  // namespace Eigen

namespace tare::engines {
namespace {

template <class W>
class OnEigen {
 public:
  explicit OnEigen(const W& workload)
      : workload_(workload), x_(workload.inputs()), scratch_(workload.scratch()) {}
  double gradient(const double* x, double* g) {
    const auto n = static_cast<Eigen::Index>(x_.size());
    for (Eigen::Index i = 0; i < n; ++i) x_[static_cast<std::size_t>(i)] = EigenScalar(x[i], n, i);
    const EigenScalar y = workload_.value(x_.data(), scratch_.data());
    Eigen::Map<Eigen::VectorXd>(g, n) = y.derivatives();
    return y.value();
  }

 private:
  const W& workload_;
  std::vector<EigenScalar> x_;
  std::vector<EigenScalar> scratch_;
};

}  // namespace

Engine eigen_autodiff() {
  return offering<OnEigen>(
      {.name = "eigen", .label = "Eigen AutoDiffScalar (forward mode)", .per_input = true});
}

}  // namespace tare::engines
