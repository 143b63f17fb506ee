// What an engine is to the suite: a name, and problems it can differentiate. The suite sees nothing else of
// it; each engine is compiled in a file of its own, so that neither its headers nor its flags meet another's.
// An engine that is not installed is known by name and says why it is absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tare::engines {

/// What one recording takes. Empty where an engine does not tell.
struct TapeSize {
  std::optional<std::size_t> operations;  ///< recorded statements or instructions
  std::optional<std::size_t> entries;     ///< arguments of all of them
  std::size_t bytes = 0;                  ///< without the adjoints
};

/// One workload of one size under one engine.
class Problem {
 public:
  Problem() = default;
  virtual ~Problem() = default;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  /// Value; g becomes the gradient at x.
  virtual double gradient(const double* x, double* g) = 0;

  /// Whether the two halves can be called one after the other.
  [[nodiscard]] virtual bool separate() const { return false; }
  virtual double record(const double* /*x*/) { return 0; }
  virtual void reverse(double* /*g*/) {}
  /// Several inputs, one after the other in memory, in one call: as many as batch() says.
  [[nodiscard]] virtual std::size_t batch() const { return 1; }
  virtual void gradients(const double* x, double* y, double* g) { *y = gradient(x, g); }
  /// Of the last recording.
  [[nodiscard]] virtual std::optional<TapeSize> tape() const { return std::nullopt; }
};

struct Offer {
  std::string workload;
  std::size_t n = 0;
  std::function<std::unique_ptr<Problem>(std::uint64_t seed)> make;
  std::string unfit{};  ///< why this engine cannot give a right answer here; then it is not asked
};

struct Engine {
  std::string name{};
  std::string label{};       ///< one line for the reader
  std::string absent{};      ///< why it cannot run here; then it offers nothing
  double tolerance = 1e-10;  ///< of a gradient, relative to the block's largest entry
  bool per_input = false;    ///< the cost grows with inputs × operations
  bool value_only = false;   ///< evaluates the function and gives no gradient
  std::vector<Offer> offers{};
};

/// Every engine of this build, present or absent.
std::vector<Engine> all_engines();

}  // namespace tare::engines
