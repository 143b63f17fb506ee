// The scalar suite: every engine on every workload at each of its sizes, one benchmark each, named
// "gmm/engine=real/n=1000" so that engines are compared on the same work.
//   tare run build/release/bin/scalar --filter '^gmm/'
//   tare table last --pivot engine
// Recording and sweep are timed apart where the engine separates them and the work is long against a clock
// read; a short gradient is timed whole. One state only: engines with a global tape hold one recording at a
// time. Before and after timing the engine's gradient is judged at points it has not seen (engines/task.hpp).
// An engine that takes a batch is timed by the batch, and its operations are the batch's: compare it per
// operation. compile/… is what compiling a recorded program costs, which no gradient's time contains.
#include <memory>

#include "ad/ad.hpp"
#include "bench/bench.hpp"
#include "engines/engine.hpp"
#include "engines/ours/symbols.hpp"
#include "engines/task.hpp"
#include "workloads/all.hpp"

namespace {

using tare::engines::Engine;
using tare::engines::Offer;
using tare::engines::Problem;
using tare::engines::TaskInfo;

/// Fewer would let the clock's own cost show in the phases.
constexpr std::size_t operations_for_phases = 500;
/// Beyond this an engine that pays for every input would take seconds for one gradient.
constexpr double most_input_operations = 2e7;

std::string hash_of(const std::vector<double>& numbers) {
  return tare::hash_bytes(std::as_bytes(std::span(numbers)));
}

void count_tape(tare::Context& c, const Problem& problem, double operations) {
  const auto tape = problem.tape();
  if (!tape) return;
  if (tape->operations) c.counter({"tape_operations", static_cast<double>(*tape->operations)});
  if (tape->entries) c.counter({"tape_entries", static_cast<double>(*tape->entries)});
  c.counter({"tape_bytes", static_cast<double>(tape->bytes), "B"});
  c.counter({"tape_bytes_per_operation", static_cast<double>(tape->bytes) / operations, "B"});
}

/// The point and others near it, which take the same branches.
std::vector<double> rows_near(const tare::engines::Task& task, const std::vector<double>& x,
                              std::size_t count, std::uint64_t seed) {
  constexpr double share = 0.01;
  std::vector<double> rows;
  rows.reserve(count * x.size());
  for (std::size_t row = 0; row < count; ++row) {
    const auto other = task.point(seed + row);
    for (std::size_t i = 0; i < x.size(); ++i) rows.push_back(x[i] + share * (other[i] - x[i]));
  }
  return rows;
}

void measure_batch(tare::Context& c, const tare::engines::Task& task, Problem& problem,
                   const std::vector<double>& x) {
  const std::size_t count = problem.batch();
  const auto rows = rows_near(task, x, count, c.seed() + 2);
  std::vector<double> y(count);
  std::vector<double> g(rows.size());
  c.workload().batch = static_cast<std::int64_t>(count);
  c.measure([&] {
    problem.gradients(tare::opaque(rows.data()), y.data(), g.data());
    tare::clobber();
  });
}

void measure(tare::Context& c, const Engine& engine, const Offer& offer, const TaskInfo& info) {
  if (!offer.unfit.empty()) c.skip(offer.unfit);
  const std::shared_ptr task = info.make(c.seed());
  const auto x = task->point(c.seed() + 1);
  const auto operations = task->operations(x);
  const auto done = [&](const Problem& problem) { return static_cast<double>(operations * problem.batch()); };
  if (engine.per_input &&
      static_cast<double>(task->inputs()) * static_cast<double>(operations) > most_input_operations) {
    c.skip("pays for each of " + std::to_string(task->inputs()) + " inputs: too long here");
  }
  const std::shared_ptr problem = offer.make(c.seed());
  std::vector<double> g(task->inputs());
  std::vector<double> reference(task->inputs());
  (void)task->gradient(x.data(), reference.data());

  c.workload().shape = {static_cast<std::int64_t>(task->inputs())};
  c.workload().dtype = "f64";
  c.workload().data_hash = hash_of(reference);
  c.items(done(*problem));
  c.counter({"operations", done(*problem), "1", tare::Better::neither});
  if (!engine.value_only) {
    const auto judged = judge(*task, *problem, engine.tolerance, c.seed() + 1);
    c.counter({"gradient_error", judged.error});
    count_tape(c, *problem, static_cast<double>(operations));
    c.check([task, problem, tolerance = engine.tolerance](std::uint64_t seed) -> tare::CheckResult {
      const auto judgement = judge(*task, *problem, tolerance, seed);
      return {judgement.passed, judgement.message, judgement.error};
    });
  } else {
    c.check([task, problem, x] {
      const double want = task->value(x.data());
      const double got = problem->gradient(x.data(), nullptr);
      return std::abs(got - want) <= 1e-9 * std::max(1.0, std::abs(want));
    });
  }

  if (problem->batch() > 1) {
    measure_batch(c, *task, *problem, x);
  } else if (problem->separate() && operations >= operations_for_phases) {
    c.phases([] { return 0; })
        .phase("forward", [&](int&) { tare::keep(problem->record(x.data())); })
        .phase("backward", [&](int&) { problem->reverse(g.data()); })
        .batch(1)
        .measure();
  } else {
    c.measure([&] {
      tare::keep(problem->gradient(tare::opaque(x.data()), g.data()));
      tare::clobber();
    });
  }
}

/// Code and data of the executable memory are given back at the end of each iteration.
template <class W>
void measure_compiling(tare::Context& c) {
  const W workload(c.param<std::size_t>("n"), c.seed());
  const auto program = tare::engines::recorded(workload, workload.point(c.seed() + 1));
  const auto operations = static_cast<double>(tare::ad::operations(program));
  const auto stats = compile(program).stats();
  c.items(operations);
  c.counter({"operations", operations, "1", tare::Better::neither});
  c.counter({"code_bytes", static_cast<double>(stats.code_bytes), "B"});
  c.counter({"instructions_per_operation", static_cast<double>(stats.instructions) / operations});
  c.measure([&] { tare::keep(compile(program)); });
}

TARE_BENCHMARK("compile/polynomial", measure_compiling<tare::workloads::Polynomial>)
    .param("n", tare::list({10, 1000, 10'000, 100'000, 1'000'000}));
TARE_BENCHMARK("compile/lstm", measure_compiling<tare::workloads::Lstm>).param("n", tare::list({10, 200}));
TARE_BENCHMARK("compile/mlp", measure_compiling<tare::workloads::Mlp>).param("n", tare::list({8, 64}));

/// Registered before main(), as TARE_BENCHMARK does.
[[maybe_unused]] const bool registered = [] {
  const auto tasks = tare::engines::all_tasks();
  for (const auto& engine : tare::engines::all_engines()) {
    const auto shared = std::make_shared<Engine>(engine);
    if (!engine.absent.empty()) {
      tare::registry()
          .add(
              "expression", [shared](tare::Context& c) { c.skip(shared->absent); },
              tare::build_of_this_file())
          .param("engine", {engine.name})
          .param("n", {"1"});
      continue;
    }
    for (const auto& offer : shared->offers) {
      for (const auto& task : tasks) {
        if (task.workload != offer.workload || task.n != offer.n) continue;
        tare::registry()
            .add(
                offer.workload,
                [shared, &offer, task](tare::Context& c) { measure(c, *shared, offer, task); },
                tare::build_of_this_file())
            .param("engine", {engine.name})
            .param("n", {std::to_string(offer.n)})
            .tag("engine", engine.name)
            .label(engine.label);
      }
    }
  }
  return true;
}();

}  // namespace
