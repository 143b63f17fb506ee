// Checkpointed loops: a long iteration state ← step(state, parameters, i) is recorded one step at a time, in
// reverse order, from stored states. With s snapshots the schedule is the binomial one of Griewank and
// Walther (2000, "Algorithm 799: revolve"), which repeats the fewest steps; n steps need s of order log n and
// then about log n times the loop's own work. Memory: (s + 2) states and the recording of one step, as
// checkpoint_cost states.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "ad/scalar/external.hpp"

namespace tare::ad {

struct CheckpointCost {
  std::size_t state_copies = 0;  ///< held at once during the reverse sweep
  std::size_t advances = 0;      ///< plain steps taken in the reverse sweep, besides one recorded step each
};

namespace detail {

/// Steps that s stored states, the first one included, can reverse when no step is repeated more than t
/// times: C(s + t, s), or the most a size holds.
constexpr std::size_t reversible_steps(std::size_t s, std::size_t t) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 2;
  std::size_t result = 1;
  for (std::size_t i = 1; i <= std::min(s, t); ++i) {
    const std::size_t factor = std::max(s, t) + i;
    if (result > most / factor) return most;
    result = result * factor / i;
  }
  return result;
}

/// How far to advance before the next snapshot when n steps are to be reversed with s snapshots left.
constexpr std::size_t next_snapshot(std::size_t n, std::size_t s) {
  const std::size_t states = s + 1;
  std::size_t t = 1;
  while (reversible_steps(states, t) < n) ++t;
  const std::size_t most = std::min(reversible_steps(states, t - 1), n - reversible_steps(states - 1, t - 1));
  return std::clamp<std::size_t>(most, 1, n - 1);
}

/// Reverses steps [from, to) given the state at `from`. advance(state, i) takes one plain step,
/// reverse(state, i) one adjoint step.
template <class State, class Advance, class Reverse>
void reverse_steps(const State& state, std::size_t from, std::size_t to, std::size_t snapshots,
                   Advance& advance, Reverse& reverse) {
  State moving = state;
  while (to - from > 1) {
    if (snapshots == 0) {
      moving = state;
      for (std::size_t i = from; i + 1 < to; ++i) advance(moving, i);
      reverse(moving, --to);
      continue;
    }
    const std::size_t middle = from + next_snapshot(to - from, snapshots);
    moving = state;
    for (std::size_t i = from; i < middle; ++i) advance(moving, i);
    reverse_steps(moving, middle, to, snapshots - 1, advance, reverse);
    to = middle;
  }
  if (to > from) reverse(state, from);
}

}  // namespace detail

/// What reversing `steps` with `snapshots` takes.
inline CheckpointCost checkpoint_cost(std::size_t steps, std::size_t snapshots) {
  CheckpointCost cost{snapshots + 2, 0};
  const auto advance = [&](int&, std::size_t) { ++cost.advances; };
  const auto reverse = [](const int&, std::size_t) {};
  detail::reverse_steps(0, 0, steps, snapshots, advance, reverse);
  return cost;
}

/// The state after `steps` steps, recorded with at most `snapshots` stored states.
///   step(std::span<S> state, std::span<const S> parameters, std::size_t i), a template over the number type
///   S
template <class T, class Step>
std::vector<Real<T>> checkpointed_loop(std::span<const Real<T>> state, std::span<const Real<T>> parameters,
                                       std::size_t steps, std::size_t snapshots, Step step) {
  const std::size_t n = state.size();
  std::vector<Real<T>> arguments(state.begin(), state.end());
  arguments.insert(arguments.end(), parameters.begin(), parameters.end());
  const auto forward = [=](std::span<const T> in, std::span<T> out) {
    std::copy_n(in.begin(), n, out.begin());
    for (std::size_t i = 0; i < steps; ++i) step(out, in.subspan(n), i);
  };
  const auto backward = [=](std::span<const T> in, std::span<const T>, std::span<const T> y_bar,
                            std::span<T> x_bar) {
    Recorder<T> recorder;
    std::vector<T> adjoint(y_bar.begin(), y_bar.end());
    std::vector<Real<T>> active(n);
    std::vector<Real<T>> start(n);
    std::vector<Real<T>> fixed(in.size() - n);
    const auto advance = [&](std::vector<T>& moving, std::size_t i) {
      step(std::span<T>(moving), in.subspan(n), i);
    };
    const auto reverse = [&](const std::vector<T>& at, std::size_t i) {
      const auto scope = recorder.record();
      recorder.inputs(at, start);
      recorder.inputs(in.subspan(n), fixed);
      active = start;
      step(std::span<Real<T>>(active), std::span<const Real<T>>(fixed), i);
      bool any = false;
      for (std::size_t k = 0; k < n; ++k) any |= active[k].active();
      if (!any) {
        std::fill(adjoint.begin(), adjoint.end(), T(0));
        return;
      }
      recorder.backward(active, adjoint);
      recorder.gradients(start, adjoint);
      for (std::size_t k = 0; k < fixed.size(); ++k)
        x_bar[n + k] = x_bar[n + k] + recorder.gradient(fixed[k]);
    };
    detail::reverse_steps(std::vector<T>(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(n)), 0, steps,
                          snapshots, advance, reverse);
    std::copy(adjoint.begin(), adjoint.end(), x_bar.begin());
  };
  return external_function<T>(std::span<const Real<T>>(arguments), n, forward, backward);
}

}  // namespace tare::ad
