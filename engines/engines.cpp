// The engines of this build. CMake says which peers were found; the others are absent by name.
#include "engines/adolc/adolc.hpp"
#include "engines/differences/differences.hpp"
#include "engines/eigen/eigen.hpp"
#include "engines/engine.hpp"
#include "engines/gradbench/client.hpp"
#include "engines/hand/hand.hpp"
#include "engines/ours/forward.hpp"
#include "engines/ours/ours.hpp"
#include "engines/sacado/sacado.hpp"
#include "engines/stan/stan.hpp"

namespace tare::engines {
namespace {

[[maybe_unused]] Engine absent(std::string name, const std::string& packages) {
  Engine engine;
  engine.name = std::move(name);
  engine.absent = "absent from this build: install " + packages + " and configure again";
  return engine;
}

}  // namespace

std::vector<Engine> all_engines() {
  std::vector<Engine> engines{primal(), hand()};
  add_ours(engines);
  engines.push_back(forward_mode());
  engines.push_back(finite_differences());
  engines.push_back(complex_steps());
#ifdef TARE_HAVE_ADOLC
  engines.push_back(adolc());
#else
  engines.push_back(absent("adolc", "libadolc-dev"));
#endif
#ifdef TARE_HAVE_SACADO
  engines.push_back(sacado());
#else
  engines.push_back(absent("sacado", "libtrilinos-sacado-dev, libtrilinos-kokkos-dev"));
#endif
#ifdef TARE_HAVE_STAN
  engines.push_back(stan_math());
#else
  engines.push_back(absent("stan", "r-cran-stanheaders, libtbb-dev"));
#endif
#ifdef TARE_HAVE_EIGEN
  engines.push_back(eigen_autodiff());
#else
  engines.push_back(absent("eigen", "libeigen3-dev"));
#endif
  engines.push_back(gradbench_tool());
  return engines;
}

}  // namespace tare::engines
