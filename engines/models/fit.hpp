// Training of networks, seeded: the same recipe gives the same weights on the same machine.
#pragma once

#include "ad/nn/train.hpp"
#include "engines/models/network.hpp"
#include "workloads/tasks/task.hpp"

namespace tare::models {

struct Recipe {
  int epochs = 1;
  double rate = 1e-3;  ///< of Adam with decoupled decay; falls to 0 along half a cosine
  double decay = 1e-2;
  std::int64_t batch = 32;
  std::uint64_t seed = 1;
};

/// What is to be made small: of a network's answer to a batch.
using Loss = std::function<ad::Tensor(const ad::Tensor& answer, const ad::nn::Batch& batch)>;
/// Cross-entropy of the labels.
ad::Tensor wrong_labels(const ad::Tensor& answer, const ad::nn::Batch& batch);
/// Mean squared difference from the input.
ad::Tensor wrong_copies(const ad::Tensor& answer, const ad::nn::Batch& batch);
/// Of a student: `share` of it differences from the teacher's softened answer, the rest wrong labels.
Loss unlike_teacher(const Network& teacher, double temperature = 3, double share = 0.7);

/// `after_step` may put right what a step must not change.
void fit(const Network& network, const ad::nn::Batch& examples, const Recipe& recipe, const Loss& loss,
         const std::function<void()>& after_step = {});

/// Inputs [n, shape…] and labels [n], of the task's own memory.
ad::nn::Batch batch_of(const workloads::Task& task, const workloads::Examples& examples);

}  // namespace tare::models
