// Probe: a number type that only remembers which arguments it came from. A derivative rule called with it
// tells what the rule reads, so that nothing else is kept for backward.
#pragma once

#include "ad/ops/activations.hpp"
#include "ad/ops/table.hpp"

namespace tare::ad::detail {

struct Probe {
  unsigned mask = 0;

  Probe() = default;
  explicit Probe(unsigned bits) : mask(bits) {}
  explicit Probe(double) {}
  explicit Probe(int) {}

  friend Probe operator-(const Probe& a) { return a; }
};

#define TARE_AD_PROBE(symbol)                                    \
  inline Probe operator symbol(const Probe& a, const Probe& b) { \
    return Probe(a.mask | b.mask);                               \
  }
TARE_AD_PROBE(+)
TARE_AD_PROBE(-)
TARE_AD_PROBE(*)
TARE_AD_PROBE(/)
TARE_AD_PROBE(<)
TARE_AD_PROBE(<=)
TARE_AD_PROBE(>)
TARE_AD_PROBE(>=)
TARE_AD_PROBE(==)
#undef TARE_AD_PROBE
inline Probe select(const Probe& c, const Probe& a, const Probe& b) {
  return Probe(c.mask | a.mask | b.mask);
}
inline Probe pow(const Probe& a, const Probe& b) {
  return Probe(a.mask | b.mask);
}
#define TARE_AD_PROBE(Type, name)     \
  inline Probe name(const Probe& x) { \
    return x;                         \
  }
TARE_AD_UNARY_OPS(TARE_AD_PROBE)
TARE_AD_TENSOR_UNARY_OPS(TARE_AD_PROBE)
#undef TARE_AD_PROBE

}  // namespace tare::ad::detail
