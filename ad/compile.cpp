#include "ad/compile.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <fmt/format.h>
#include <mutex>
#include <optional>

#include "ad/graph/execute.hpp"
#include "ad/jit/jit.hpp"
#include "ad/tensor/mode.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

using graph::Captured;
using graph::Executable;
using graph::Graph;
using graph::Type;

struct Signature {
  std::vector<Type> types;
  std::vector<bool> needs_grad, has_grad;
  bool grad = true;
};

Signature signature_of(std::span<const Tensor> arguments) {
  Signature s;
  s.grad = detail::mode.grad;
  for (const Tensor& x : arguments) {
    s.types.push_back({x.dtype(), x.shape()});
    s.needs_grad.push_back(x.needs_grad());
    s.has_grad.push_back(x.grad().defined());
  }
  return s;
}

/// Without making the arguments' signature: this is asked at every call.
bool fits(const Signature& s, std::span<const Tensor> arguments) {
  if (s.grad != detail::mode.grad || s.types.size() != arguments.size()) return false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const detail::Body& x = *arguments[i].body();
    if (s.types[i].dtype != x.dtype || !(s.types[i].shape == x.shape) ||
        s.needs_grad[i] != arguments[i].needs_grad() || s.has_grad[i] != (x.grad != nullptr))
      return false;
  }
  return true;
}

std::string text_of(const Signature& s) {
  std::string text;
  for (const auto& type : s.types)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(type.dtype), text_of(type.shape));
  return "(" + text + ")";
}

struct Entry {
  Signature signature;
  Captured captured;
  Graph simplified;
  std::vector<graph::PassReport> reports;
  std::optional<Executable> executable;
  bool confirmed = false;  ///< a second capture gave the same graph
  std::size_t calls = 0;
  bool eager = false;
};

bool same_outside(const Captured& a, const Captured& b) {
  if (a.tensors.size() != b.tensors.size() || a.old_gradients != b.old_gradients) return false;
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    const bool moves = std::ranges::find(a.old_gradients, i, &std::pair<std::size_t, std::size_t>::first) !=
                       a.old_gradients.end();
    if (!moves && a.tensors[i].body() != b.tensors[i].body()) return false;
  }
  return a.generators == b.generators && a.gradients == b.gradients &&
         a.argument_gradients == b.argument_gradients && a.leaves == b.leaves && a.cleared == b.cleared;
}

/// Gradients are there, or not, as they were when the graph was captured.
bool gradients_as_captured(const Captured& captured) {
  return std::ranges::all_of(captured.leaves, [&](const auto& leaf) {
    return (captured.tensors[leaf.first].body()->grad != nullptr) == leaf.second;
  });
}

/// Would a change in place be seen through an argument?
bool shares_memory(const Captured& captured, std::span<const Tensor> arguments) {
  return std::ranges::any_of(captured.graph.assignments, [&](const graph::Assignment& assigned) {
    const auto* buffer = captured.tensors[assigned.captured].body()->buffer;
    return std::ranges::any_of(arguments, [&](const Tensor& x) { return x.body()->buffer == buffer; });
  });
}

/// Adds the time that it lives.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

struct CompiledFunction::State {
  graph::Function function;
  CompileOptions options;
  std::mutex mutex;
  std::vector<std::unique_ptr<Entry>> entries;
  Entry* latest = nullptr;
  CompileStats stats;
  std::vector<std::string> messages;

  void say(std::string message) {
    if (std::ranges::find(messages, message) == messages.end()) messages.push_back(std::move(message));
  }

  std::vector<Tensor> eagerly(std::span<const Tensor> arguments) {
    ++stats.eager_calls;
    return function(arguments);
  }

  std::vector<Tensor> call(std::span<const Tensor> arguments) {
    for (const Tensor& x : arguments)
      if (!x.defined()) throw AdError("compile: an argument is an undefined tensor");
    // Inside another capture the function is part of that graph.
    if (detail::mode.tracer != nullptr) return function(arguments);
    auto* entry = find(arguments);
    if (entry != nullptr && entry->eager) return eagerly(arguments);
    if (entry != nullptr && shares_memory(entry->captured, arguments))
      return give_up(
          nullptr, arguments,
          "an argument shares its memory with a tensor that the function changes; executed eagerly");
    if (entry != nullptr && entry->confirmed && !is_due(++entry->calls)) return execute(*entry, arguments);
    return capture(entry, signature_of(arguments), arguments);
  }

  /// Now and then, ever more seldom, the function is captured again: a number that it takes from outside may
  /// have changed.
  static bool is_due(std::size_t calls) { return calls >= 64 && std::has_single_bit(calls); }

  Entry* find(std::span<const Tensor> arguments) {
    const auto serves = [&](const Entry& entry) {
      return fits(entry.signature, arguments) && (entry.eager || gradients_as_captured(entry.captured));
    };
    if (latest != nullptr && serves(*latest)) return latest;
    for (auto& entry : entries)
      if (serves(*entry)) return latest = entry.get();
    return nullptr;
  }

  std::vector<Tensor> capture(Entry* known, const Signature& signature, std::span<const Tensor> arguments) {
    if (known == nullptr && entries.size() >= options.most_signatures) {
      return give_up(
          nullptr, arguments,
          fmt::format(
              "{} signatures were compiled and {} is yet another: the shapes do not repeat; executed eagerly",
              entries.size(), text_of(signature)));
    }
    Captured captured;
    try {
      ++stats.captures;
      const Stopwatch watch(stats.seconds);
      captured = graph::capture(function, arguments);
    } catch (const graph::CaptureError& error) {
      if (options.on_break == OnBreak::error) throw;
      if (known == nullptr) known = add(signature);
      return give_up(known, arguments,
                     fmt::format("{}: {}; executed eagerly", text_of(signature), error.what()));
    }
    if (known == nullptr) {
      if (!entries.empty())
        say(fmt::format("compiled again for {}: {} signature{} before it", text_of(signature), entries.size(),
                        entries.size() == 1 ? "" : "s"));
      return first_call(*add(signature), std::move(captured), arguments);
    }
    if (same(known->captured.graph, captured.graph) && same_outside(known->captured, captured) &&
        captured.escaped.empty()) {
      known->confirmed = true;
      return execute(*known, arguments);
    }
    // Another program than last time: it depends on something that the graph does not see.
    auto results = run_once(captured, arguments);
    known->eager = true;
    say(
        fmt::format("{}: a second capture gave another graph: the function depends on state that changes "
                    "between calls; executed eagerly",
                    text_of(signature)));
    return results;
  }

  std::vector<Tensor> first_call(Entry& entry, Captured captured, std::span<const Tensor> arguments) {
    if (!captured.escaped.empty()) {
      entry.eager = true;
      say(fmt::format("{}: the function keeps {} computed tensor{} in variables of its own; executed eagerly",
                      text_of(entry.signature), captured.escaped.size(),
                      captured.escaped.size() == 1 ? "" : "s"));
      return run_once(captured, arguments);
    }
    for (const auto i : captured.argument_gradients)
      if (entry.signature.has_grad[i]) {
        entry.eager = true;
        say(fmt::format("{}: argument {} already has a gradient; executed eagerly", text_of(entry.signature),
                        i));
        return eagerly(arguments);
      }
    if (captured.graph.instructions.size() > options.most_instructions) {
      entry.eager = true;
      say(fmt::format("{}: {} instructions are more than {}; executed eagerly", text_of(entry.signature),
                      captured.graph.instructions.size(), options.most_instructions));
      return run_once(captured, arguments);
    }
    {
      const Stopwatch watch(stats.seconds);
      entry.simplified = captured.graph;
      entry.reports = simplify(entry.simplified, options.passes);
      entry.executable.emplace(entry.simplified, options.passes, jit::compile_kernel);
    }
    entry.captured = std::move(captured);
    return execute(entry, arguments);
  }

  std::vector<Tensor> give_up(Entry* entry, std::span<const Tensor> arguments, std::string why) {
    if (entry != nullptr) entry->eager = true;
    say(std::move(why));
    return eagerly(arguments);
  }

  Entry* add(const Signature& signature) {
    entries.push_back(std::make_unique<Entry>());
    entries.back()->signature = signature;
    ++stats.signatures;
    return latest = entries.back().get();
  }

  std::vector<Tensor> execute(Entry& entry, std::span<const Tensor> arguments) {
    ++stats.graph_calls;
    return finish(entry.captured, run(*entry.executable, entry.captured, arguments), arguments);
  }

  /// A graph that is not kept: the function has been run, and what it would have computed is still owed.
  std::vector<Tensor> run_once(Captured& captured, std::span<const Tensor> arguments) {
    Executable executable(captured.graph, {.fuse = false, .compile = false});
    return finish(captured, run(executable, captured, arguments), arguments);
  }

  static std::vector<Tensor> run(Executable& executable, Captured& captured,
                                 std::span<const Tensor> arguments) {
    for (const auto& [old, of] : captured.old_gradients) captured.tensors[old] = captured.tensors[of].grad();
    std::vector<std::int64_t> seeds;
    for (Generator* generator : captured.generators)
      seeds.push_back(static_cast<std::int64_t>(generator->next()));
    return executable.run(arguments, captured.tensors, seeds);
  }

  /// Gradients that the function left behind go to their tensors, kept values get their numbers.
  static std::vector<Tensor> finish(Captured& captured, std::vector<Tensor> all,
                                    std::span<const Tensor> arguments) {
    std::size_t at = captured.result_count;
    for (const auto i : captured.gradients) captured.tensors[i].set_grad(all[at++]);
    for (const auto i : captured.argument_gradients) Tensor(arguments[i]).set_grad(all[at++]);
    for (const auto i : captured.cleared) captured.tensors[i].zero_grad();
    for (Tensor& kept : captured.escaped) {
      detail::Body* body = kept.body();
      detail::share_data(body, all[at++].body());
      // Records made during the capture know it by its number.
      if (body->buffer != nullptr) body->buffer->version = static_cast<std::uint32_t>(body->traced);
      body->traced = detail::not_traced;
    }
    all.resize(captured.result_count);
    return all;
  }
};

CompiledFunction::CompiledFunction(graph::Function function, CompileOptions options)
    : state_(std::make_shared<State>()) {
  state_->function = std::move(function);
  state_->options = options;
}

std::vector<Tensor> CompiledFunction::operator()(std::span<const Tensor> arguments) {
  const std::lock_guard lock(state_->mutex);
  return state_->call(arguments);
}

CompileStats CompiledFunction::stats() const {
  return state_->stats;
}
std::vector<std::string> CompiledFunction::messages() const {
  return state_->messages;
}
std::string CompiledFunction::graph_text() const {
  return state_->latest == nullptr ? "" : text_of(state_->latest->simplified);
}
std::string CompiledFunction::graph_dot() const {
  const auto* entry = state_->latest;
  if (entry == nullptr) return "";
  return dot_of(entry->simplified,
                entry->executable ? entry->executable->groups() : std::vector<std::string>{});
}
std::string CompiledFunction::steps_text() const {
  const auto* entry = state_->latest;
  return entry == nullptr || !entry->executable ? "" : entry->executable->steps_text();
}
std::vector<graph::PassReport> CompiledFunction::pass_reports() const {
  return state_->latest == nullptr ? std::vector<graph::PassReport>{} : state_->latest->reports;
}
std::int64_t CompiledFunction::planned_bytes() const {
  return state_->latest == nullptr || !state_->latest->executable
             ? 0
             : state_->latest->executable->planned_bytes();
}

}  // namespace tare::ad
