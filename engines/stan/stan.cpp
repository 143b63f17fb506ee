// Stan Math without threads: virtual operations in an arena that is kept between gradients. The arena tells
// its size in whole blocks.
#include "engines/stan/stan.hpp"

#include <stan/math/rev/core.hpp>
#include <stan/math/rev/scal.hpp>

#include "engines/offering.hpp"

template <>
struct tare::workloads::Plain<stan::math::var> {
  static double of(const stan::math::var& x) { return x.val(); }
};

namespace tare::engines {
namespace {

using stan::math::var;

template <class W>
class OnStan {
 public:
  explicit OnStan(const W& workload)
      : workload_(workload), x_(workload.inputs()), scratch_(workload.scratch()) {}
  double record(const double* x) {
    stan::math::recover_memory();
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = x[i];
    y_ = workload_.value(x_.data(), scratch_.data());
    return y_.val();
  }
  void reverse(double* g) {
    stan::math::grad(y_.vi_);
    for (std::size_t i = 0; i < x_.size(); ++i) g[i] = x_[i].adj();
  }
  [[nodiscard]] TapeSize tape() const {
    const auto& stack = *stan::math::ChainableStack::instance_;
    return {stack.var_stack_.size(), std::nullopt,
            stack.memalloc_.bytes_allocated() + stack.var_stack_.size() * sizeof(void*)};
  }

 private:
  const W& workload_;
  std::vector<var> x_;
  std::vector<var> scratch_;
  var y_;
};

}  // namespace

Engine stan_math() {
  return offering<OnStan>({.name = "stan", .label = "Stan Math, arena reused"});
}

}  // namespace tare::engines
