// A reused recording allocates nothing, and recording a million times does not grow: counted, not timed.
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <new>
#include <string>

#include "ad/scalar/derivatives.hpp"
#include "ad/scalar/program/kernel.hpp"
#include "ad/scalar/tape.hpp"
#include "ad/support/counted_new_of_test.hpp"

namespace tare::ad {
namespace {

template <class F>
long allocations_of(F f) {
  const long before = allocations;
  f();
  return allocations - before;
}

/// Of the process: pages of address space it holds, and of memory.
struct Pages {
  long mapped = 0;
  long resident = 0;
};
Pages pages_of_process() {
  std::ifstream file("/proc/self/statm");
  Pages pages;
  file >> pages.mapped >> pages.resident;
  return pages;
}

double with_recorder(Recorder<double>& tape, int n) {
  const auto scope = tape.record();
  const Real<double> x = tape.input(1.1);
  Real<double> y = 0.0;
  for (int i = 0; i < n; ++i) y = sin(y * x) + 1.0;
  tape.backward(y);
  return tape.gradient(x);
}
double with_tape(Tape& t, int n) {
  t.reset();
  const Slot x = t.var(1.1);
  Slot y = t.constant(0.0);
  for (int i = 0; i < n; ++i) y = t.add(t.sin(t.mul(y, x)), t.constant(1.0));
  t.backward(y);
  return t.grad(x);
}

TEST(Allocations, are_none_in_a_reused_recorder) {
  Recorder<double> tape;
  const double first = with_recorder(tape, 5000);
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 100; ++i) ASSERT_EQ(with_recorder(tape, 5000), first);
            }),
            0);
}

TEST(Allocations, are_none_in_a_reused_tape) {
  Tape tape;
  const double first = with_tape(tape, 5000);
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 100; ++i) ASSERT_EQ(with_tape(tape, 5000), first);
            }),
            0);
}

TEST(Allocations, are_none_in_repeated_gradients) {
  Recorder<double> tape;
  const std::vector<double> x(50, 0.5);
  std::vector<double> g(50);
  const auto f = [](auto v) {
    Real<double> sum = 0.0;
    for (const auto& each : v) sum += each * exp(each);
    return sum;
  };
  gradient<double>(f, x, g, tape);
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 100; ++i) gradient<double>(f, x, g, tape);
            }),
            0);
}

/// Enough values alive at once that a workspace is needed.
Program program_with_workspace() {
  return record_program(std::vector<double>(400, 0.5), [](std::span<const Symbol> x) {
    Symbol product = x[0];
    for (const Symbol& each : x) product *= sin(each);
    return product;
  });
}

TEST(Allocations, are_none_in_replays_of_a_program) {
  for (const bool jit : {true, false}) {
    const Compiled f = compile(program_with_workspace(), {.use_jit = jit, .threads = 2});
    const std::vector<double> x(400, 0.7);
    std::vector<double> g(400);
    const std::vector<double> many(400 * 21, 0.7);
    std::vector<double> many_g(400 * 21);
    std::vector<double> y(21);
    const auto once = [&] {
      static_cast<void>(f.value(x));
      f.gradient(x, g);
      f.values(many, y);
      f.gradients(many, y, many_g);
    };
    // A thread allocates with its first large task, whenever it gets one.
    long made = 1;
    for (int window = 0; window < 40 && made != 0; ++window)
      made = allocations_of([&] {
        for (int i = 0; i < 50; ++i) once();
      });
    EXPECT_EQ(made, 0);
  }
}

TEST(Allocations, are_none_in_repeated_kernels) {
  const std::vector<double> at(30, 0.5);
  const Kernel kernel =
      make_kernel({at, std::span(at).first(2), std::span(at).first(1)}, [](const KernelArguments<Symbol>& x) {
        Symbol y = x.gathered[0] * x.point[0] - x.gathered[1];
        for (const Symbol& each : x.shared) y = y * exp(each) + sin(y);
        return y;
      });
  const std::vector<std::uint32_t> indices{0, 1, 1, 2, 2, 0};
  const Stencil stencil(3, 2, indices);
  const std::vector<double> field(3, 0.1);
  const std::vector<double> points(3, 0.2);
  std::vector<double> g(30);
  std::vector<double> field_g(3);
  const auto once = [&] {
    static_cast<void>(kernel.value({at, points, field, &stencil}));
    kernel.gradient({at, points, field, &stencil}, {g, field_g, {}});
  };
  once();
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 100; ++i) once();
            }),
            0);
}

TEST(Allocations, do_not_grow_the_process_over_a_million_recordings) {
  Recorder<double> tape;
  Tape explicit_tape;
  with_recorder(tape, 10);
  with_tape(explicit_tape, 10);
  const Pages before = pages_of_process();
  const long count = allocations_of([&] {
    for (int i = 0; i < 1'000'000; ++i) with_recorder(tape, 1);
    for (int i = 0; i < 1'000'000; ++i) with_tape(explicit_tape, 1);
  });
  const Pages after = pages_of_process();
  EXPECT_EQ(count, 0);
  EXPECT_LE(after.mapped, before.mapped);
  // One page in a thousand recordings would show; a page of the test's own does not.
  EXPECT_LE(after.resident, before.resident + 100);
}

TEST(Allocations, do_not_grow_the_process_when_tapes_are_made_anew) {
  const auto once = [] {
    Tape tape;
    with_tape(tape, 10);
    Recorder<double> recorder;
    with_recorder(recorder, 10);
  };
  once();
  const long pages = pages_of_process().mapped;
  for (int i = 0; i < 1000; ++i) once();
  EXPECT_LE(pages_of_process().mapped, pages);
}

}  // namespace
}  // namespace tare::ad
