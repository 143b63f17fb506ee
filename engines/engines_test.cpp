// Every engine answers as the hand-written adjoint does, and a liar is found out at every size.
#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "engines/engine.hpp"
#include "engines/task.hpp"

namespace tare::engines {
namespace {

const TaskInfo& task_named(const std::string& workload, std::size_t n) {
  static const auto tasks = all_tasks();
  return *std::find_if(tasks.begin(), tasks.end(),
                       [&](const TaskInfo& t) { return t.workload == workload && t.n == n; });
}

class EveryEngine : public testing::TestWithParam<std::string> {};

TEST_P(EveryEngine, gives_the_hand_written_gradient_of_every_workload) {
  for (const auto& engine : all_engines()) {
    if (engine.name != GetParam()) continue;
    if (!engine.absent.empty()) GTEST_SKIP() << engine.absent;
    std::string last;
    for (const auto& offer : engine.offers) {
      if (offer.workload == last) continue;  // the smallest size of each
      last = offer.workload;
      const auto task = task_named(offer.workload, offer.n).make(3);
      const auto problem = offer.make(3);
      if (engine.per_input && task->inputs() > 200) continue;
      // Twice: what is kept from the first gradient must not reach the second.
      for (const std::uint64_t seed : {21U, 22U}) {
        const auto judgement = judge(*task, *problem, engine.tolerance, seed);
        EXPECT_TRUE(judgement.passed) << offer.workload << " n=" << offer.n << ": " << judgement.message;
      }
    }
    return;
  }
  FAIL() << "no such engine";
}

INSTANTIATE_TEST_SUITE_P(All, EveryEngine,
                         testing::Values("hand", "real", "tape", "preaccumulated", "compiled", "batch",
                                         "kernel", "real-anew", "tape-anew", "forward", "finite", "complex",
                                         "adolc", "sacado", "stan", "eigen", "gradbench"),
                         [](const auto& info) {
                           auto name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Engines, are_all_tested_above) {
  std::vector<std::string> names;
  for (const auto& engine : all_engines()) names.push_back(engine.name);
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("primal", "hand", "real", "tape", "preaccumulated", "compiled",
                                            "batch", "kernel", "real-anew", "tape-anew", "forward", "finite",
                                            "complex", "adolc", "sacado", "stan", "eigen", "gradbench"));
}

TEST(Batch, answers_in_every_row_also_where_rows_take_other_branches) {
  for (const auto& engine : all_engines()) {
    if (engine.name != "batch") continue;
    for (const auto& [workload, n] :
         {std::pair{"shared", 10}, std::pair{"kmeans", 10}, std::pair{"determinant", 20}}) {
      const auto& info = task_named(workload, static_cast<std::size_t>(n));
      const auto task = info.make(3);
      const auto& offer = *std::find_if(engine.offers.begin(), engine.offers.end(), [&](const Offer& o) {
        return o.workload == info.workload && o.n == info.n;
      });
      const auto problem = offer.make(3);
      ASSERT_GE(problem->batch(), 8u);
      for (std::uint64_t seed = 0; seed < problem->batch() + 3; ++seed) {
        const auto judgement = judge(*task, *problem, engine.tolerance, seed);
        EXPECT_TRUE(judgement.passed) << workload << " seed " << seed << ": " << judgement.message;
      }
    }
  }
}

TEST(Engines, absent_ones_say_why_and_offer_nothing) {
  for (const auto& engine : all_engines()) {
    EXPECT_EQ(engine.absent.empty(), !engine.offers.empty()) << engine.name;
  }
}

TEST(OurEngine, records_a_statement_for_what_it_should_and_tells_its_size) {
  for (const auto& engine : all_engines()) {
    if (engine.name != "real") continue;
    const auto& offer = *std::find_if(engine.offers.begin(), engine.offers.end(), [](const Offer& o) {
      return o.workload == "polynomial" && o.n == 100;
    });
    const auto problem = offer.make(1);
    ASSERT_TRUE(problem->separate());
    const double x = 1.0;
    (void)problem->record(&x);
    const auto size = problem->tape();
    ASSERT_TRUE(size.has_value());
    EXPECT_EQ(size->operations, 100u);
    EXPECT_EQ(size->entries, 200u);
    EXPECT_EQ(size->bytes, 2400u);
  }
}

/// Answers as asked: the right gradient, spoiled.
struct Liar : Problem {
  enum class Lie { none, zeros, not_a_number, one_block, last_entry, value, added };
  Liar(Task& task, Lie lie) : task(task), lie(lie) {}
  double gradient(const double* x, double* g) override {
    const std::size_t n = task.inputs();
    std::vector<double> right(n);
    const double y = task.gradient(x, right.data());
    for (std::size_t i = 0; i < n; ++i) g[i] = lie == Lie::added ? g[i] + right[i] : right[i];
    const auto last = task.blocks().back();
    if (lie == Lie::zeros) std::fill_n(g, n, 0.0);
    if (lie == Lie::not_a_number) g[n - 1] = std::numeric_limits<double>::quiet_NaN();
    if (lie == Lie::one_block) std::fill_n(g + last.begin, last.size, 0.0);
    if (lie == Lie::last_entry) {
      g[n - 1] += 1e-6 * *std::max_element(right.begin(), right.end(),
                                           [](double a, double b) { return std::abs(a) < std::abs(b); });
    }
    return lie == Lie::value ? y + 1e-3 : y;
  }
  Task& task;
  Lie lie;
};

TEST(Judge, accepts_the_truth_and_rejects_every_lie_at_every_size) {
  using Lie = Liar::Lie;
  for (const auto& info : all_tasks()) {
    const auto task = info.make(7);
    Liar honest(*task, Lie::none);
    const auto good = judge(*task, honest, 1e-10, 31);
    EXPECT_TRUE(good.passed) << info.workload << " n=" << info.n << ": " << good.message;
    EXPECT_EQ(good.error, 0);
    for (const auto lie :
         {Lie::zeros, Lie::not_a_number, Lie::one_block, Lie::last_entry, Lie::value, Lie::added}) {
      Liar liar(*task, lie);
      const auto judgement = judge(*task, liar, 1e-10, 31);
      EXPECT_FALSE(judgement.passed) << info.workload << " n=" << info.n << " lie " << static_cast<int>(lie);
      EXPECT_FALSE(judgement.message.empty());
    }
  }
}

TEST(Judge, looks_along_a_direction_even_where_every_block_is_believed) {
  const auto task = task_named("gmm", 20).make(7);
  Liar liar(*task, Liar::Lie::one_block);
  // A tolerance that believes half of every block, and a liar whose last block is zero.
  const auto by_block = judge(*task, liar, 0.5, 31);
  EXPECT_THAT(by_block.message, testing::HasSubstr("block 'l' is off by 1"));
  struct Scaled : Liar {
    using Liar::Liar;
    double gradient(const double* x, double* g) override {
      const double y = Liar::gradient(x, g);
      for (std::size_t i = 0; i < task.inputs(); ++i) g[i] *= i % 2 == 0 ? 1.4 : 0.6;
      return y;
    }
  };
  const auto line = task_named("expression", 1).make(7);
  Scaled scaled(*line, Liar::Lie::none);
  EXPECT_THAT(judge(*line, scaled, 0.45, 31).message, testing::HasSubstr("along a random direction"));
}

}  // namespace
}  // namespace tare::engines
