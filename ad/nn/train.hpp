// The training loop: epochs over batches, a step of the caller's for each, and a report after every epoch.
// Nothing is printed here.
//   Adam optimiser(model.parameters(), {});
//   train([&](const Batch& b) { return update(cross_entropy(model(b.x), b.y), optimiser); },
//         [&](int) { return shuffled_batches(data, 32, generator); }, {.epochs = 10, .progress = show});
#pragma once

#include <functional>
#include <vector>

#include "ad/tensor/tensor.hpp"

namespace tare::ad::nn {

/// Inputs and what is wanted of them; the first axis counts samples.
struct Batch {
  Tensor x, y;
};

/// `size` samples each, in their order; the last may have fewer.
std::vector<Batch> batches_of(const Batch& data, std::int64_t size);
/// The same in another order, drawn from the generator.
std::vector<Batch> shuffled_batches(const Batch& data, std::int64_t size, Generator& generator);

struct Progress {
  int epoch;    ///< that ended, from 0
  int epochs;   ///< that were asked for
  double loss;  ///< mean over the epoch's batches
  std::int64_t batches;
};

struct TrainOptions {
  int epochs = 1;
  /// Called after each epoch; false ends the training.
  std::function<bool(const Progress&)> progress = {};
};

/// Gives each epoch's mean loss. `step` learns from one batch and gives its loss; a loss that is not finite
/// is an AdError that names epoch and batch.
std::vector<double> train(const std::function<Tensor(const Batch&)>& step,
                          const std::function<std::vector<Batch>(int epoch)>& batches,
                          const TrainOptions& options);

/// One step down the loss's gradient; gives the loss.
template <class Optimiser>
Tensor update(const Tensor& loss, Optimiser& optimiser) {
  optimiser.step_on(loss);
  return loss;
}

}  // namespace tare::ad::nn
