// The explicit tape behind operators, so that workloads can be written down on it: every operation is one
// call of the tape, nothing is fused.
#pragma once

#include "ad/scalar/tape.hpp"
#include "workloads/workload.hpp"

namespace tare::engines {

class Taped {
 public:
  static inline thread_local ad::Tape* tape = nullptr;

  Taped() = default;
  Taped(double value) : slot_(tape->constant(value)) {}
  explicit Taped(const ad::Slot& slot) : slot_(slot) {}
  [[nodiscard]] const ad::Slot& slot() const { return slot_; }

  [[gnu::always_inline]] friend Taped operator-(const Taped& a) { return Taped(tape->neg(a.slot_)); }
  [[gnu::always_inline]] friend Taped operator+(const Taped& a, const Taped& b) {
    return Taped(tape->add(a.slot_, b.slot_));
  }
  [[gnu::always_inline]] friend Taped operator-(const Taped& a, const Taped& b) {
    return Taped(tape->sub(a.slot_, b.slot_));
  }
  [[gnu::always_inline]] friend Taped operator*(const Taped& a, const Taped& b) {
    return Taped(tape->mul(a.slot_, b.slot_));
  }
  [[gnu::always_inline]] friend Taped operator/(const Taped& a, const Taped& b) {
    return Taped(tape->div(a.slot_, b.slot_));
  }
  [[gnu::always_inline]] Taped& operator+=(const Taped& b) { return *this = *this + b; }
  [[gnu::always_inline]] Taped& operator-=(const Taped& b) { return *this = *this - b; }
  [[gnu::always_inline]] Taped& operator*=(const Taped& b) { return *this = *this * b; }

  friend Taped exp(const Taped& a) { return Taped(tape->exp(a.slot_)); }
  friend Taped log(const Taped& a) { return Taped(tape->log(a.slot_)); }
  friend Taped sin(const Taped& a) { return Taped(tape->sin(a.slot_)); }
  friend Taped cos(const Taped& a) { return Taped(tape->cos(a.slot_)); }
  friend Taped tanh(const Taped& a) { return Taped(tape->tanh(a.slot_)); }
  friend Taped atan(const Taped& a) { return Taped(tape->atan(a.slot_)); }
  friend Taped sqrt(const Taped& a) { return Taped(tape->sqrt(a.slot_)); }

 private:
  ad::Slot slot_;
};

}  // namespace tare::engines

template <>
struct tare::workloads::Plain<tare::engines::Taped> {
  static double of(const tare::engines::Taped& x) { return x.slot().value; }
};
