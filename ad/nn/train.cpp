#include "ad/nn/train.hpp"

#include <cmath>
#include <fmt/format.h>

#include "ad/tensor/ops.hpp"

namespace tare::ad::nn {
namespace {

std::int64_t checked_samples(const Batch& data, std::int64_t size) {
  if (data.x.rank() == 0 || data.y.rank() == 0 || data.x.size(0) != data.y.size(0) || data.x.size(0) == 0 ||
      size < 1) {
    throw AdError(
        fmt::format("batches of {} from x {} and y {}: at least one sample is needed, as many in y as in x",
                    size, text_of(data.x.shape()), text_of(data.y.shape())));
  }
  return data.x.size(0);
}

/// Rows of a tensor in a given order.
Tensor rows(const Tensor& x, const Tensor& order) {
  const Tensor flat = reshape(x, {x.size(0), -1});
  Shape shape = x.shape();
  shape[0] = order.count();
  return reshape(embedding(flat, order), shape);
}

}  // namespace

std::vector<Batch> batches_of(const Batch& data, std::int64_t size) {
  const auto samples = checked_samples(data, size);
  std::vector<Batch> all;
  for (std::int64_t begin = 0; begin < samples; begin += size) {
    const auto end = std::min(samples, begin + size);
    all.push_back({slice(data.x, 0, begin, end), slice(data.y, 0, begin, end)});
  }
  return all;
}

std::vector<Batch> shuffled_batches(const Batch& data, std::int64_t size, Generator& generator) {
  const auto samples = checked_samples(data, size);
  Tensor order = Tensor::arange(samples);
  const auto places = order.mutable_values<std::int64_t>();
  // Fisher and Yates: each order is equally likely, but for a bias of samples/2⁶⁴.
  for (std::size_t left = places.size(); left > 1; --left)
    std::swap(places[left - 1], places[static_cast<std::size_t>(generator.next() % left)]);
  return batches_of({rows(data.x, order), rows(data.y, order)}, size);
}

std::vector<double> train(const std::function<Tensor(const Batch&)>& step,
                          const std::function<std::vector<Batch>(int epoch)>& batches,
                          const TrainOptions& options) {
  if (options.epochs < 1)
    throw AdError(fmt::format("train: {} epochs: at least one is needed", options.epochs));
  std::vector<double> losses;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    const auto all = batches(epoch);
    if (all.empty()) throw AdError(fmt::format("train: epoch {} has no batches", epoch));
    double total = 0;
    for (std::size_t at = 0; at < all.size(); ++at) {
      const double loss = step(all[at]).item();
      if (!std::isfinite(loss)) {
        throw AdError(
            fmt::format("train: the loss of batch {} in epoch {} is {}: lower the rate, or use NanMonitor to "
                        "find the op",
                        at, epoch, loss));
      }
      total += loss;
    }
    losses.push_back(total / static_cast<double>(all.size()));
    if (options.progress &&
        !options.progress({epoch, options.epochs, losses.back(), static_cast<std::int64_t>(all.size())}))
      break;
  }
  return losses;
}

}  // namespace tare::ad::nn
