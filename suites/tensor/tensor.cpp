// The tensor suite: every engine on every workload, size and number of threads, one benchmark each, named
// "layer_norm/engine=eager/mode=train/pool=1/size=4096x1024".
//   tare run build/release/bin/tensor --filter '^layer_norm/'
//   tare table last --pivot engine
// infer computes without recording; train times the recorded forward pass and the backward pass (with the
// update, for whole training steps) apart. Before and after timing, result and gradients are held against our
// own engine in double precision, on data not seen before. Benchmarks of engine=graph tell what they do,
// eagerly and as a graph:
//   tare explain build/release/bin/tensor --filter '^mlp_step/engine=graph/mode=train/pool=1/size=32x64'
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "bench/bench.hpp"
#include "engines/tensor/tensor_engine.hpp"
#include "suites/told.hpp"

namespace {

using tare::engines::TensorEngine;
using tare::engines::TensorOffer;

/// Of a block's norm. A sum of thousands of products in single precision, and a ReLU that falls on the other
/// side of 0 now and then, stay far below.
constexpr double tolerance = 1e-2;

/// The worst block's ‖got − want‖ ÷ ‖want‖.
double worst_error(const std::vector<std::vector<float>>& got, const std::vector<std::vector<float>>& want) {
  if (got.size() != want.size()) return INFINITY;
  double worst = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (got[k].size() != want[k].size()) return INFINITY;
    double norm = 1e-12, difference = 0;
    for (std::size_t i = 0; i < got[k].size(); ++i) {
      const double d = static_cast<double>(got[k][i]) - static_cast<double>(want[k][i]);
      norm += static_cast<double>(want[k][i]) * static_cast<double>(want[k][i]);
      difference += d * d;
    }
    const double error = std::sqrt(difference / norm);
    if (!(error <= worst)) worst = std::isnan(error) ? INFINITY : error;
  }
  return worst;
}

void measure(tare::Context& c, const TensorEngine& engine, const TensorOffer& offer,
             const TensorOffer& reference) {
  const auto threads = static_cast<int>(c.param("pool"));
  const bool train = c.param<std::string>("mode") == "train";
  engine.set_threads(threads);
  const std::shared_ptr problem = offer.make(c.seed());
  const auto cost = problem->cost();
  c.workload().shape = problem->shape();
  c.workload().dtype = offer.dtype;
  c.workload().device = "cpu";
  c.workload().batch = problem->shape().front();
  c.workload().threads = threads;
  c.items(problem->items());
  c.flops(cost.forward_flops + (train ? cost.backward_flops : 0));
  c.bytes(cost.forward_bytes + (train ? cost.backward_bytes : 0));
  const auto error = [&](std::uint64_t seed) {
    const auto got = offer.make(seed)->answers();
    auto want = reference.make(seed)->answers();
    if (!offer.trains) want.resize(1);  // what is only computed has no gradients
    return worst_error(got, want);
  };
  c.check([error](std::uint64_t seed) -> tare::CheckResult {
    const double worst = error(seed);
    return {worst <= tolerance, fmt::format("result or gradients are off by {:.2g} of their norm", worst),
            worst};
  });
  const auto once = [&] {
    if (train) {
      problem->step();
    } else {
      problem->infer();
    }
  };
  // A compiled function is captured in its first two calls.
  once();
  once();
  if (const auto peak = engine.peak_bytes(once)) c.counter({"tensor_peak", static_cast<double>(*peak), "B"});
  if (engine.traces) {
    c.explain([=] { return tare::suites::told(problem->trace(train)); },
              [=] {
                auto text = problem->graph(train);
                return tare::ProgramText{std::move(text.steps), std::move(text.dot)};
              });
  }
  if (train && engine.whole_steps) {
    c.measure([&] { problem->step(); });
  } else if (train) {
    c.phases([] { return 0; })
        .phase("forward", [&](int&) { problem->forward(); })
        .phase("backward", [&](int&) { problem->backward(); })
        .batch(1)
        .measure();
  } else {
    c.measure([&] { problem->infer(); });
  }
}

/// How long a step takes eagerly, and to compile from its source or from what is kept on disk.
void measure_compiling(tare::Context& c, const TensorEngine& eager, const TensorOffer& eager_offer,
                       const TensorOffer& graph_offer) {
  const auto from = c.param<std::string>("from");
  eager.set_threads(1);
  const auto problem = (from == "eager_step" ? eager_offer : graph_offer).make(c.seed());
  c.workload().shape = problem->shape();
  c.workload().dtype = eager_offer.dtype;
  problem->step();  // products are chosen here
  if (from == "eager_step") {
    c.measure([&] { problem->step(); });
  } else {
    c.measure_told([&] { return std::chrono::duration<double>(problem->compile(from == "disk")); });
  }
}

const TensorOffer& matching(const TensorEngine& engine, const TensorOffer& offer) {
  return *std::ranges::find_if(engine.offers, [&](const TensorOffer& o) {
    return o.workload == offer.workload && o.size == offer.size;
  });
}

[[maybe_unused]] const bool registered = [] {
  static const auto engines = tare::engines::all_tensor_engines();
  const auto& reference = engines.front();
  for (std::size_t e = 1; e < engines.size(); ++e) {
    const auto& engine = engines[e];
    if (!engine.absent.empty()) {
      tare::registry()
          .add(
              "matmul", [&engine](tare::Context& c) { c.skip(engine.absent); }, tare::build_of_this_file())
          .param("engine", {engine.name})
          .param("mode", {"infer"})
          .param("pool", {"1"})
          .param("size", {"64x64x64"});
      continue;
    }
    for (const auto& offer : engine.offers) {
      auto& added = tare::registry()
                        .add(
                            offer.workload,
                            [&engine, &offer, &wanted = matching(reference, offer)](tare::Context& c) {
                              measure(c, engine, offer, wanted);
                            },
                            tare::build_of_this_file())
                        .param("engine", {engine.name});
      if (offer.trains) {
        added.param("mode", {"infer", "train"});
      } else {
        added.param("mode", {"infer"});
      }
      added.param("pool", {"1", "2"})
          .param("size", {offer.size})
          .tag("engine", engine.name)
          .label(engine.label);
    }
  }
  const auto named = [](const char* name) { return std::ranges::find(engines, name, &TensorEngine::name); };
  for (const auto& offer : named("eager")->offers) {
    if (offer.workload != "mlp_step" && offer.workload != "block_step") continue;
    tare::registry()
        .add(
            "compile/" + offer.workload,
            [eager = named("eager"), &offer, &compiled = matching(*named("graph"), offer)](tare::Context& c) {
              measure_compiling(c, *eager, offer, compiled);
            },
            tare::build_of_this_file())
        .param("from", {"eager_step", "nothing", "disk"})
        .param("size", {offer.size});
  }
  return true;
}();

}  // namespace
