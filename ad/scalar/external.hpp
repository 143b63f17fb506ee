// External functions: code the recorder does not see (a solver, a library, another language) with an adjoint
// of its own. Values go in and come out as plain numbers; in the reverse sweep the adjoint routine gets the
// adjoints of the outputs and adds nothing but what belongs to the inputs.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "ad/scalar/recorder.hpp"

namespace tare::ad {

/// y = forward(x) with adjoint x̄ = reverse(x, y, ȳ).
///   forward(std::span<const T> x, std::span<T> y)
///   reverse(std::span<const T> x, std::span<const T> y, std::span<const T> y_bar, std::span<T> x_bar)
/// x_bar starts at zero. `reverse` is kept by the recording until the next one.
template <class T, class Forward, class Backward>
std::vector<Real<T>> external_function(std::span<const Real<T>> x, std::size_t outputs, Forward&& forward,
                                       Backward reverse) {
  std::vector<T> in;
  in.reserve(x.size());
  bool active = false;
  for (const Real<T>& each : x) {
    in.push_back(each.value());
    active |= each.active();
  }
  std::vector<T> out(outputs);
  Recorder<T>* const recorder = detail::cursor<T>.owner;
  {
    // Should forward itself use active values, they are not part of this recording.
    const detail::Pause<T> pause;
    forward(std::span<const T>(in), std::span<T>(out));
  }
  if (recorder == nullptr || !active) return {out.begin(), out.end()};
  for (const Real<T>& each : x) recorder->check_member("external_function", each);
  std::vector<Real<T>> y;
  y.reserve(outputs);
  for (const T& value : out) y.push_back(recorder->external_output(value));
  recorder->external([in = std::move(in), out = std::move(out), x = std::vector<Real<T>>(x.begin(), x.end()),
                      y, reverse = std::move(reverse)](Recorder<T>& sweeping) {
    std::vector<T> y_bar;
    bool any = false;
    for (const Real<T>& each : y) {
      y_bar.push_back(sweeping.adjoint(each));
      any |= !(y_bar.back() == T(0));
    }
    if (!any) return;
    std::vector<T> x_bar(x.size());
    {
      const detail::Pause<T> pause;
      reverse(std::span<const T>(in), std::span<const T>(out), std::span<const T>(y_bar),
              std::span<T>(x_bar));
    }
    for (std::size_t i = 0; i < x.size(); ++i) sweeping.add_adjoint(x[i], x_bar[i]);
  });
  return y;
}

}  // namespace tare::ad
