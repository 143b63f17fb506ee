#include "engines/task.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "workloads/all.hpp"
#include "workloads/counted.hpp"

namespace tare::engines {
namespace {

template <class W>
class TaskOf final : public Task {
 public:
  TaskOf(std::size_t n, std::uint64_t seed)
      : workload_(n, seed), scratch_(workload_.scratch()), adjoint_scratch_(workload_.adjoint_scratch()) {}
  [[nodiscard]] std::size_t inputs() const override { return workload_.inputs(); }
  [[nodiscard]] std::size_t operations(const std::vector<double>& x) const override {
    return workloads::operations_of(workload_, x);
  }
  [[nodiscard]] std::vector<workloads::Block> blocks() const override { return workload_.blocks(); }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const override { return workload_.point(seed); }
  double value(const double* x) override { return workload_.value(x, scratch_.data()); }
  double gradient(const double* x, double* g) override {
    return workload_.gradient(x, g, adjoint_scratch_.data());
  }
  [[nodiscard]] double along(std::span<const double> x, std::span<const double> direction) const override {
    std::vector<long double> at(x.size());
    std::vector<long double> scratch(workload_.scratch());
    const auto value = [&](long double step) {
      for (std::size_t i = 0; i < x.size(); ++i) at[i] = x[i] + step * direction[i];
      return workload_.value(at.data(), scratch.data());
    };
    // Long chains bend within 1/n: a step this short stays straight at a million links and leaves long
    // doubles ten digits.
    const long double step = 1e-8L / std::sqrt(static_cast<long double>(x.size() + 100));
    return static_cast<double>((value(step) - value(-step)) / (2 * step));
  }

 private:
  W workload_;
  std::vector<double> scratch_;
  std::vector<double> adjoint_scratch_;
};

std::string text(double value) {
  std::ostringstream out;
  out.precision(6);
  out << value;
  return out.str();
}

/// The largest deviation relative to the block's largest entry; infinite when an entry is not finite.
double block_error(std::span<const double> got, std::span<const double> want) {
  double largest = 0;
  double off = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    largest = std::max(largest, std::abs(want[i]));
    if (!std::isfinite(got[i])) return std::numeric_limits<double>::infinity();
    off = std::max(off, std::abs(got[i] - want[i]));
  }
  return off == 0 ? 0 : off / largest;
}

}  // namespace

std::vector<TaskInfo> all_tasks() {
  std::vector<TaskInfo> tasks;
  workloads::All::each([&]<class W>() {
    for (const std::size_t n : W::sizes) {
      tasks.push_back({std::string(W::name), n, [n](std::uint64_t seed) -> std::unique_ptr<Task> {
                         return std::make_unique<TaskOf<W>>(n, seed);
                       }});
    }
  });
  return tasks;
}

Judgement judge(Task& task, Problem& problem, double tolerance, std::uint64_t seed) {
  const auto x = task.point(seed);
  // What stood there before must be overwritten, not added to.
  std::vector<double> got(task.inputs(), 1e3);
  std::vector<double> want(task.inputs());
  const double value = problem.gradient(x.data(), got.data());
  const double right = task.gradient(x.data(), want.data());
  if (!(std::abs(value - right) <= 1e-9 * std::max(1.0, std::abs(right)))) {
    return {false, "the value is " + text(value) + ", the reference " + text(right), 0};
  }
  Judgement judgement{true, "", 0};
  for (const auto& block : task.blocks()) {
    const auto part = [&](const std::vector<double>& all) {
      return std::span(all).subspan(block.begin, block.size);
    };
    const double error = block_error(part(got), part(want));
    judgement.error = std::max(judgement.error, error);
    if (!(error <= tolerance)) {
      judgement.passed = false;
      judgement.message = "block '" + std::string(block.name) + "' is off by " + text(error) +
                          " of its largest entry; " + text(tolerance) + " is allowed";
      return judgement;
    }
  }
  const auto direction = workloads::Random(seed ^ 0x5DEECE66DU).uniforms(x.size(), -1, 1);
  double slope = 0;
  double size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    slope += got[i] * direction[i];
    size += std::abs(want[i] * direction[i]);
  }
  const double truth = task.along(x, direction);
  if (!(std::abs(slope - truth) <= 1e-4 * size)) {
    judgement.passed = false;
    judgement.message = "along a random direction the gradient gives the slope " + text(slope) +
                        ", differences of the function give " + text(truth);
  }
  return judgement;
}

}  // namespace tare::engines
