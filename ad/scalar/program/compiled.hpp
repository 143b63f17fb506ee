// Compiled: a recorded program ready to be evaluated for other inputs, one or many at once.
//   Compiled f = compile(record_program(at, body));
//   double y = f.gradient(x, g);
//   f.gradients(many_x, many_y, many_g);
// Native code where the build and the machine have it, else an interpreter: the same answers up to rounding
// (four or more lanes use the C library's vector functions, good to 4 units in the last place). A Compiled is
// a handle to something immutable: copies are cheap and any number of threads may use it at once. Evaluations
// allocate nothing once every thread has made one of the same size. If a comparison comes out otherwise than
// in the recording, a single evaluation throws a ReplayError and a batch answers NaN and tells which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "ad/scalar/program/program.hpp"

namespace tare::ad {

struct CompileOptions {
  bool use_jit = true;    ///< native code if there is any
  bool fold = true;       ///< compute constants and drop identities while compiling
  bool share = true;      ///< compute common subexpressions once
  bool dead_code = true;  ///< leave out what no result needs
  bool contract = true;   ///< a · b + c with one rounding, where the machine can
  unsigned threads = 1;   ///< that share the work of a batch; the answers do not depend on it
};

struct CompileStats {
  bool native = false;
  std::size_t operations = 0;     ///< of the recording
  std::size_t instructions = 0;   ///< of the gradient's code
  std::size_t code_bytes = 0;     ///< of its machine code, constants included
  std::size_t scratch_bytes = 0;  ///< written by one evaluation besides its results
};

/// How the numbers of a batch lie in memory.
enum class Layout {
  rows,     ///< all numbers of the first input, then all of the second, …
  columns,  ///< number 0 of all inputs, then number 1 of all inputs, …
};

/// In a batch, an input whose comparisons all came out as recorded.
inline constexpr std::int32_t as_recorded = -1;

class Compiled {
 public:
  Compiled(Program program, const CompileOptions& options);

  [[nodiscard]] std::size_t inputs() const;
  [[nodiscard]] std::size_t outputs() const;
  [[nodiscard]] const Program& program() const;
  [[nodiscard]] CompileStats stats() const;

  /// f(x), of a program with one output.
  double value(std::span<const double> x) const;
  /// f(x); its gradient goes into g, which must not overlap x.
  double gradient(std::span<const double> x, std::span<double> g) const;
  /// All outputs into y and ∂yᵢ/∂xⱼ into jacobian[i · inputs + j].
  void jacobian(std::span<const double> x, std::span<double> y, std::span<double> jacobian) const;

  /// The same for as many inputs as x holds. With `diverged` (a number per input: the guard that failed, or
  /// as_recorded) nothing is thrown for a comparison that came out otherwise; the results of that input are
  /// NaN either way.
  void values(std::span<const double> x, std::span<double> y, Layout layout = Layout::rows,
              std::span<std::int32_t> diverged = {}) const;
  void gradients(std::span<const double> x, std::span<double> y, std::span<double> g,
                 Layout layout = Layout::rows, std::span<std::int32_t> diverged = {}) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

[[nodiscard]] inline Compiled compile(Program program, const CompileOptions& options = {}) {
  return {std::move(program), options};
}

}  // namespace tare::ad
