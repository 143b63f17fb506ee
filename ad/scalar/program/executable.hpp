// Executable: one Code ready to run, for one input at a time or for several in lanes; as native code where
// the build and the machine have it, by an interpreter otherwise. Immutable once made, so any number of
// threads may run it at once, each with its own frame.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "ad/scalar/program/code.hpp"

namespace tare::ad::detail {

/// Where a run reads and writes. A varying number i of lane l stands at [i · lanes + l], and so do results,
/// gradients and sums; uniform inputs have one number each. scratch has room for scratch_doubles().
struct Frame {
  const double* varying = nullptr;
  const double* uniform = nullptr;
  double* results = nullptr;
  double* gradient = nullptr;
  double* sums = nullptr;
  double* scratch = nullptr;
};

enum class Shape { single, wide };

/// Machine code that is freed with this object.
class NativeCode {
 public:
  using Entry = void (*)(const double* varying, const double* uniform, double* results, double* gradient,
                         double* sums, double* scratch);
  NativeCode() = default;
  virtual ~NativeCode() = default;
  NativeCode(const NativeCode&) = delete;
  NativeCode& operator=(const NativeCode&) = delete;

  Entry entry = nullptr;
  std::size_t bytes = 0;
  std::size_t scratch_doubles = 0;
};

/// Native code for four lanes (packed) or one; null if this build or machine has none.
std::unique_ptr<NativeCode> assemble(const Code& code, bool packed);

/// Whether this build has native code and this machine can run it.
bool has_native();

inline constexpr int native_lanes = 4;
inline constexpr int interpreted_lanes = 8;

/// An instruction of the interpreter: results and arguments are places, not numbers.
struct Step {
  Instruction instruction;
  std::uint32_t place;
};

class Executable {
 public:
  Executable(Code code, Shape shape, bool use_jit);

  [[nodiscard]] std::size_t lanes() const { return static_cast<std::size_t>(lanes_); }
  [[nodiscard]] std::size_t scratch_doubles() const { return scratch_; }
  [[nodiscard]] bool native() const { return native_ != nullptr; }
  [[nodiscard]] std::size_t code_bytes() const { return native_ ? native_->bytes : 0; }
  [[nodiscard]] std::size_t instructions() const { return instructions_; }
  void run(const Frame& f) const {
    if (entry_ != nullptr) {
      entry_(f.varying, f.uniform, f.results, f.gradient, f.sums, f.scratch);
    } else {
      interpret(f);
    }
  }

 private:
  void interpret(const Frame& frame) const;

  int lanes_ = 1;
  std::size_t scratch_ = 0;
  std::size_t instructions_;
  NativeCode::Entry entry_ = nullptr;
  std::unique_ptr<NativeCode> native_;
  Code code_;  ///< without its instructions: constants and custom ops
  std::vector<Step> steps_;
};

}  // namespace tare::ad::detail
