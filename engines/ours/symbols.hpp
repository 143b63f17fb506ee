// Workloads recorded as programs: what decisions become there. A maximum and a minimum are computed anew at
// every replay; a comparison is a guard of the program.
#pragma once

#include <vector>

#include "ad/scalar/program/kernel.hpp"
#include "workloads/workload.hpp"

template <>
struct tare::workloads::Plain<tare::ad::Symbol> {
  static ad::Symbol of(const ad::Symbol& x) { return stop_gradient(x); }
};
template <>
struct tare::workloads::Lesser<tare::ad::Symbol> {
  static ad::Symbol of(const ad::Symbol& a, const ad::Symbol& b) { return min(a, b); }
};

namespace tare::engines {

template <class W>
ad::Program recorded(const W& workload, const std::vector<double>& at) {
  std::vector<ad::Symbol> scratch(workload.scratch());
  return ad::record_program(
      at, [&](std::span<const ad::Symbol> x) { return workload.value(x.data(), scratch.data()); });
}

}  // namespace tare::engines
