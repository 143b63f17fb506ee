// Layers in a row: the networks that are trained and run in eager mode, op by op.
#pragma once

#include "ad/nn/parameters.hpp"
#include "ad/tensor/files.hpp"
#include "engines/models/structure.hpp"

namespace tare::models {

struct Layer {
  LayerSpec spec;
  ad::Tensor weight;  ///< linear: [in, out]; convolution: [out, in, 3, 3]
  ad::Tensor bias;    ///< [out]
};

struct Network {
  std::vector<Layer> layers;

  ad::Tensor operator()(const ad::Tensor& x) const;
  [[nodiscard]] ad::nn::Parameters parameters() const;  ///< "0.weight", "0.bias", …
  [[nodiscard]] Structure structure() const;
};

/// With first values drawn from the generator.
Network make_network(const Structure& structure, ad::Generator& generator);
/// A copy that shares nothing.
Network copy_of(const Network& network);

/// What each layer with weights gets for these inputs, for calibration.
std::vector<ad::Tensor> inputs_of_layers(const Network& network, const ad::Tensor& x);
/// The matrix [n, k] of each step, for pictures that lie channels last.
std::vector<ad::Tensor> matrices_of(const Network& network, const std::vector<Step>& steps);

ad::Safetensors file_of(const Network& network);
/// Throws an AdError that names what is missing or does not fit the stated structure.
Network network_of(const ad::Safetensors& file);
/// A tensor of a file by name, type and shape; throws an AdError that names it otherwise.
const ad::Tensor& tensor_of(const ad::Safetensors& file, const std::string& name, ad::DType dtype,
                            const ad::Shape& shape);
const std::string& text_in(const ad::Safetensors& file, const std::string& name);

}  // namespace tare::models
