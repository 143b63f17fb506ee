#include "engines/models/fit.hpp"

#include "ad/nn/optimiser.hpp"
#include "ad/nn/schedule.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::models {

ad::Tensor wrong_labels(const ad::Tensor& answer, const ad::nn::Batch& batch) {
  return ad::cross_entropy(answer, batch.y);
}

ad::Tensor wrong_copies(const ad::Tensor& answer, const ad::nn::Batch& batch) {
  return ad::mean(ad::square(answer - batch.x));
}

Loss unlike_teacher(const Network& teacher, double temperature, double share) {
  return [=](const ad::Tensor& answer, const ad::nn::Batch& batch) {
    const ad::Tensor wanted = [&] {
      const ad::NoGrad quiet;
      return ad::softmax(teacher(batch.x) / temperature);
    }();
    const ad::Tensor differs = -ad::mean(ad::sum(wanted * ad::log_softmax(answer / temperature), {1}));
    // Softened gradients shrink with the temperature squared (Hinton, Vinyals, Dean 2015).
    return differs * (share * temperature * temperature) + wrong_labels(answer, batch) * (1 - share);
  };
}

void fit(const Network& network, const ad::nn::Batch& examples, const Recipe& recipe, const Loss& loss,
         const std::function<void()>& after_step) {
  const ad::Deterministic same_weights_everywhere;
  ad::Generator generator(recipe.seed);
  ad::nn::Adam optimiser = ad::nn::adamw(network.parameters(), {.rate = recipe.rate, .decay = recipe.decay});
  const auto each = (examples.x.size(0) + recipe.batch - 1) / recipe.batch;
  const auto step = [&](const ad::nn::Batch& batch) {
    optimiser.set_rate(recipe.rate * ad::nn::cosine(optimiser.steps(), recipe.epochs * each));
    ad::Tensor lost = ad::nn::update(loss(network(batch.x), batch), optimiser);
    if (after_step) after_step();
    return lost;
  };
  ad::nn::train(step, [&](int) { return ad::nn::shuffled_batches(examples, recipe.batch, generator); },
                {.epochs = recipe.epochs});
}

ad::nn::Batch batch_of(const workloads::Task& task, const workloads::Examples& examples) {
  ad::Shape shape{examples.count()};
  for (const auto size : task.shape) shape.push(size);
  return {ad::Tensor::view_of(std::span(examples.inputs), shape),
          ad::Tensor::view_of(std::span(examples.labels), {examples.count()})};
}

}  // namespace tare::models
