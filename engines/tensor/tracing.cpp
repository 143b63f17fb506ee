#include "engines/tensor/tracing.hpp"

#include <algorithm>
#include <chrono>

#include "ad/compile.hpp"
#include "ad/tensor/mode.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::engines {
namespace {

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool is_matmul(const ad::Event& event) {
  if (!event.kernel.empty()) return false;  // products are never fused into kernels
  switch (event.op) {
    case ad::Op::matmul:
    case ad::Op::add_matmul:
    case ad::Op::matmul_i8:
    case ad::Op::linear:
    case ad::Op::conv2d:
    case ad::Op::conv2d_grad_input:
    case ad::Op::conv2d_grad_weight:
    case ad::Op::attention:
    case ad::Op::attention_grad:
      return true;
    default:
      return false;
  }
}

/// The best of several rounds: whatever else runs can only make it longer.
double best_ns(const std::function<void()>& work) {
  constexpr int rounds = 20, calls = 200;
  double best = 1e18;
  for (int round = 0; round < rounds; ++round) {
    const double start = now_ns();
    for (int call = 0; call < calls; ++call) work();
    best = std::min(best, (now_ns() - start) / calls);
  }
  return best;
}

/// A chain of products of single numbers, which cannot be fused.
double chain_ns(int length) {
  ad::Tensor x = ad::Tensor::ones({1, 1});
  auto chain = ad::compile([length](const ad::Tensor& start) {
    ad::Tensor y = start;
    for (int i = 0; i < length; ++i) y = ad::matmul(y, start);
    return y;
  });
  const ad::NoGrad quiet;
  return best_ns([&] { chain(x); });
}

}  // namespace

TracedMode traced(std::string mode, double overhead_ns, const std::function<void()>& work) {
  std::vector<ad::Event> events;
  TracedMode told{.mode = std::move(mode), .overhead_ns = overhead_ns};
  {
    const ad::TraceEvents watch(events);
    const double start = now_ns();
    work();
    told.wall_ns = now_ns() - start;
  }
  for (const auto& event : events) {
    TracedOp op{.name = event.kernel.empty() ? std::string(ad::name_of(event.op)) : event.kernel,
                .matmul = is_matmul(event),
                .start_ns = static_cast<double>(event.start_ns - events.front().start_ns),
                .duration_ns = static_cast<double>(event.duration_ns),
                .flops = event.flops,
                .bytes = event.bytes};
    for (const auto& shape : event.shapes) {
      const auto sizes = shape.list();
      op.shapes.emplace_back(sizes.begin(), sizes.end());
    }
    told.ops.push_back(std::move(op));
  }
  return told;
}

double eager_overhead_ns(bool recorded) {
  const auto measure = [](bool grad) {
    const ad::Tensor x = ad::Tensor::ones({1}).requires_grad(grad);
    return best_ns([&] { ad::add(x, x); });
  };
  static const double plain = measure(false), tracked = measure(true);
  return recorded ? tracked : plain;
}

double graph_overhead_ns() {
  constexpr int steps = 32;
  static const double each = std::max(0.0, (chain_ns(steps) - chain_ns(1)) / (steps - 1));
  return each;
}

}  // namespace tare::engines
