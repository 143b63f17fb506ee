#include "ad/scalar/tape.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tare::ad {
namespace {

TEST(Tape, differentiates_the_first_example) {
  Tape t;
  const Slot x = t.var(2.0);
  const Slot y = t.add(t.mul(x, x), t.sin(x));
  t.backward(y);
  EXPECT_DOUBLE_EQ(t.value(y), 4 + std::sin(2.0));
  EXPECT_DOUBLE_EQ(t.grad(x), 4 + std::cos(2.0));
  EXPECT_EQ(t.grad(y), 1.0);
}

TEST(Tape, counts_exactly_what_it_recorded) {
  Tape t;
  const Slot x = t.var(2.0);
  const Slot y = t.add(t.mul(x, x), t.sin(x));
  const TapeStats stats = t.stats();
  EXPECT_EQ(stats.values, 4U);
  EXPECT_EQ(stats.grads, 4U);
  EXPECT_EQ(stats.instructions, 3U);
  EXPECT_EQ(stats.bytes, 4 * 12U + 4U) << "the sum continues its newest argument without an entry";
  EXPECT_EQ(t.use_counts(), (std::vector<std::uint32_t>{3, 1, 1, 0}));
  (void)y;
}

TEST(Tape, never_records_constants_or_what_follows_from_them) {
  Tape t;
  const Slot x = t.var(3.0);
  Slot c = t.constant(2.0);
  for (int i = 0; i < 100; ++i) c = t.exp(t.neg(t.mul(c, t.constant(0.5))));
  EXPECT_TRUE(c.constant());
  EXPECT_EQ(t.stats().instructions, 0U);
  EXPECT_EQ(t.stats().grads, 1U);
  const Slot y = t.mul(c, x);
  EXPECT_EQ(t.stats().instructions, 1U);
  t.backward(y);
  EXPECT_EQ(t.grad(x), t.value(c));
  const Slot terms[] = {t.constant(1), t.constant(2)};
  EXPECT_TRUE(t.logsumexp(terms).constant());
}

TEST(Tape, passes_nothing_through_a_stopped_gradient) {
  Tape t;
  const Slot x = t.var(3.0);
  const Slot y = t.mul(t.stop_gradient(x), x);
  t.backward(y);
  EXPECT_EQ(t.value(y), 9.0);
  EXPECT_EQ(t.grad(x), 3.0);
}

TEST(Tape, rounds_with_a_straight_through_derivative) {
  Tape t;
  const Slot x = t.var(2.6);
  const Slot y = t.mul(t.straight_through_round(x), t.constant(2.0));
  t.backward(y);
  EXPECT_EQ(t.value(y), 6.0);
  EXPECT_EQ(t.grad(x), 2.0);
}

TEST(Tape, takes_ops_of_the_caller) {
  Tape t;
  const Slot x = t.var(0.5);
  const Slot y = t.var(2.0);
  const Slot a = t.custom("cube", x, [](double v) { return v * v * v; }, [](double v) { return 3 * v * v; });
  const Slot b = t.custom(
      "product", a, y, [](double p, double q) { return p * q; }, [](double, double q) { return q; },
      [](double p, double) { return p; });
  const Slot all[] = {x, y, b, t.constant(7)};
  const double partials[] = {1, 2, 3, 4};
  const Slot z = t.custom("mix", 0.5 + 4 + 3 * t.value(b) + 28, all, partials);
  t.backward(z);
  EXPECT_DOUBLE_EQ(t.grad(x), 1 + 3 * 2.0 * 3 * 0.25);
  EXPECT_DOUBLE_EQ(t.grad(y), 2 + 3 * 0.125);
  EXPECT_NE(t.dot().find("cube"), std::string::npos);
  EXPECT_NE(t.dot().find("mix"), std::string::npos);
}

TEST(Tape, sums_softmax_weights_for_logsumexp) {
  Tape t;
  std::vector<Slot> x;
  for (const double v : {1000.0, 1001.0, 999.0}) x.push_back(t.var(v));
  const Slot y = t.logsumexp(x);
  t.backward(y);
  const double total = 1 + std::exp(1.0) + std::exp(-1.0);
  EXPECT_NEAR(t.grad(x[0]), 1 / total, 1e-15);
  EXPECT_NEAR(t.grad(x[1]), std::exp(1.0) / total, 1e-15);
  EXPECT_EQ(t.stats().instructions, 1U);
}

TEST(Tape, accumulates_over_retained_sweeps_until_zeroed) {
  Tape t;
  const Slot x = t.var(3.0);
  const Slot y = t.mul(x, x);
  const Slot z = t.mul(y, x);
  t.backward(z, Retain::yes);
  EXPECT_EQ(t.grad(x), 27.0);
  t.backward(z, Retain::yes);
  EXPECT_EQ(t.grad(x), 54.0);
  EXPECT_EQ(t.grad(y), 3.0) << "only inputs accumulate";
  t.zero_grad();
  EXPECT_EQ(t.grad(x), 0.0);
  t.backward(y, Retain::yes);
  EXPECT_EQ(t.grad(x), 6.0);
}

TEST(Tape, goes_on_recording_after_a_retained_sweep) {
  Tape t;
  const Slot x = t.var(3.0);
  const Slot y = t.mul(x, x);
  t.backward(y, Retain::yes);
  const Slot late = t.var(5.0);
  const Slot z = t.mul(y, late);
  EXPECT_THROW((void)t.grad(z), AdError);
  t.zero_grad();
  t.backward(z);
  EXPECT_EQ(t.grad(x), 30.0);
  EXPECT_EQ(t.grad(late), 9.0);
}

TEST(Tape, ignores_what_was_recorded_after_the_result) {
  Tape t;
  const Slot x = t.var(0.0);
  const Slot y = t.exp(x);
  const Slot after = t.sqrt(x);  // infinite slope at 0, of which y knows nothing
  (void)after;
  t.backward(y);
  EXPECT_EQ(t.grad(x), 1.0);
}

TEST(Tape, is_not_spoilt_by_an_infinite_slope_nobody_uses) {
  Tape t;
  const Slot x = t.var(0.0);
  const Slot unused = t.sqrt(x);
  (void)unused;
  t.backward(t.exp(x));
  EXPECT_EQ(t.grad(x), 1.0);
}

TEST(Tape, records_the_same_again_after_reset) {
  Tape t;
  std::size_t bytes = 0;
  for (int round = 0; round < 3; ++round) {
    t.reset();
    EXPECT_EQ(t.stats().values, 0U);
    const Slot x = t.var(1.5);
    Slot y = x;
    for (int i = 0; i < 1000; ++i) y = t.mul(t.sin(y), x);
    t.backward(y);
    if (round != 0) {
      EXPECT_EQ(t.stats().bytes, bytes);
    }
    bytes = t.stats().bytes;
  }
  EXPECT_EQ(bytes, 1000 * 36U + 2001 * 1U);
}

TEST(Tape, prints_a_graph) {
  Tape t;
  const Slot x = t.var(2.0);
  const Slot y = t.mul(x, t.constant(3.0));
  EXPECT_EQ(t.dot(),
            "digraph tape {\n"
            "  v1 [label=\"input\", shape=box];\n"
            "  v2 [label=\"mul\"];\n"
            "  v1 -> v2 [label=\"3\"];\n"
            "}\n");
  const Slot q = t.custom("a \"name\"", 1.0, std::span(&y, 1), std::vector<double>{1.0});
  (void)q;
  EXPECT_NE(t.dot().find("a \\\"name\\\""), std::string::npos);
}

TEST(Tape, records_linearly_many_bytes_and_sweeps_a_million_statements) {
  Tape t;
  const Slot x = t.var(1.0 + 1e-7);
  Slot y = x;
  const int n = 1'000'000;
  for (int i = 1; i < n; ++i) y = t.mul(y, x);
  EXPECT_EQ(t.stats().instructions, static_cast<std::size_t>(n - 1));
  t.backward(y);
  EXPECT_NEAR(t.grad(x) / (n * std::pow(1.0 + 1e-7, n - 1)), 1.0, 1e-9);
}

}  // namespace
}  // namespace tare::ad
