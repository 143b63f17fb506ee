// What bad use gets: an error that names the operation, never a crash and never a silent zero.
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <thread>

#include "ad/scalar/derivatives.hpp"
#include "ad/scalar/tape.hpp"

namespace tare::ad {
namespace {

constexpr Limits small{std::size_t{1} << 20U};
constexpr Checks strict{true, false};
constexpr Checks monitored{false, true};

struct Misuse {
  std::string name;
  std::function<void()> act;
  std::string expect;  ///< part of the message
};

void stale_tape_slot() {
  Tape t;
  const Slot x = t.var(1.0);
  t.reset();
  t.sin(x);
}
void foreign_tape_slot() {
  Tape a;
  Tape b;
  const Slot x = a.var(1.0);
  b.add(b.var(1.0), x);
}
void stale_real(Checks checks, bool swap) {
  Recorder<double> tape(small, checks);
  Recorder<double> other(small, checks);
  Real<double> x;
  {
    const auto scope = (swap ? other : tape).record();
    x = (swap ? other : tape).input(2.0);
  }
  const auto scope = tape.record();
  Real<double> y = tape.input(1.0);
  y = y * x;
}
void fill_recorder() {
  Recorder<double> tape(small);
  const auto scope = tape.record();
  Real<double> x = tape.input(1.0);
  for (;;) x = x * x;
}
void fill_tape() {
  Tape t(small);
  Slot x = t.var(1.0);
  for (;;) x = t.sin(x);
}
void fill_inputs() {
  Tape t(small);
  for (;;) t.var(1.0);
}

const Misuse table[] = {
    {"stale_slot", stale_tape_slot, "sin: value #1 belongs to recording"},
    {"foreign_slot", foreign_tape_slot, "add: value #1 belongs to recording"},
    {"default_slot",
     [] {
       Tape t;
       t.exp(Slot{});
     },
     "exp: value #0"},
    {"stale_value",
     [] {
       Tape t;
       const Slot x = t.var(1.0);
       t.reset();
       (void)t.value(x);
     },
     "value: "},
    {"backward_on_constant",
     [] {
       Tape t;
       t.backward(t.constant(2.5));
     },
     "backward: the value 2.5 is a constant"},
    {"grad_of_constant",
     [] {
       Tape t;
       const Slot c = t.constant(2.5);
       t.backward(t.var(1.0));
       (void)t.grad(c);
     },
     "grad: the value 2.5 is a constant"},
    {"grad_before_backward",
     [] {
       Tape t;
       (void)t.grad(t.var(1.0));
     },
     "grad: no backward ran"},
    {"second_backward",
     [] {
       Tape t;
       const Slot y = t.sin(t.var(1.0));
       t.backward(y);
       t.zero_grad();
       t.backward(y);
     },
     "already swept once; pass Retain::yes"},
    {"custom_sizes",
     [] {
       Tape t;
       const Slot x = t.var(1.0);
       t.custom("mine", 1.0, std::span(&x, 1), {});
     },
     "mine: expected 1 values, got 0"},
    {"monitored_log",
     [] {
       Tape t({}, true);
       t.log(t.var(-2.0));
     },
     "log: value became"},
    {"monitored_sqrt",
     [] {
       Tape t({}, true);
       t.sqrt(t.var(0.0));
     },
     "sqrt: derivative became inf at 0"},
    {"full_tape", fill_tape, "sin: the recording reached its limit of 1048"},
    {"full_inputs", fill_inputs, "Tape::var: the recording reached its limit"},
    {"full_recorder", fill_recorder, "statement: the recording reached its limit of 1048"},
    {"stale_real", [] { stale_real(strict, false); }, "statement: value #1 belongs to recording"},
    {"foreign_real", [] { stale_real(strict, true); }, "statement: value #1 belongs to recording"},
    {"real_backward_on_constant",
     [] {
       Recorder<double> tape(small);
       tape.backward(Real<double>(3.0));
     },
     "backward: the value 3 is a constant"},
    {"real_gradient_of_constant",
     [] {
       Recorder<double> tape(small);
       const auto scope = tape.record();
       tape.backward(tape.input(1.0));
       (void)tape.gradient(Real<double>(3.0));
     },
     "gradient: the value 3 is a constant"},
    {"real_gradient_before_backward",
     [] {
       Recorder<double> tape(small);
       const auto scope = tape.record();
       (void)tape.gradient(tape.input(1.0));
     },
     "no backward ran"},
    {"real_gradient_of_intermediate",
     [] {
       Recorder<double> tape(small);
       const auto scope = tape.record();
       const Real<double> x = tape.input(1.0);
       const Real<double> y = x * x;
       const Real<double> z = sin(y);
       tape.backward(z);
       (void)tape.gradient(y);
     },
     "value #2 is neither an input nor watched"},
    {"real_second_backward",
     [] {
       Recorder<double> tape(small);
       const auto scope = tape.record();
       const Real<double> x = tape.input(1.0);
       const Real<double> y = x * x;
       tape.backward(y);
       tape.backward(y);
     },
     "already swept once"},
    {"real_stale_backward",
     [] {
       Recorder<double> tape(small);
       Real<double> y;
       {
         const auto scope = tape.record();
         y = tape.input(1.0) * 2.0;
       }
       tape.reset();
       tape.backward(y);
     },
     "backward: value #2 belongs to recording"},
    {"two_recorders_on_one_thread",
     [] {
       Recorder<double> a(small);
       Recorder<double> b(small);
       const auto first = a.record();
       const auto second = b.record();
     },
     "another recorder is recording on this thread"},
    {"one_recorder_twice",
     [] {
       Recorder<double> a(small);
       const auto first = a.record();
       a.start();
     },
     "already recording"},
    {"real_monitored_log",
     [] {
       Recorder<double> tape(small, monitored);
       const auto scope = tape.record();
       const Real<double> x = tape.input(-2.0);
       [[maybe_unused]] const Real<double> y = 3.0 * log(x) + 1.0;
     },
     "log: value became"},
    {"real_monitored_division",
     [] {
       Recorder<double> tape(small, monitored);
       const auto scope = tape.record();
       const Real<double> x = tape.input(0.0);
       [[maybe_unused]] const Real<double> y = 1.0 / x;
     },
     "div: value became inf at 1, 0"},
    {"gradient_sizes",
     [] {
       Recorder<double> tape(small);
       const double x[] = {1, 2};
       double g[1];
       gradient<double>([](auto v) { return v[0]; }, x, g, tape);
     },
     "gradient: expected 2 values, got 1"},
    {"watch_constant",
     [] {
       Recorder<double> tape(small);
       Real<double> c(4.0);
       tape.watch(c);
     },
     "watch: the value 4 is a constant"},
};

class BadUse : public testing::TestWithParam<Misuse> {};

TEST_P(BadUse, says_what_was_wrong) {
  try {
    GetParam().act();
    FAIL() << "nothing was thrown";
  } catch (const AdError& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().expect), std::string::npos) << error.what();
  }
  // Whatever happened, the thread can record again.
  Recorder<double> tape(small);
  const auto scope = tape.record();
  const Real<double> x = tape.input(2.0);
  const Real<double> y = x * x;
  tape.backward(y);
  EXPECT_EQ(tape.gradient(x), 4.0);
}

INSTANTIATE_TEST_SUITE_P(Table, BadUse, testing::ValuesIn(table),
                         [](const auto& info) { return info.param.name; });

TEST(BadUse, is_told_apart_by_type) {
  EXPECT_THROW(stale_tape_slot(), StaleError);
  EXPECT_THROW(fill_recorder(), LimitError);
  Tape t({}, true);
  const Slot x = t.var(-1.0);
  EXPECT_THROW(t.log(x), NonFiniteError);
}

TEST(BadUse, leaves_a_full_recorder_usable_after_reset) {
  Recorder<double> tape(small);
  for (int round = 0; round < 2; ++round) {
    const auto scope = tape.record();
    Real<double> x = tape.input(1.0);
    EXPECT_THROW(for (;;) x = x * x, LimitError);
  }
  const auto scope = tape.record();
  const Real<double> x = tape.input(3.0);
  const Real<double> y = x * x;
  tape.backward(y);
  EXPECT_EQ(tape.gradient(x), 6.0);
}

}  // namespace
}  // namespace tare::ad
