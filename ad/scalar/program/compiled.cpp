#include "ad/scalar/program/compiled.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <vector>

#include "ad/scalar/program/batch.hpp"
#include "ad/scalar/program/executable.hpp"
#include "ad/scalar/program/lazy.hpp"
#include "ad/scalar/program/library.hpp"
#include "ad/scalar/program/lower.hpp"
#include "ad/scalar/program/workers.hpp"
#include "ad/scalar/program/workspace.hpp"

namespace tare::ad {
namespace {

using detail::Executable;
using detail::Frame;
using detail::Lazy;
using detail::Shape;
using detail::Wanted;
using detail::Workspace;

/// Scratch this small lies on the stack.
constexpr std::size_t small_scratch = 256;

bool overlap(std::span<const double> a, std::span<const double> b) {
  const std::less<const double*> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

}  // namespace

struct Compiled::State {
  State(Program p, const CompileOptions& o)
      : program(std::move(p)),
        inputs(program.inputs),
        outputs(program.outputs.size()),
        passes{o.fold, o.share, o.dead_code, o.contract && detail::has_packed()},
        use_jit(o.use_jit),
        workers(o.threads) {}

  [[nodiscard]] const Executable& executable(Wanted wanted, Shape shape) const {
    const Lazy<Executable>& lazy = shape == Shape::wide
                                       ? (wanted == Wanted::value ? wide_value : wide_gradient)
                                       : (wanted == Wanted::value ? single_value : single_gradient);
    return lazy.get([&] {
      return std::make_unique<const Executable>(detail::lower(program, wanted, passes), shape, use_jit);
    });
  }
  /// One evaluation; results hold the outputs and the status.
  void run(const Executable& e, std::span<const double> x, double* results, double* gradient) const {
    if (e.scratch_doubles() <= small_scratch) {
      double scratch[small_scratch];  // NOLINT: written before it is read
      e.run({x.data(), nullptr, results, gradient, nullptr, scratch});
    } else {
      Workspace workspace(Workspace::room(e.scratch_doubles()));
      e.run({x.data(), nullptr, results, gradient, nullptr, workspace.take(e.scratch_doubles())});
    }
    if (results[outputs] != 0) [[unlikely]] {
      throw_diverged(program, detail::guard_of_status(program, results[outputs]), x);
    }
  }
  void run_batch(Wanted wanted, std::span<const double> x, std::span<double> y, std::span<double> g,
                 Layout layout, std::span<std::int32_t> diverged) const;

  Program program;
  std::size_t inputs;
  std::size_t outputs;
  detail::Passes passes;
  bool use_jit;
  Lazy<Executable> single_value, single_gradient, wide_value, wide_gradient;
  mutable detail::Workers workers;
};

Compiled::Compiled(Program program, const CompileOptions& options)
    : state_(std::make_shared<const State>(std::move(program), options)) {
  if (state_->outputs == 0) detail::throw_error("compile", "the program has no output");
  static_cast<void>(state_->executable(Wanted::jacobian, Shape::single));
}

std::size_t Compiled::inputs() const {
  return state_->inputs;
}
std::size_t Compiled::outputs() const {
  return state_->outputs;
}
const Program& Compiled::program() const {
  return state_->program;
}

CompileStats Compiled::stats() const {
  const Executable& e = state_->executable(Wanted::jacobian, Shape::single);
  return {e.native(), operations(state_->program), e.instructions(), e.code_bytes(),
          e.scratch_doubles() * sizeof(double)};
}

double Compiled::value(std::span<const double> x) const {
  const State& s = *state_;
  if (x.size() != s.inputs) detail::throw_size("Compiled::value", s.inputs, x.size());
  if (s.outputs != 1) detail::throw_size("Compiled::value: outputs", 1, s.outputs);
  double results[2];  // NOLINT: filled by the run
  s.run(s.executable(Wanted::value, Shape::single), x, results, nullptr);
  return results[0];
}

double Compiled::gradient(std::span<const double> x, std::span<double> g) const {
  const State& s = *state_;
  if (x.size() != s.inputs) detail::throw_size("Compiled::gradient", s.inputs, x.size());
  if (g.size() != s.inputs) detail::throw_size("Compiled::gradient", s.inputs, g.size());
  if (s.outputs != 1) detail::throw_size("Compiled::gradient: outputs", 1, s.outputs);
  if (overlap(x, g))
    detail::throw_error("Compiled::gradient", "x and g overlap; give them memory of their own");
  double results[2];  // NOLINT: filled by the run
  s.run(s.executable(Wanted::jacobian, Shape::single), x, results, g.data());
  return results[0];
}

void Compiled::jacobian(std::span<const double> x, std::span<double> y, std::span<double> jacobian) const {
  const State& s = *state_;
  if (x.size() != s.inputs) detail::throw_size("Compiled::jacobian", s.inputs, x.size());
  if (y.size() != s.outputs) detail::throw_size("Compiled::jacobian", s.outputs, y.size());
  if (jacobian.size() != s.inputs * s.outputs) {
    detail::throw_size("Compiled::jacobian", s.inputs * s.outputs, jacobian.size());
  }
  if (overlap(x, jacobian)) detail::throw_error("Compiled::jacobian", "x and the derivatives overlap");
  Workspace workspace(Workspace::room(s.outputs + 1));
  double* const results = workspace.take(s.outputs + 1);
  s.run(s.executable(Wanted::jacobian, Shape::single), x, results, jacobian.data());
  std::copy_n(results, s.outputs, y.data());
}

void Compiled::State::run_batch(Wanted wanted, std::span<const double> x, std::span<double> y,
                                std::span<double> g, Layout layout, std::span<std::int32_t> diverged) const {
  const std::size_t count = y.size() / outputs;
  if (count == 0) return;
  const Executable& e = executable(wanted, Shape::wide);
  const std::size_t lanes = e.lanes();
  const std::size_t width = g.empty() ? 0 : outputs * inputs;
  const detail::BatchView in{layout, count, inputs};
  const detail::BatchView out{layout, count, outputs};
  const detail::BatchView derivatives{layout, count, width};
  // The first input that diverged and its guard in one number, so that threads cannot mix them up.
  const std::size_t guards = program.guards.size();
  std::atomic<std::size_t> first_diverged{count * guards};
  const auto check = [&](std::size_t first, const Frame& f) {
    const double* const status = f.results + outputs * lanes;
    for (std::size_t l = 0; l < lanes && first + l < count; ++l) {
      const bool failed = status[l] != 0;
      const auto guard =
          failed ? static_cast<std::int32_t>(detail::guard_of_status(program, status[l])) : as_recorded;
      if (!diverged.empty()) diverged[first + l] = guard;
      if (!failed) continue;
      for (std::size_t i = 0; i < outputs; ++i)
        f.results[i * lanes + l] = std::numeric_limits<double>::quiet_NaN();
      for (std::size_t i = 0; i < width; ++i)
        f.gradient[i * lanes + l] = std::numeric_limits<double>::quiet_NaN();
      const std::size_t here = (first + l) * guards + static_cast<std::size_t>(guard);
      std::size_t known = first_diverged;
      while (here < known && !first_diverged.compare_exchange_weak(known, here)) {
      }
    }
  };
  if (guards == 0) std::fill(diverged.begin(), diverged.end(), as_recorded);
  const auto group = [&](std::size_t first, const Frame& f) {
    detail::pack(in, x.data(), first, lanes, const_cast<double*>(f.varying));
    e.run(f);
    if (guards != 0) check(first, f);
    detail::unpack(out, f.results, first, lanes, y.data());
    if (width != 0) detail::unpack(derivatives, f.gradient, first, lanes, g.data());
  };
  const std::size_t groups = (count + lanes - 1) / lanes;
  // A task is long enough that handing it out does not count.
  const std::size_t per_task = workers.threads() == 1 ? groups : std::max<std::size_t>(1, groups / 64);
  workers.run((groups + per_task - 1) / per_task, [&](std::size_t task) {
    Workspace workspace(Workspace::room(inputs * lanes) + Workspace::room((outputs + 1) * lanes) +
                        Workspace::room(width * lanes) + Workspace::room(e.scratch_doubles()));
    Frame f;
    f.varying = workspace.take(inputs * lanes);
    f.results = workspace.take((outputs + 1) * lanes);
    f.gradient = workspace.take(width * lanes);
    f.scratch = workspace.take(e.scratch_doubles());
    for (std::size_t k = task * per_task; k < std::min(groups, (task + 1) * per_task); ++k)
      group(k * lanes, f);
  });
  if (first_diverged != count * guards && diverged.empty()) {
    std::vector<double> at(inputs);
    for (std::size_t i = 0; i < inputs; ++i) at[i] = x[in.at(first_diverged / guards, i)];
    throw_diverged(program, first_diverged % guards, at);
  }
}

void Compiled::values(std::span<const double> x, std::span<double> y, Layout layout,
                      std::span<std::int32_t> diverged) const {
  const State& s = *state_;
  const std::size_t count = y.size() / s.outputs;
  if (y.size() != count * s.outputs) detail::throw_size("Compiled::values", count * s.outputs, y.size());
  if (x.size() != count * s.inputs) detail::throw_size("Compiled::values", count * s.inputs, x.size());
  if (!diverged.empty() && diverged.size() != count) {
    detail::throw_size("Compiled::values: diverged", count, diverged.size());
  }
  s.run_batch(Wanted::value, x, y, {}, layout, diverged);
}

void Compiled::gradients(std::span<const double> x, std::span<double> y, std::span<double> g, Layout layout,
                         std::span<std::int32_t> diverged) const {
  const State& s = *state_;
  const std::size_t count = y.size() / s.outputs;
  if (y.size() != count * s.outputs) detail::throw_size("Compiled::gradients", count * s.outputs, y.size());
  if (x.size() != count * s.inputs) detail::throw_size("Compiled::gradients", count * s.inputs, x.size());
  if (g.size() != count * s.inputs * s.outputs) {
    detail::throw_size("Compiled::gradients", count * s.inputs * s.outputs, g.size());
  }
  if (!diverged.empty() && diverged.size() != count) {
    detail::throw_size("Compiled::gradients: diverged", count, diverged.size());
  }
  s.run_batch(Wanted::jacobian, x, y, g, layout, diverged);
}

}  // namespace tare::ad
