// Why graph mode pays once products are fast, as numbers of this machine:
//   tare explain build/release/bin/story --filter '^mlp/'
//   python3 suites/story/tell.py build/release/bin    measures everything and writes the tables
// mlp: layers of product, layer norm and ReLU, one thread, with products by three plain loops, by the fastest
// library and in 8 bits. repeat_multiply: more and more flops on the same bytes. pair: two operations fused
// or not. batch: does twice the work take twice the time?
// Limits: which library computes products is settled once in a process, so that mlp needs one of its own.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>

#include "ad/compile.hpp"
#include "ad/support/threads.hpp"
#include "ad/tensor/kernels/gemm.hpp"
#include "ad/tensor/mode.hpp"
#include "ad/tensor/ops.hpp"
#include "bench/bench.hpp"
#include "engines/tensor/tracing.hpp"
#include "suites/told.hpp"
#include "workloads/tensor/problem.hpp"

namespace {

using tare::ad::Tensor;
using Function = std::function<Tensor()>;
using Compiled = decltype(tare::ad::compile(Function()));

Tensor uniform(tare::workloads::tensor::Data& data, const tare::ad::Shape& shape, double low, double high) {
  const auto values = data.uniform(shape.count(), low, high);
  return Tensor::of(std::span<const float>(values), shape);
}

/// A function eagerly and compiled, without gradients.
class Both {
 public:
  explicit Both(Function f) : eager_(std::move(f)), graph_(tare::ad::compile(eager_)) {
    // Captured, confirmed, and then the graph alone.
    for (int call = 0; call < 3; ++call) run(true);
  }
  Tensor run(bool graph) {
    const tare::ad::NoGrad quiet;
    return graph ? graph_() : eager_();
  }
  /// The largest difference relative to the largest value.
  double difference() {
    const auto a = run(false).to_vector(), b = run(true).to_vector();
    double worst = 0, largest = 1e-30;
    for (std::size_t i = 0; i < a.size(); ++i) {
      worst = std::max(worst, std::abs(a[i] - b[i]));
      largest = std::max(largest, std::abs(a[i]));
    }
    return worst / largest;
  }
  void explain(tare::Context& c) {
    c.explain(
        [this] {
          using namespace tare::engines;
          return tare::suites::told({traced("eager", eager_overhead_ns(false), [this] { run(false); }),
                                     traced("graph", graph_overhead_ns(), [this] { run(true); })});
        },
        [this] { return tare::ProgramText{graph_.function().steps_text(), graph_.function().graph_dot()}; });
    c.check([this] {
      const double off = difference();
      return tare::CheckResult{off < 1e-4, fmt::format("graph and eager differ by {:.2g}", off), off};
    });
  }

 private:
  Function eager_;
  Compiled graph_;
};

constexpr std::int64_t layers = 4;

struct Layer {
  Tensor weight, weight_8, gain, shift;
};

/// Layer norm makes the scale of 8-bit numbers vanish: nothing has to be scaled back.
Tensor forward(const Tensor& x, const std::vector<Layer>& network, bool eight_bits) {
  using namespace tare::ad;
  Tensor h = x;
  for (const auto& layer : network) {
    const Tensor product = eight_bits ? matmul_i8(cast(clamp(h * 32.0, 0, 127), DType::u8), layer.weight_8)
                                      : matmul(h, layer.weight);
    h = relu(layer_norm(product, layer.gain, layer.shift));
  }
  return h;
}

std::vector<Layer> network_of(tare::workloads::tensor::Data& data, std::int64_t width) {
  std::vector<Layer> network;
  for (std::int64_t i = 0; i < layers; ++i) {
    Layer layer;
    layer.weight = uniform(data, {width, width}, -1, 1);
    layer.weight_8 = tare::ad::cast(layer.weight * 127.0, tare::ad::DType::i8);
    layer.gain = uniform(data, {width}, 0.5, 1.5);
    layer.shift = uniform(data, {width}, -0.1, 0.1);
    network.push_back(layer);
  }
  return network;
}

void mlp(tare::Context& c) {
  const auto by = c.param<std::string>("matmul");
  const auto rows = c.param("rows"), width = c.param("width");
  if (by == "plain") ::setenv("TARE_GEMM", "plain", 1);
  tare::ad::set_thread_count(1);
  tare::workloads::tensor::Data data(c.seed());
  const Tensor x = uniform(data, {rows, width}, 0, 1);
  const auto network = network_of(data, width);
  const std::string used = tare::ad::kernels::gemm_choice({rows, width, width, false, false});
  if (by != "int8" && (used == "plain") != (by == "plain"))
    c.skip(fmt::format("products go to {} in this process already; run it in one of its own", used));
  Both both([&] { return forward(x, network, by == "int8"); });
  c.workload().shape = {rows, width, layers};
  c.workload().dtype = "f32";
  c.workload().precision = by == "int8" ? "u8 by i8 products" : "";
  c.label(by == "int8" ? "8 bits" : used);
  both.explain(c);
  const bool graph = c.param<std::string>("mode") == "graph";
  c.measure([&] { both.run(graph); });
}
TARE_BENCHMARK("mlp", mlp)
    .param("matmul", {"plain", "blas", "int8"})
    .param("mode", {"eager", "graph"})
    .param("rows", {"8192"})
    .param("width", {"64", "128"});

void repeat_multiply(tare::Context& c) {
  const auto count = c.param("count");
  const auto repeats = c.param("repeats");
  tare::ad::set_thread_count(1);
  tare::workloads::tensor::Data data(c.seed());
  const Tensor x = uniform(data, {count}, 0.999, 1.001);
  Both both([&] {
    Tensor y = x * x;
    for (std::int64_t i = 1; i < repeats; ++i) y = y * x;
    return y;
  });
  c.workload().shape = {count};
  c.workload().dtype = "f32";
  c.flops(static_cast<double>(count * repeats)).bytes(8.0 * static_cast<double>(count));
  both.explain(c);
  c.measure([&] { both.run(true); });
}
TARE_BENCHMARK("repeat_multiply", repeat_multiply)
    .param("count", {"16777216"})
    .param("repeats", {"1", "2", "4", "8", "16", "32", "64", "128", "256"});

void pair(tare::Context& c) {
  const auto op = c.param<std::string>("op");
  const auto count = c.param("count");
  tare::ad::set_thread_count(1);
  tare::workloads::tensor::Data data(c.seed());
  const Tensor x = uniform(data, {count}, -1, 1);
  const bool cosine = op == "cos", twice = c.param("calls") == 2;
  Both both([&] {
    // Two cheap ones that no identity can make one of.
    const Tensor y = cosine ? tare::ad::cos(x) : x + 0.5;
    return !twice ? y : cosine ? tare::ad::cos(y) : tare::ad::relu(y);
  });
  c.workload().shape = {count};
  c.workload().dtype = "f32";
  both.explain(c);
  const bool graph = c.param<std::string>("mode") == "graph";
  c.measure([&] { both.run(graph); });
}
TARE_BENCHMARK("pair", pair)
    .param("op", {"cos", "add_relu"})
    .param("calls", {"1", "2"})
    .param("mode", {"eager", "graph"})
    .param("count", {"16777216"});

void batch(tare::Context& c) {
  const auto rows = c.param("rows");
  constexpr std::int64_t width = 16;
  tare::ad::set_thread_count(1);
  tare::workloads::tensor::Data data(c.seed());
  const Tensor x = uniform(data, {rows, width}, 0, 1);
  const auto network = network_of(data, width);
  Both both([&] { return forward(x, network, false); });
  c.workload().shape = {rows, width, layers};
  c.workload().dtype = "f32";
  c.workload().batch = rows;
  both.explain(c);
  const bool graph = c.param<std::string>("mode") == "graph";
  c.measure([&] { both.run(graph); });
}
TARE_BENCHMARK("batch", batch)
    .param("mode", {"eager", "graph"})
    .param("rows", {"1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1024"});

}  // namespace
