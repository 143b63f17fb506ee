// libtorch as our tests see it: plain questions and answers in our own types, so that its headers stay in the
// peer_*.cpp files.
#pragma once

#include <string>
#include <vector>

#include "ad/nn/parameters.hpp"
#include "ad/tensor/tensor.hpp"

namespace tare::ad {

/// False for rows that libtorch has no counterpart of; peer_rows.cpp says why for each.
bool libtorch_has(Op op);

struct PeerAnswer {
  Tensor value;
  std::vector<Tensor> gradients;  ///< one per input of a floating type, others undefined; none without a seed
};
/// The first output of a row, and the gradients of Σ seed·output.
PeerAnswer ask_libtorch(Op op, const std::vector<Tensor>& inputs, const Attributes& attributes,
                        const Tensor& seed);

enum class PeerModel { mlp, cnn };
enum class PeerOptimiser { sgd, adam };
/// The loss before each of `steps` steps on the same batch.
std::vector<double> train_with_libtorch(PeerModel model, PeerOptimiser optimiser,
                                        const nn::Parameters& initial, const Tensor& x, const Tensor& targets,
                                        int steps);

}  // namespace tare::ad
