// Graph mode for users:
//   auto step = ad::compile([&](const Tensor& x, const Tensor& y) { … return loss; });
//   Tensor loss = step(x, y);
// The function is run once per signature (shapes and types of its arguments) to capture what it computes,
// backward passes and updates in place included, and once more at the next call to see that it does the same
// again; from then on the graph alone is executed. What a graph cannot hold (values that decide what is
// computed, state kept outside) is executed eagerly, and messages() says why.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "ad/graph/capture.hpp"
#include "ad/graph/passes.hpp"

namespace tare::ad {

enum class OnBreak : std::uint8_t {
  eager,  ///< execute the function eagerly from then on
  error,  ///< throw graph::CaptureError
};

struct CompileOptions {
  graph::Passes passes{};
  OnBreak on_break = OnBreak::eager;
  std::size_t most_instructions = 100'000;  ///< a larger graph is not compiled
  std::size_t most_signatures = 32;         ///< more of them mean that the shapes never repeat
};

struct CompileStats {
  std::size_t captures = 0;    ///< times the function was run to be captured
  std::size_t signatures = 0;  ///< graphs there are
  std::size_t eager_calls = 0;
  std::size_t graph_calls = 0;
  double seconds = 0;  ///< spent on capturing and compiling, not on computing
};

/// A compiled function of any number of tensors. Calls from several threads wait for each other.
class CompiledFunction {
 public:
  CompiledFunction(graph::Function function, CompileOptions options);
  std::vector<Tensor> operator()(std::span<const Tensor> arguments);

  [[nodiscard]] CompileStats stats() const;
  /// Why graphs were made anew or not used, each said once.
  [[nodiscard]] std::vector<std::string> messages() const;
  /// The graph of the latest call as text, after the passes; empty when there is none.
  [[nodiscard]] std::string graph_text() const;
  [[nodiscard]] std::string graph_dot() const;
  /// What is carried out together, one line a step.
  [[nodiscard]] std::string steps_text() const;
  [[nodiscard]] std::vector<graph::PassReport> pass_reports() const;
  [[nodiscard]] std::int64_t planned_bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

namespace detail {

template <class F, std::size_t... I>
std::vector<Tensor> call_with(F& f, std::span<const Tensor> arguments, std::index_sequence<I...>) {
  using Result = decltype(f(arguments[I]...));
  if constexpr (std::is_void_v<Result>) {
    f(arguments[I]...);
    return {};
  } else if constexpr (std::is_same_v<Result, std::vector<Tensor>>) {
    return f(arguments[I]...);
  } else {
    return {f(arguments[I]...)};
  }
}

/// How many tensors a callable takes, tried from none up to eight.
template <class F, std::size_t N = 0>
consteval std::size_t tensor_arity() {
  if constexpr ([]<std::size_t... I>(std::index_sequence<I...>) {
                  return std::is_invocable_v<F&, decltype((void)I, std::declval<const Tensor&>())...>;
                }(std::make_index_sequence<N>{})) {
    return N;
  } else {
    static_assert(N < 8, "compile: the function must take up to eight tensors");
    return tensor_arity<F, N + 1>();
  }
}

template <class F, std::size_t N>
class Compiled {
 public:
  Compiled(F f, CompileOptions options)
      : function_(
            [f = std::move(f)](std::span<const Tensor> arguments) mutable {
              return call_with(f, arguments, std::make_index_sequence<N>{});
            },
            options) {}

  template <class... Tensors>
    requires(sizeof...(Tensors) == N)
  auto operator()(const Tensors&... tensors) {
    const std::array<Tensor, N> arguments{tensors...};
    auto results = function_(std::span<const Tensor>(arguments.data(), N));
    using Result = std::invoke_result_t<F&, const Tensors&...>;
    if constexpr (std::is_same_v<Result, Tensor>) {
      return std::move(results.front());
    } else if constexpr (std::is_same_v<Result, std::vector<Tensor>>) {
      return results;
    }
  }
  CompiledFunction& function() { return function_; }

 private:
  CompiledFunction function_;
};

}  // namespace detail

/// Returns a callable with the same arguments and results.
template <class F>
auto compile(F f, CompileOptions options = {}) {
  return detail::Compiled<F, detail::tensor_arity<F>()>(std::move(f), options);
}

}  // namespace tare::ad
