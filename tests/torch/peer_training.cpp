// The two models of training_test.cpp and their optimisers, as libtorch has them.
#include <torch/torch.h>

#include "tests/torch/peer.hpp"
#include "tests/torch/peer_tensors.hpp"

namespace tare::ad {
namespace {

using Weights = std::map<std::string, torch::Tensor>;

torch::Tensor linear_of(const torch::Tensor& x, const Weights& w, const std::string& layer) {
  return torch::addmm(w.at(layer + ".bias"), x, w.at(layer + ".weight"));
}

torch::Tensor logits_of(PeerModel model, const torch::Tensor& x, const Weights& w) {
  if (model == PeerModel::mlp) {
    return linear_of(torch::relu(linear_of(torch::relu(linear_of(x, w, "0")), w, "1")), w, "2");
  }
  auto h = torch::relu(torch::conv2d(x, w.at("first.weight"), w.at("first.bias"), 1, 1));
  h = torch::max_pool2d(h, 2, 2);
  h = torch::relu(torch::conv2d(h, w.at("second.weight"), w.at("second.bias"), 2, 1));
  return linear_of(h.flatten(1), w, "head");
}

}  // namespace

std::vector<double> train_with_libtorch(PeerModel model, PeerOptimiser optimiser,
                                        const nn::Parameters& initial, const Tensor& x, const Tensor& targets,
                                        int steps) {
  Weights weights;
  std::vector<torch::Tensor> learnt;
  for (const auto& [name, tensor] : initial) {
    weights[name] = to_torch(tensor.detach()).requires_grad_(true);
    learnt.push_back(weights[name]);
  }
  std::unique_ptr<torch::optim::Optimizer> update;
  if (optimiser == PeerOptimiser::sgd) {
    update = std::make_unique<torch::optim::SGD>(learnt, torch::optim::SGDOptions(0.05).momentum(0.9));
  } else {
    update = std::make_unique<torch::optim::Adam>(learnt, torch::optim::AdamOptions(1e-3));
  }
  const auto data = to_torch(x), classes = to_torch(targets);
  std::vector<double> losses;
  for (int step = 0; step < steps; ++step) {
    update->zero_grad();
    const auto loss = torch::cross_entropy_loss(logits_of(model, data, weights), classes);
    losses.push_back(loss.item<double>());
    loss.backward();
    update->step();
  }
  return losses;
}

}  // namespace tare::ad
