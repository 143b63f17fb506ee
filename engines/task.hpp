// What is to be differentiated, without its type: a workload of one size with everything needed to judge an
// engine's answer. The reference is the hand-written adjoint and, independent of it, differences of the
// function in extended precision.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engines/engine.hpp"
#include "workloads/workload.hpp"

namespace tare::engines {

class Task {
 public:
  Task() = default;
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  [[nodiscard]] virtual std::size_t inputs() const = 0;
  /// Of one evaluation, counted at x: those that depend on an input.
  [[nodiscard]] virtual std::size_t operations(const std::vector<double>& x) const = 0;
  [[nodiscard]] virtual std::vector<workloads::Block> blocks() const = 0;
  [[nodiscard]] virtual std::vector<double> point(std::uint64_t seed) const = 0;
  virtual double value(const double* x) = 0;
  /// By the hand-written adjoint.
  virtual double gradient(const double* x, double* g) = 0;
  /// d/dt f(x + t·direction), by central differences of long doubles.
  [[nodiscard]] virtual double along(std::span<const double> x, std::span<const double> direction) const = 0;
};

struct TaskInfo {
  std::string workload;
  std::size_t n = 0;
  std::function<std::unique_ptr<Task>(std::uint64_t seed)> make;
};

/// Every workload at each of its sizes.
std::vector<TaskInfo> all_tasks();

struct Judgement {
  bool passed = false;
  std::string message;  ///< what is wrong, and where
  double error = 0;     ///< the largest relative to its block
};

/// Asks the engine for the gradient at a point drawn from the seed. Rejected: anything not finite, a block
/// further from the reference than the tolerance, a slope along a random direction that the function itself
/// does not have. All zeros fail both tests at every size, since errors are relative to the reference.
Judgement judge(Task& task, Problem& problem, double tolerance, std::uint64_t seed);

}  // namespace tare::engines
