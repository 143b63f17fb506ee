// The functions a call instruction reaches, for one lane and for four. One lane is the C library's; four
// lanes are the C library's vector functions where it has them (within 4 units in the last place by its
// manual) and otherwise the one-lane function lane by lane.
#pragma once

#include "ad/scalar/program/code.hpp"

namespace tare::ad::detail {

double call_scalar(Function function, double a, double b, double c);

/// Addresses for native code. scalar takes and gives doubles; packed takes and gives four doubles in one AVX
/// register, or is null where there is none. Not for custom calls.
struct Entry4 {
  const void* scalar;
  const void* packed;
};
Entry4 library_entry(Function function);

/// void(double, double* sine, double* cosine).
const void* sincos_entry();

/// Whether this machine has AVX2 and fused multiplication, and this build code for them.
bool has_packed();

/// Four lanes through memory; for machines where has_packed().
void call_packed(Function function, const double* a, const double* b, const double* c, double* result);

/// How native code calls an op of the caller's: function is one of a ScalarCustomOp's.
using CustomFunction = std::function<double(double, double)>;
const CustomFunction& custom_function(const Code& code, std::uint32_t index);
const void* custom_entry(bool packed);

}  // namespace tare::ad::detail
