// Turns an engine's class of operations into offers for every tensor workload.
#pragma once

#include "engines/tensor/tensor_engine.hpp"
#include "workloads/tensor/all.hpp"

namespace tare::engines {

template <class W, class E>
class OnTensors final : public TensorProblem {
 public:
  OnTensors(const std::string& size, std::uint64_t seed) : workload_(size, seed) {}

  void infer() override {
    const typename E::NoGrad quiet;
    E::consume(workload_.forward());
  }
  void forward() override { result_ = workload_.forward(); }
  void backward() override {
    auto& parameters = workload_.in.parameters;
    if constexpr (requires { E::backward_and_descend(result_, parameters, W::learning_rate); }) {
      E::backward_and_descend(result_, parameters, W::learning_rate);
    } else {
      sweep();
      if constexpr (requires { W::learning_rate; }) E::descend(parameters, W::learning_rate);
    }
    E::clear(parameters);
    result_ = typename E::Tensor();
  }
  [[nodiscard]] bool differentiates() const override { return !workload_.in.parameters.empty(); }
  std::vector<std::vector<float>> answers() override {
    forward();
    std::vector<std::vector<float>> all{E::values(result_)};
    if (!differentiates()) return all;
    sweep();
    for (const auto& parameter : workload_.in.parameters) all.push_back(E::gradient(parameter));
    E::clear(workload_.in.parameters);
    result_ = typename E::Tensor();
    return all;
  }
  [[nodiscard]] workloads::tensor::Sizes shape() const override { return workload_.shape(); }
  [[nodiscard]] workloads::tensor::Cost cost() const override { return workload_.cost(); }
  [[nodiscard]] double items() const override { return workload_.items(); }

 private:
  void sweep() {
    if constexpr (requires { workload_.seed_gradient; }) {
      E::backward(result_, workload_.seed_gradient);
    } else {
      E::backward(result_);
    }
  }

  W workload_;
  typename E::Tensor result_{};
};

template <class E, template <class, class> class Problem = OnTensors>
std::vector<TensorOffer> tensor_offers() {
  std::vector<TensorOffer> offers;
  workloads::tensor::each_workload<E>([&]<class W>() {
    constexpr bool only_computed = requires { W::computed_only; };
    for (const auto& size : W::sizes()) {
      offers.push_back({.workload = std::string(W::name),
                        .size = size,
                        .trains = !only_computed,
                        .make = [size](std::uint64_t seed) -> std::unique_ptr<TensorProblem> {
                          return std::make_unique<Problem<W, E>>(size, seed);
                        }});
    }
  });
  return offers;
}

}  // namespace tare::engines
