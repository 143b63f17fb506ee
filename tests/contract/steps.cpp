// A recording of n steps of seven operations, and its sweep, for counting what they execute: record_part and
// sweep_part are called once each after one round that fills the memory. The steps integrate a differential
// equation over a fixed time, so that derivatives neither vanish nor grow at any n.
//   contract_steps real|tape N
#include <cstdlib>
#include <cstring>

#include "ad/ad.hpp"

namespace {

using tare::ad::Real;
using tare::ad::Slot;

double answer = 0;

struct ByReal {
  tare::ad::Recorder<double> recorder;
  Real<double> x, y;
  void record(long n) {
    const auto scope = recorder.record();
    x = recorder.input(1.1);
    y = 0.5 * x;
    const double h = 1.0 / static_cast<double>(n);
    for (long i = 0; i < n; ++i) {
      const Real<double> slope = x * y - y * y;
      y = y + h * (slope * (x + y));
    }
  }
  void sweep() {
    recorder.backward(y);
    answer += recorder.gradient(x);
  }
};

struct ByTape {
  tare::ad::Tape tape;
  Slot x, y;
  void record(long n) {
    tape.reset();
    x = tape.var(1.1);
    y = tape.mul(tape.constant(0.5), x);
    const Slot h = tape.constant(1.0 / static_cast<double>(n));
    for (long i = 0; i < n; ++i) {
      const Slot slope = tape.sub(tape.mul(x, y), tape.mul(y, y));
      y = tape.add(y, tape.mul(h, tape.mul(slope, tape.add(x, y))));
    }
  }
  void sweep() {
    tape.backward(y);
    answer += tape.grad(x);
  }
};

ByReal* by_real = nullptr;
ByTape* by_tape = nullptr;

}  // namespace

extern "C" {
[[gnu::noinline]] void record_part(long n) {
  if (by_real != nullptr) return by_real->record(n);
  by_tape->record(n);
}
[[gnu::noinline]] void sweep_part() {
  if (by_real != nullptr) return by_real->sweep();
  by_tape->sweep();
}
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const long n = std::atol(argv[2]);
  ByReal real;
  ByTape tape;
  if (std::strcmp(argv[1], "real") == 0) {
    by_real = &real;
    real.record(n);
    real.sweep();
  } else {
    by_tape = &tape;
    tape.record(n);
    tape.sweep();
  }
  record_part(n);
  sweep_part();
  return answer == 0 ? 1 : 0;
}
