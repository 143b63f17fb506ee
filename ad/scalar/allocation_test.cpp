// A reused recording allocates nothing, and recording a million times does not grow: counted, not timed.
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <new>
#include <string>

#include "ad/scalar/derivatives.hpp"
#include "ad/scalar/tape.hpp"

namespace {
std::atomic<long> allocations{0};
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size != 0 ? size : 1)) return p;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) {
  return operator new(size);
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  operator delete(p);
}
void operator delete[](void* p) noexcept {
  operator delete(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  operator delete(p);
}

namespace tare::ad {
namespace {

template <class F>
long allocations_of(F f) {
  const long before = allocations;
  f();
  return allocations - before;
}

/// Pages of address space the process holds.
long mapped_pages() {
  std::ifstream file("/proc/self/statm");
  long pages = 0;
  file >> pages;
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

TEST(Allocations, do_not_grow_the_process_over_a_million_recordings) {
  Recorder<double> tape;
  Tape explicit_tape;
  with_recorder(tape, 10);
  with_tape(explicit_tape, 10);
  const long pages = mapped_pages();
  const long count = allocations_of([&] {
    for (int i = 0; i < 1'000'000; ++i) with_recorder(tape, 1);
    for (int i = 0; i < 100'000; ++i) with_tape(explicit_tape, 1);
  });
  EXPECT_EQ(count, 0);
  EXPECT_EQ(mapped_pages(), pages);
}

TEST(Allocations, do_not_grow_the_process_when_tapes_are_made_anew) {
  const auto once = [] {
    Tape tape;
    with_tape(tape, 10);
    Recorder<double> recorder;
    with_recorder(recorder, 10);
  };
  once();
  const long pages = mapped_pages();
  for (int i = 0; i < 1000; ++i) once();
  EXPECT_EQ(mapped_pages(), pages);
}

}  // namespace
}  // namespace tare::ad
