#include "engines/models/shrink.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ad/tensor/ops.hpp"

namespace tare::models {
namespace {

/// Next layer with weights.
std::size_t next_weights(const Network& network, std::size_t layer) {
  do ++layer;
  while (layer < network.layers.size() && !network.layers[layer].spec.has_weights());
  return layer;
}

/// Root of the sum of squares of each output's weights in, and of each input's weights out, over `group`
/// inputs that one output before becomes.
std::vector<double> norms_in(const Layer& layer) {
  const bool linear = layer.spec.kind == Kind::linear;
  return ad::norm(linear ? layer.weight : ad::reshape(layer.weight, {layer.spec.out, -1}), {linear ? 0 : 1})
      .to_vector();
}
std::vector<double> norms_out(const Layer& layer, std::int64_t units) {
  if (layer.spec.kind == Kind::linear)
    return ad::norm(ad::reshape(layer.weight, {units, -1}), {1}).to_vector();
  return ad::norm(ad::reshape(layer.weight, {layer.spec.out, units, 9}), {0, 2}).to_vector();
}

ad::Tensor rows_of(const ad::Tensor& x, const ad::Tensor& kept) {
  return ad::contiguous(ad::embedding(ad::contiguous(x), kept));
}
ad::Tensor learnt(const ad::Tensor& x) {
  return ad::copy(x).detach().requires_grad();
}

}  // namespace

std::map<std::string, ad::Tensor> magnitude_masks(const Network& network, double share) {
  std::map<std::string, std::vector<double>> scores;
  std::vector<double> all;
  for (const auto& [name, tensor] : network.parameters()) {
    if (!name.ends_with(".weight")) continue;
    const auto weights = tensor.values<float>();
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, std::greater{}, [&](std::size_t i) { return std::abs(weights[i]); });
    auto& own = scores[name];
    own.resize(weights.size());
    double larger = 0;
    for (const auto i : order) {
      const double square = static_cast<double>(weights[i]) * static_cast<double>(weights[i]);
      larger += square;
      own[i] = square > 0 ? square / larger : 0;
    }
    all.insert(all.end(), own.begin(), own.end());
  }
  const auto cut = all.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(all.size()));
  std::ranges::nth_element(all, cut);
  std::map<std::string, ad::Tensor> masks;
  for (const auto& [name, own] : scores) {
    ad::Tensor mask = ad::Tensor::empty(network.parameters().at(name).shape());
    std::ranges::transform(own, mask.mutable_values<float>().begin(),
                           [least = *cut](double score) { return score >= least ? 1.0F : 0.0F; });
    masks[name] = mask;
  }
  return masks;
}

void apply_masks(Network& network, const std::map<std::string, ad::Tensor>& masks) {
  const ad::NoGrad quiet;
  for (auto& [name, tensor] : network.parameters())
    if (const auto mask = masks.find(name); mask != masks.end())
      ad::Tensor(tensor).copy_(tensor * mask->second);
}

Network narrowed(const Network& network, double keep) {
  const ad::NoGrad quiet;
  Network made = copy_of(network);
  for (std::size_t i = 0; i < made.layers.size(); ++i) {
    auto& layer = made.layers[i];
    const auto next = next_weights(made, i);
    if (!layer.spec.has_weights() || next == made.layers.size()) continue;
    auto& after = made.layers[next];
    const auto units = layer.spec.out;
    auto scores = norms_in(layer);
    const auto out = norms_out(after, units);
    for (std::size_t j = 0; j < scores.size(); ++j) scores[j] *= out[j];
    std::vector<std::int64_t> kept(static_cast<std::size_t>(units));
    std::iota(kept.begin(), kept.end(), 0);
    std::ranges::stable_sort(kept, std::greater{},
                             [&](std::int64_t j) { return scores[static_cast<std::size_t>(j)]; });
    kept.resize(
        std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(keep * static_cast<double>(units)))));
    std::ranges::sort(kept);
    const auto left = static_cast<std::int64_t>(kept.size());
    const ad::Tensor index = ad::Tensor::of(std::span<const std::int64_t>(kept), {left});

    const bool linear = layer.spec.kind == Kind::linear;
    layer.weight = learnt(linear ? ad::transpose(rows_of(ad::transpose(layer.weight), index))
                                 : ad::reshape(rows_of(ad::reshape(layer.weight, {units, -1}), index),
                                               {left, layer.spec.in, 3, 3}));
    layer.bias = learnt(ad::reshape(rows_of(ad::reshape(layer.bias, {units, 1}), index), {left}));
    layer.spec.out = left;
    if (after.spec.kind == Kind::linear) {
      // A unit before is one input, a channel before is a whole picture of them.
      const auto each = after.spec.in / units;
      after.weight = learnt(
          ad::reshape(rows_of(ad::reshape(after.weight, {units, -1}), index), {left * each, after.spec.out}));
      after.spec.in = left * each;
    } else {
      const ad::Tensor by_input =
          ad::reshape(ad::contiguous(ad::permute(after.weight, {1, 0, 2, 3})), {units, -1});
      after.weight = learnt(ad::contiguous(
          ad::permute(ad::reshape(rows_of(by_input, index), {left, after.spec.out, 3, 3}), {1, 0, 2, 3})));
      after.spec.in = left;
    }
  }
  return made;
}

Network low_rank(const Network& network, std::int64_t rank) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const ad::NoGrad quiet;
  Network made;
  for (const auto& layer : copy_of(network).layers) {
    const auto in = layer.spec.in, out = layer.spec.out;
    if (layer.spec.kind != Kind::linear || rank * (in + out) >= in * out) {
      made.layers.push_back(layer);
      continue;
    }
    const Matrix weight = Eigen::Map<const Matrix>(layer.weight.values<float>().data(), in, out);
    const Eigen::BDCSVD<Matrix> svd(weight, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::VectorXf roots = svd.singularValues().head(rank).cwiseSqrt();
    const Matrix first = svd.matrixU().leftCols(rank) * roots.asDiagonal();
    const Matrix second = roots.asDiagonal() * svd.matrixV().leftCols(rank).transpose();
    const auto tensor = [](const Matrix& m) {
      return ad::Tensor::of(std::span<const float>(m.data(), static_cast<std::size_t>(m.size())),
                            {m.rows(), m.cols()})
          .requires_grad();
    };
    made.layers.push_back(
        {{Kind::linear, in, rank}, tensor(first), ad::Tensor::zeros({rank}).requires_grad()});
    made.layers.push_back({{Kind::linear, rank, out}, tensor(second), layer.bias});
  }
  return made;
}

}  // namespace tare::models
