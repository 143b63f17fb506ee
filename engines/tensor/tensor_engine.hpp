// What a tensor engine is to the suite: a name, and workloads it can compute and differentiate. The suite
// sees nothing else of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/tensor/problem.hpp"

namespace tare::engines {

/// One executed operation.
struct TracedOp {
  std::string name{};
  bool matmul = false;
  std::vector<workloads::tensor::Sizes> shapes{};  ///< of the operands
  double start_ns = 0;                             ///< since the first one began
  double duration_ns = 0;
  double flops = 0;
  double bytes = 0;
};
/// One execution, in one of the ways there are.
struct TracedMode {
  std::string mode{};
  std::vector<TracedOp> ops{};
  double wall_ns = 0;
  double overhead_ns = 0;  ///< of an operation that has next to nothing to do
};
struct GraphText {
  std::string steps{};
  std::string dot{};
};

class TensorProblem {
 public:
  TensorProblem() = default;
  virtual ~TensorProblem() = default;
  TensorProblem(const TensorProblem&) = delete;
  TensorProblem& operator=(const TensorProblem&) = delete;

  /// Computes the result without recording.
  virtual void infer() = 0;
  /// Records; the last recording is what backward() sweeps.
  virtual void forward() = 0;
  /// Gradients, and for a training step the update.
  virtual void backward() = 0;
  /// Both at once, as a compiled function does it.
  virtual void step() {
    forward();
    backward();
  }
  [[nodiscard]] virtual bool differentiates() const = 0;
  /// Result and gradients of a fresh computation, for a check.
  virtual std::vector<std::vector<float>> answers() = 0;

  /// One execution in each way there is, operation by operation: of infer(), or of a step. Empty when the
  /// engine does not tell.
  virtual std::vector<TracedMode> trace(bool /*train*/) { return {}; }
  /// What was made of the program, after it was executed; empty when the engine does not tell.
  virtual GraphText graph(bool /*train*/) { return {}; }

  /// Seconds to make the step's program anew, from its source or from what an earlier process kept on disk.
  virtual double compile(bool /*kept*/) { return 0; }

  [[nodiscard]] virtual workloads::tensor::Sizes shape() const = 0;
  [[nodiscard]] virtual workloads::tensor::Cost cost() const = 0;
  [[nodiscard]] virtual double items() const = 0;
};

struct TensorOffer {
  std::string workload;
  std::string size;
  std::string dtype = "f32";
  bool trains = true;  ///< or is computed only
  std::function<std::unique_ptr<TensorProblem>(std::uint64_t seed)> make;
};

struct TensorEngine {
  std::string name{};
  std::string label{};
  std::string absent{};      ///< why it cannot run here; then it offers nothing
  bool whole_steps = false;  ///< forward and backward cannot be timed apart
  bool traces = false;       ///< its problems tell what they do
  std::function<void(int)> set_threads{};
  /// The most bytes of tensors alive during f beyond those alive before, where the engine can tell.
  std::function<std::optional<std::int64_t>(const std::function<void()>& f)> peak_bytes{};
  std::vector<TensorOffer> offers{};
};

/// Every tensor engine of this build, present or absent. The first, "reference", is ours in double precision.
std::vector<TensorEngine> all_tensor_engines();

}  // namespace tare::engines
