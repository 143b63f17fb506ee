// How ops are carried out on this thread: recorded or not, watched or not, captured into a graph or not.
// Scopes set it and put it back.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ad/tensor/op.hpp"

namespace tare::ad {

class Generator;

/// One executed op, for those who trace.
struct Event {
  Op op;
  std::vector<Shape> shapes;  ///< of the inputs
  DType dtype;                ///< of the first output
  std::int64_t start_ns;      ///< of the steady clock
  std::int64_t duration_ns;
  double flops;
  double bytes;
  std::string kernel;  ///< in place of the op's name: what a fused kernel is made of, "logsumexp backward"
};

/// What graph mode does with ops instead of computing them. Implemented by ad/graph.
class Tracer {
 public:
  Tracer() = default;
  virtual ~Tracer() = default;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;
  /// The outputs have shape and type; they are given values of the graph instead of data.
  virtual void record(Call& call) = 0;
  /// A handle without history to the same value.
  virtual void alias(detail::Body* handle, detail::Body* base) = 0;
  /// An op in place: from here on `target` stands for `value`.
  virtual void assign(detail::Body* target, const Tensor& value) = 0;
  /// The gradient of a tensor is about to be set or cleared.
  virtual void touch(detail::Body* body) = 0;
  /// Somebody asked for the numbers of a value that has none yet; throws.
  [[noreturn]] virtual void refuse_value(const char* what, const detail::Body* body) = 0;
  /// A random number that is drawn anew at every replay, as a value of the graph.
  virtual Tensor draw(Generator& generator) = 0;
};

struct Mode {
  Tracer* tracer = nullptr;
  std::vector<Event>* events = nullptr;
  bool grad = true;
  bool nan_monitor = false;
  bool deterministic = false;
};

namespace detail {
extern constinit thread_local Mode mode;
}  // namespace detail

/// Sets one field of the thread's mode for its lifetime.
template <class T>
class ModeScope {
 public:
  ModeScope(T Mode::* field, T value) : field_(field), before_(std::exchange(detail::mode.*field, value)) {}
  ~ModeScope() { detail::mode.*field_ = before_; }
  ModeScope(const ModeScope&) = delete;
  ModeScope& operator=(const ModeScope&) = delete;

 private:
  T Mode::* field_;
  T before_;
};

/// Nothing is recorded while it lives.
class NoGrad : ModeScope<bool> {
 public:
  NoGrad() : ModeScope(&Mode::grad, false) {}
};
/// An op whose result holds NaN or infinity though its inputs do not throws an AdError that names it.
class NanMonitor : ModeScope<bool> {
 public:
  NanMonitor() : ModeScope(&Mode::nan_monitor, true) {}
};
/// Kernels are chosen by shape alone, not by measured speed: the same bits in every process and with any
/// number of threads.
class Deterministic : ModeScope<bool> {
 public:
  Deterministic() : ModeScope(&Mode::deterministic, true) {}
};
/// Every op executed on this thread is appended to the list.
class TraceEvents : ModeScope<std::vector<Event>*> {
 public:
  explicit TraceEvents(std::vector<Event>& events) : ModeScope(&Mode::events, &events) {}
};

}  // namespace tare::ad
