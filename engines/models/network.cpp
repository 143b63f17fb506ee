#include "engines/models/network.hpp"

#include <fmt/format.h>

#include "ad/nn/init.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::models {
namespace {

ad::Shape weight_shape(const LayerSpec& spec) {
  return spec.kind == Kind::linear ? ad::Shape{spec.in, spec.out} : ad::Shape{spec.out, spec.in, 3, 3};
}

ad::Tensor apply_layer(const Layer& layer, const ad::Tensor& x) {
  switch (layer.spec.kind) {
    case Kind::linear:
      return ad::linear(x, layer.weight, layer.bias);
    case Kind::convolution:
      return ad::conv2d(x, layer.weight, layer.bias, {.padding = 1});
    case Kind::relu:
      return ad::relu(x);
    case Kind::pool:
      return ad::max_pool2d(x);
    case Kind::flatten:
      return ad::reshape(x, {x.size(0), -1});
  }
  throw ad::AdError("network: a layer of no known kind");
}

}  // namespace

ad::Tensor Network::operator()(const ad::Tensor& x) const {
  ad::Tensor y = apply_layer(layers.front(), x);
  for (std::size_t i = 1; i < layers.size(); ++i) y = apply_layer(layers[i], y);
  return y;
}

ad::nn::Parameters Network::parameters() const {
  ad::nn::Parameters all;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].spec.has_weights())
      ad::nn::add_part(all, std::to_string(i), {{"weight", layers[i].weight}, {"bias", layers[i].bias}});
  }
  return all;
}

Structure Network::structure() const {
  Structure structure;
  for (const auto& layer : layers) structure.push_back(layer.spec);
  return structure;
}

Network make_network(const Structure& structure, ad::Generator& generator) {
  Network network;
  for (const auto& spec : structure) {
    Layer layer{spec, {}, {}};
    if (spec.has_weights()) {
      const auto fan_in = spec.in * (spec.kind == Kind::convolution ? 9 : 1);
      layer.weight =
          ad::nn::uniform(weight_shape(spec), ad::nn::kaiming_bound(fan_in), generator).requires_grad();
      layer.bias = ad::Tensor::zeros({spec.out}).requires_grad();
    }
    network.layers.push_back(std::move(layer));
  }
  return network;
}

Network copy_of(const Network& network) {
  const ad::NoGrad quiet;
  Network made;
  for (const auto& layer : network.layers) {
    made.layers.push_back({layer.spec, {}, {}});
    if (!layer.spec.has_weights()) continue;
    made.layers.back().weight = ad::copy(layer.weight).detach().requires_grad();
    made.layers.back().bias = ad::copy(layer.bias).detach().requires_grad();
  }
  return made;
}

std::vector<ad::Tensor> inputs_of_layers(const Network& network, const ad::Tensor& x) {
  std::vector<ad::Tensor> inputs;
  ad::Tensor y = x;
  for (const auto& layer : network.layers) {
    if (layer.spec.has_weights()) inputs.push_back(y);
    y = apply_layer(layer, y);
  }
  return inputs;
}

std::vector<ad::Tensor> matrices_of(const Network& network, const std::vector<Step>& steps) {
  const ad::NoGrad quiet;
  std::vector<ad::Tensor> matrices;
  const Step* before = nullptr;
  for (const auto& step : steps) {
    const auto& weight = network.layers[step.layer].weight;
    ad::Tensor matrix = step.patches ? ad::permute(weight, {0, 2, 3, 1}) : ad::transpose(weight);
    if (!step.patches && before != nullptr && before->patches) {
      // Eager mode flattens [channels, height, width].
      const auto shrunk = before->pool ? 2 : 1;
      const auto height = before->height / shrunk, width = before->width / shrunk;
      matrix = ad::permute(ad::reshape(matrix, {step.n, before->n, height, width}), {0, 2, 3, 1});
    }
    matrices.push_back(ad::contiguous(ad::reshape(ad::contiguous(matrix), {step.n, step.k})).detach());
    before = &step;
  }
  return matrices;
}

ad::Safetensors file_of(const Network& network) {
  return {network.parameters(), {{"kind", "network"}, {"structure", text_of(network.structure())}}};
}

Network network_of(const ad::Safetensors& file) {
  Network network;
  for (const auto& spec : parse_structure(text_in(file, "structure"))) {
    Layer layer{spec, {}, {}};
    if (spec.has_weights()) {
      const auto name = std::to_string(network.layers.size());
      layer.weight = tensor_of(file, name + ".weight", ad::DType::f32, weight_shape(spec));
      layer.bias = tensor_of(file, name + ".bias", ad::DType::f32, {spec.out});
    }
    network.layers.push_back(std::move(layer));
  }
  return network;
}

const ad::Tensor& tensor_of(const ad::Safetensors& file, const std::string& name, ad::DType dtype,
                            const ad::Shape& shape) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end()) throw ad::AdError(fmt::format("model file: no tensor '{}'", name));
  if (found->second.dtype() != dtype || !(found->second.shape() == shape)) {
    throw ad::AdError(fmt::format("model file: tensor '{}' is {} {}, not {} {}", name,
                                  ad::name_of(found->second.dtype()), ad::text_of(found->second.shape()),
                                  ad::name_of(dtype), ad::text_of(shape)));
  }
  return found->second;
}

const std::string& text_in(const ad::Safetensors& file, const std::string& name) {
  const auto found = file.metadata.find(name);
  if (found == file.metadata.end()) throw ad::AdError(fmt::format("model file: '{}' is not stated", name));
  return found->second;
}

}  // namespace tare::models
