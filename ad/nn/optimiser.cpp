#include "ad/nn/optimiser.hpp"

#include <cmath>
#include <fmt/format.h>

#include "ad/support/threads.hpp"
#include "ad/tensor/iterate.hpp"
#include "ad/tensor/kernels/kernels.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad::nn {
namespace {

void require_range(const char* what, const char* name, double value, bool holds) {
  if (!holds) throw AdError(fmt::format("{}: {} of {} is out of range", what, name, value));
}

/// One pass over memory is possible: nothing is captured, and all lies dense in one type.
bool fuses(const Tensor& parameter, const Tensor& gradient) {
  return detail::mode.tracer == nullptr && parameter.is_contiguous() && gradient.is_contiguous();
}

/// f(T{}) for the type of a parameter.
template <class F>
void by_type(const Tensor& parameter, F f) {
  if (parameter.dtype() == DType::f32) {
    f(float{});
  } else {
    f(double{});
  }
}

}  // namespace

Optimiser::Optimiser(const Parameters& parameters, double rate, int averages)
    : rate_(Tensor::scalar(rate, DType::f64)), steps_(Tensor::scalar(0, DType::f64)) {
  for (const auto& [name, tensor] : parameters) {
    if (!tensor.needs_grad()) continue;
    if (!tensor.is_leaf())
      throw AdError(
          fmt::format("optimiser: parameter '{}' was computed from others; only leaves are learnt", name));
    Slot slot{name, tensor, {}};
    for (int i = 0; i < averages; ++i) slot.averages.push_back(Tensor::zeros(tensor.shape(), tensor.dtype()));
    slots_.push_back(std::move(slot));
  }
  if (slots_.empty()) throw AdError("optimiser: none of the parameters requires a gradient");
  set_rate(rate);
}

double Optimiser::rate() const {
  return rate_.values<double>()[0];
}
void Optimiser::set_rate(double rate) {
  require_range("optimiser", "a rate", rate, std::isfinite(rate) && rate >= 0);
  rate_.fill_(rate);
}
std::int64_t Optimiser::steps() const {
  return static_cast<std::int64_t>(steps_.values<double>()[0]);
}
void Optimiser::count_step() {
  const NoGrad quiet;
  steps_.copy_(steps_ + 1.0);
}
void Optimiser::step() {
  const NoGrad quiet;
  count_step();
  for (auto& slot : slots_)
    if (const Tensor g = slot.parameter.grad(); g.defined()) change(slot, g);
}
void Optimiser::step_on(const Tensor& loss) {
  count_step();
  // Taken back whatever happens.
  struct Taking {
    std::vector<Slot>& slots;
    ~Taking() {
      for (auto& slot : slots) slot.parameter.give_gradient_to({});
    }
  } const taking{slots_};
  for (auto& slot : slots_)
    slot.parameter.give_gradient_to([this, &slot](const Tensor&, const Tensor& g) { change(slot, g); });
  loss.backward();
}
void Optimiser::zero_gradients() {
  for (auto& slot : slots_) slot.parameter.zero_grad();
}

Parameters Optimiser::state() const {
  Parameters all{{"rate", rate_}, {"steps", steps_}};
  for (const auto& slot : slots_)
    for (std::size_t i = 0; i < slot.averages.size(); ++i)
      all[fmt::format("{}.average{}", slot.name, i)] = slot.averages[i];
  return all;
}

Sgd::Sgd(const Parameters& parameters, const Options& options)
    : Optimiser(parameters, options.rate, options.momentum != 0 ? 1 : 0), options_(options) {
  require_range("Sgd", "a momentum", options.momentum, options.momentum >= 0 && options.momentum < 1);
  require_range("Sgd", "a decay", options.decay, options.decay >= 0);
}

void Sgd::change(Slot& slot, const Tensor& g) {
  Tensor& p = slot.parameter;
  if (!fuses(p, g)) return change_in_ops(slot, g);
  const kernels::SgdNumbers numbers{rate(), options_.momentum, options_.decay};
  by_type(p, [&]<class T>(T) {
    T* to = p.mutable_values<T>().data();
    T* m = slot.averages.empty() ? nullptr : slot.averages[0].mutable_values<T>().data();
    const T* slope = g.values<T>().data();
    parallel_for(p.count(), detail::parallel_grain, [&](std::int64_t begin, std::int64_t end) {
      kernels::best().of<T>().sgd(to + begin, slope + begin, m == nullptr ? nullptr : m + begin, end - begin,
                                  numbers);
    });
  });
}

void Sgd::change_in_ops(Slot& slot, const Tensor& gradient) {
  Tensor& p = slot.parameter;
  Tensor d = options_.decay == 0 ? gradient : gradient + p * options_.decay;
  if (!slot.averages.empty()) {
    slot.averages[0].copy_(slot.averages[0] * options_.momentum + d);
    d = slot.averages[0];
  }
  p.copy_(p - d * cast(rate_, p.dtype()));
}

Adam::Adam(const Parameters& parameters, const Options& options)
    : Optimiser(parameters, options.rate, 2), options_(options) {
  require_range("Adam", "a beta1", options.beta1, options.beta1 >= 0 && options.beta1 < 1);
  require_range("Adam", "a beta2", options.beta2, options.beta2 >= 0 && options.beta2 < 1);
  require_range("Adam", "an epsilon", options.epsilon, options.epsilon > 0);
  require_range("Adam", "a decay", options.decay, options.decay >= 0);
}

void Adam::change(Slot& slot, const Tensor& g) {
  Tensor& p = slot.parameter;
  if (!fuses(p, g)) return change_in_ops(slot, g);
  const double t = steps_.values<double>()[0];
  const kernels::AdamNumbers numbers{.rate = rate() / (1 - std::pow(options_.beta1, t)),
                                     .beta1 = options_.beta1,
                                     .beta2 = options_.beta2,
                                     .epsilon = options_.epsilon,
                                     .scale = 1 / std::sqrt(1 - std::pow(options_.beta2, t)),
                                     .decay = options_.decoupled ? 0 : options_.decay,
                                     .shrink = options_.decoupled ? 1 - rate() * options_.decay : 1};
  by_type(p, [&]<class T>(T) {
    T *to = p.mutable_values<T>().data(), *m = slot.averages[0].mutable_values<T>().data(),
      *v = slot.averages[1].mutable_values<T>().data();
    const T* slope = g.values<T>().data();
    parallel_for(p.count(), detail::parallel_grain, [&](std::int64_t begin, std::int64_t end) {
      kernels::best().of<T>().adam(to + begin, slope + begin, m + begin, v + begin, end - begin, numbers);
    });
  });
}

void Adam::change_in_ops(Slot& slot, const Tensor& gradient) {
  Tensor &p = slot.parameter, &m = slot.averages[0], &v = slot.averages[1];
  const bool adds = options_.decay != 0 && !options_.decoupled;
  const Tensor g = adds ? gradient + p * options_.decay : gradient;
  m.copy_(m * options_.beta1 + g * (1 - options_.beta1));
  v.copy_(v * options_.beta2 + square(g) * (1 - options_.beta2));
  const auto corrected = [&](double beta) { return 1.0 - exp(steps_ * std::log(beta)); };
  const Tensor rate = cast(rate_ / corrected(options_.beta1), p.dtype());
  const Tensor scale = cast(rsqrt(corrected(options_.beta2)), p.dtype());
  const Tensor moved = m / (sqrt(v) * scale + options_.epsilon) * rate;
  const bool shrinks = options_.decay != 0 && options_.decoupled;
  p.copy_((shrinks ? p * cast(1.0 - rate_ * options_.decay, p.dtype()) : p) - moved);
}

Tensor clip_gradients(const Parameters& parameters, double largest) {
  require_range("clip_gradients", "a norm", largest, largest > 0);
  const NoGrad quiet;
  Tensor total = Tensor::zeros({}, DType::f64);
  for (const auto& [name, tensor] : parameters)
    if (const Tensor g = tensor.grad(); g.defined()) total = total + cast(sum(square(g)), DType::f64);
  Tensor norm = sqrt(total);
  // The small number keeps a norm of zero from dividing.
  const Tensor scale = min(largest / (norm + 1e-6), Tensor::ones({}, DType::f64));
  for (const auto& [name, tensor] : parameters)
    if (Tensor g = tensor.grad(); g.defined()) g.copy_(g * cast(scale, g.dtype()));
  return norm;
}

}  // namespace tare::ad::nn
