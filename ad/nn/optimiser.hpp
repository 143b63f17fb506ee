// Optimisers: a step changes the learnt parameters in place, in one pass over parameter, gradient and state.
//   optimiser.step_on(loss);                                        as gradients come, each freed at once
//   optimiser.zero_gradients(); loss.backward(); optimiser.step();  where all of them are needed, to clip
//   them say
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
  /// With the gradients there are. Parameters without one stay as they are.
  void step();
  /// Backward from the loss, each parameter changed as soon as its gradient is complete: grad() stays as it
  /// is, and no two gradients need be there at once. An error in the middle leaves some parameters changed.
  void step_on(const Tensor& loss);
  /// Rate, step number and averages, to be saved and loaded as parameters are.
  [[nodiscard]] Parameters state() const;

  virtual ~Optimiser() = default;

 protected:
  Optimiser(const Optimiser&) = default;
  Optimiser(Optimiser&&) = default;
  Optimiser& operator=(const Optimiser&) = default;
  Optimiser& operator=(Optimiser&&) = default;
  Optimiser(const Parameters& parameters, double rate, int averages);
  struct Slot {
    std::string name;
    Tensor parameter;
    std::vector<Tensor> averages;
  };
  void count_step();
  virtual void change(Slot& slot, const Tensor& gradient) = 0;

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

 private:
  void change(Slot& slot, const Tensor& gradient) override;
  void change_in_ops(Slot& slot, const Tensor& gradient);
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

 private:
  void change(Slot& slot, const Tensor& gradient) override;
  void change_in_ops(Slot& slot, const Tensor& gradient);
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
