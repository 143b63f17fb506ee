// Without a tape: central differences, two evaluations per input, and complex steps, one evaluation each and
// no cancellation (Squire and Trapp 1998, "Using complex variables to estimate derivatives of real
// functions").
#include "engines/differences/differences.hpp"

#include <algorithm>
#include <complex>

#include "engines/offering.hpp"

template <>
struct tare::workloads::Plain<std::complex<double>> {
  static double of(const std::complex<double>& x) { return x.real(); }
};

namespace tare::engines {
namespace {

template <class W>
class OnFinite {
 public:
  explicit OnFinite(const W& workload)
      : workload_(workload), at_(workload.inputs()), scratch_(workload.scratch()) {}
  double gradient(const double* x, double* g) {
    std::copy_n(x, at_.size(), at_.begin());
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const double step = 6e-6 * std::max(1.0, std::abs(x[i]));  // ∛ε balances truncation and rounding
      at_[i] = x[i] + step;
      const double above = workload_.value(at_.data(), scratch_.data());
      at_[i] = x[i] - step;
      const double below = workload_.value(at_.data(), scratch_.data());
      at_[i] = x[i];
      g[i] = (above - below) / (2 * step);
    }
    return workload_.value(x, scratch_.data());
  }

 private:
  const W& workload_;
  std::vector<double> at_;
  std::vector<double> scratch_;
};

template <class W>
class OnComplex {
  using Complex = std::complex<double>;

 public:
  explicit OnComplex(const W& workload)
      : workload_(workload), at_(workload.inputs()), scratch_(workload.scratch()) {}
  double gradient(const double* x, double* g) {
    constexpr double step = 1e-100;
    std::copy_n(x, at_.size(), at_.begin());
    double value = 0;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      at_[i] = {x[i], step};
      const Complex y = workload_.value(at_.data(), scratch_.data());
      at_[i] = x[i];
      g[i] = y.imag() / step;
      value = y.real();
    }
    return value;
  }

 private:
  const W& workload_;
  std::vector<Complex> at_;
  std::vector<Complex> scratch_;
};

}  // namespace

Engine finite_differences() {
  auto engine = offering<OnFinite>(
      {.name = "finite", .label = "central differences", .tolerance = 1e-4, .per_input = true});
  for (auto& offer : engine.offers) {
    if (offer.workload == "polynomial" && offer.n >= 10'000) {
      offer.unfit = "differences of a chain this long: it bends within the step that rounding asks for";
    }
  }
  return engine;
}
Engine complex_steps() {
  return offering<OnComplex>({.name = "complex", .label = "complex steps", .per_input = true});
}

}  // namespace tare::engines
