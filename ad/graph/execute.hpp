// Executes a graph: values live in memory planned beforehand, each place given on as soon as its value was
// read for the last time. Steps are kernels, or instructions by the rows' own code.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ad/graph/fuse.hpp"

namespace tare::ad::graph {

class Executable {
 public:
  /// Kernels become machine code by `compiler`; without one, or where it gives none, they are interpreted.
  Executable(const Graph& graph, const Passes& passes, KernelCompiler compiler = nullptr);
  ~Executable();
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;

  /// The results; assignments are carried out. Inputs are of the graph's types. One call at a time.
  std::vector<Tensor> run(std::span<const Tensor> arguments, std::span<Tensor> captured,
                          std::span<const std::int64_t> seeds);

  /// Of the values between inputs and results.
  [[nodiscard]] std::int64_t planned_bytes() const;
  /// One line a step: what it computes, and of which instructions.
  [[nodiscard]] std::string steps_text() const;
  /// For dot_of(): the step of each instruction that is part of a kernel.
  [[nodiscard]] std::vector<std::string> groups() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tare::ad::graph
