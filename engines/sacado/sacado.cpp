// Sacado's reverse mode (RAD): one global context per number type, its memory kept between gradients.
#include "engines/sacado/sacado.hpp"

#include <Sacado_trad.hpp>

#include "engines/offering.hpp"

using SacadoVariable = Sacado::Rad::ADvar<double>;

template <>
struct tare::workloads::Plain<SacadoVariable> {
  static double of(const SacadoVariable& x) { return x.val(); }
};

namespace tare::engines {
namespace {

template <class W>
class OnSacado {
 public:
  explicit OnSacado(const W& workload)
      : workload_(workload), x_(workload.inputs()), scratch_(workload.scratch()) {}
  double record(const double* x) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = x[i];
    const SacadoVariable y = workload_.value(x_.data(), scratch_.data());
    return y.val();
  }
  void reverse(double* g) {
    Sacado::Rad::ADcontext<double>::Gradcomp();
    for (std::size_t i = 0; i < x_.size(); ++i) g[i] = x_[i].adj();
  }

 private:
  const W& workload_;
  std::vector<SacadoVariable> x_;
  std::vector<SacadoVariable> scratch_;
};

}  // namespace

Engine sacado() {
  return offering<OnSacado>({.name = "sacado", .label = "Sacado reverse mode (RAD)"});
}

}  // namespace tare::engines
