// The scalar suite: every engine on every workload at each of its sizes, one benchmark each, named
// "gmm/engine=real/n=1000" so that engines are compared on the same work.
//   tare run build/release/bin/scalar --filter '^gmm/'
//   tare table last --pivot engine
// Recording and sweep are timed apart where the engine separates them and the work is long against a clock
// read; a short gradient is timed whole. One state only: engines with a global tape hold one recording at a
// time. Before and after timing the engine's gradient is judged at points it has not seen (engines/task.hpp).
#include <memory>

#include "bench/bench.hpp"
#include "engines/engine.hpp"
#include "engines/task.hpp"

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

void measure(tare::Context& c, const Engine& engine, const Offer& offer, const TaskInfo& info) {
  const std::shared_ptr task = info.make(c.seed());
  const auto x = task->point(c.seed() + 1);
  const auto operations = task->operations(x);
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
  c.items(static_cast<double>(operations));
  c.counter({"operations", static_cast<double>(operations), "1", tare::Better::neither});
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

  if (problem->separate() && operations >= operations_for_phases) {
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
