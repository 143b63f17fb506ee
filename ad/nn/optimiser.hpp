// Optimisers: a step changes the learnt parameters in place, in one pass over parameter, gradient and state.
// A steady loop of steps asks the system for no memory. Rate and step number are tensors, so that a captured
// step goes on counting and follows its schedule.
#pragma once

#include <string>
#include <vector>

#include "ad/nn/parameters.hpp"

namespace tare::ad::nn {

/// What every optimiser has: the learnt parameters, a rate, a step number.
class Optimiser {
 public:
  [[nodiscard]] double rate() const;
  void set_rate(double rate);
  [[nodiscard]] std::int64_t steps() const;
  void zero_gradients();
  /// Rate, step number and averages, to be saved and loaded as parameters are.
  [[nodiscard]] Parameters state() const;

 protected:
  Optimiser(const Parameters& parameters, double rate, int averages);
  struct Slot {
    std::string name;
    Tensor parameter;
    std::vector<Tensor> averages;
  };
  void count_step();
  /// Counts a step and changes each parameter that has a gradient: by one_pass(slot, gradient) where that
  /// goes, else by in_ops(slot, gradient).
  template <class OnePass, class InOps>
  void update(OnePass one_pass, InOps in_ops);

  std::vector<Slot> slots_;
  Tensor rate_;   ///< f64, one element
  Tensor steps_;  ///< f64, one element
};

/// d = g + decay·p; with momentum m = momentum·m + d and d = m; p −= rate·d.
class Sgd : public Optimiser {
 public:
  struct Options {
    double rate = 0.01;
    double momentum = 0;
    double decay = 0;
  };
  Sgd(const Parameters& parameters, const Options& options);
  /// Parameters without a gradient stay as they are.
  void step();

 private:
  void step_in_ops(Slot& slot, const Tensor& gradient);
  Options options_;
};

/// m and v are running means of g and g²; p −= rate·m̂/(√v̂ + ε) with m̂ and v̂ corrected for their start at
/// zero.
class Adam : public Optimiser {
 public:
  struct Options {
    double rate = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double decay = 0;
    bool decoupled = false;  ///< decay shrinks p by rate·decay (AdamW) instead of adding decay·p to g
  };
  Adam(const Parameters& parameters, const Options& options);
  void step();

 private:
  void step_in_ops(Slot& slot, const Tensor& gradient);
  Options options_;
};

/// Adam with decoupled decay, 0.01 unless said otherwise.
inline Adam adamw(const Parameters& parameters, Adam::Options options = {.decay = 0.01}) {
  options.decoupled = true;
  return {parameters, options};
}

/// Scales all gradients so that their common norm is at most `largest`; gives the norm before.
Tensor clip_gradients(const Parameters& parameters, double largest);

}  // namespace tare::ad::nn
