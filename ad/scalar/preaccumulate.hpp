// Preaccumulation: a stretch of code with few inputs and outputs and much in between is recorded, its local
// Jacobian computed at once, and only that Jacobian kept. The tape shrinks from every statement inside to one
// statement per output. Where the Jacobian would be larger than what it replaces, the recording stays as it
// is. Limits: only the outputs named may be used afterwards; other values made inside would refer to what is
// gone. No inputs and no external functions may be registered inside.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "ad/scalar/recorder.hpp"

namespace tare::ad {
namespace detail {

/// Reused by every preaccumulation on a thread.
template <class T>
struct PreaccumulationSpace {
  std::vector<T> adjoint;  ///< of every value of the recording; all zero between uses
  std::vector<Entry<T>> rows;
  std::vector<std::size_t> row_ends;
};

template <class T>
inline PreaccumulationSpace<T>& preaccumulation_space() {
  static thread_local PreaccumulationSpace<T> space;
  return space;
}

/// Appends the derivatives that a sweep left at values up to `base`, the arguments of the stretch, and leaves
/// zeros everywhere.
template <class T>
void take_row(PreaccumulationSpace<T>& space, std::span<const Entry<T>> stretch, std::uint32_t base,
              std::uint32_t newest) {
  const auto take = [&](std::uint32_t index) {
    T& adjoint = space.adjoint[index];
    if (adjoint == T(0)) return;
    space.rows.push_back({adjoint, index});
    adjoint = T(0);
  };
  // The first statement may continue a sum begun outside.
  if ((stretch.front().index & chain_flag) != 0) take(base);
  for (const Entry<T>& entry : stretch) {
    const std::uint32_t index = entry.index & index_mask;
    if (index <= base) take(index);
  }
  std::fill(space.adjoint.begin() + base + 1, space.adjoint.begin() + newest + 1, T(0));
}

}  // namespace detail

/// Runs `body` and keeps of it only the Jacobian of `outputs`, which body must have assigned.
/// Returns whether the recording was replaced.
template <class T, class Body>
bool preaccumulate(Body&& body, std::span<Real<T>* const> outputs) {
  Recorder<T>* const recorder = detail::cursor<T>.owner;
  if (recorder == nullptr) {
    body();
    return false;
  }
  const auto start = recorder->position();
  const auto guests = recorder->guests();
  body();
  if (recorder->guests() != guests) {
    detail::throw_error("preaccumulate", "inputs or external functions were registered inside the scope");
  }
  const auto entries = recorder->entries().subspan(start.entries);
  if (entries.empty()) return false;

  auto& space = detail::preaccumulation_space<T>();
  const std::uint32_t newest = recorder->position().newest;
  space.rows.clear();
  space.row_ends.clear();
  // What is reserved here spares an exception between a sweep and the zeros after it.
  space.rows.reserve((entries.size() + 1) * outputs.size());
  space.row_ends.reserve(outputs.size());
  if (space.adjoint.size() <= newest)
    space.adjoint.resize(std::max<std::size_t>(newest + 1, std::size_t{2} * newest));
  for (const Real<T>* output : outputs) {
    const std::uint32_t index = detail::index_of(output->id());
    if (output->active() && index > start.newest) {
      space.adjoint[index] = T(1);
      detail::sweep(entries.data(), entries.data() + entries.size(), space.adjoint.data(), newest);
      detail::take_row<T>(space, entries, start.newest, newest);
    }
    space.row_ends.push_back(space.rows.size());
  }
  if (space.rows.size() >= entries.size()) return false;

  recorder->rewind(start);
  std::size_t row = 0;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    Real<T>& output = *outputs[k];
    if (!output.active() || detail::index_of(output.id()) <= start.newest) continue;
    output = recorder->append(output.value(), std::span(space.rows).subspan(row, space.row_ends[k] - row));
    row = space.row_ends[k];
  }
  return true;
}
template <class T, class Body>
bool preaccumulate(Body&& body, Real<T>& output) {
  Real<T>* const outputs[] = {&output};
  return preaccumulate<T>(std::forward<Body>(body), outputs);
}

}  // namespace tare::ad
