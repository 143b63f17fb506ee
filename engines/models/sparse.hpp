// Networks most of whose weights are zero: only the others are stored and multiplied. In the file a weight is
// its value and how many zeros stand before it (a byte; longer gaps pass through stored zeros), five bytes
// instead of four for each that is left. A product goes over the weights that are left of one output at a
// time, for several inputs at once.
#pragma once

#include "engines/models/network.hpp"

namespace tare::models {

class SparseNetwork {
 public:
  SparseNetwork(const ad::Safetensors& file, const std::vector<std::int64_t>& shape);
  /// x [n, shape…] to [n, outputs]. Not for two threads at once: it keeps its buffers.
  ad::Tensor operator()(const ad::Tensor& x);
  /// Weights that are stored.
  [[nodiscard]] std::int64_t weights() const;
  /// Two per stored weight and row, of one input.
  [[nodiscard]] double flops() const;

 private:
  struct Layer {
    Step step;
    std::vector<float> values;
    std::vector<std::int32_t> columns;
    std::vector<std::size_t> ends;  ///< of each output's weights
    std::vector<float> bias;
  };
  void product(const Layer& layer, const float* x, std::int64_t rows, float* y);
  std::vector<Layer> layers_;
  std::vector<float> current_, next_, patches_, columns_;
};

ad::Safetensors sparse_file_of(const Network& network, const std::vector<std::int64_t>& shape);

}  // namespace tare::models
