// tare explain: where the time of a benchmark goes, operation by operation, against what the machine can do.
#include "bench/analyse/explain.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>

#include "bench/analyse/summarise.hpp"
#include "bench/measure/machine/roofs.hpp"
#include "bench/model/breakdown_json.hpp"
#include "bench/report/breakdown_report.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/trace.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/keeping.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

struct ExplainCommand {
  std::vector<std::string> binaries;
  SelectionOptions selection;
  std::size_t repeat = 11;
  double faster_matmul = 0;
  bool graph = false;
  std::uint64_t seed = 1;
  std::string time_limit = "60s";
  OutputOptions output;
  KeepingOptions keeping;

  ExplainCommand() { output.formats = {"text", "json", "trace"}; }
};

/// One benchmark, explained or not.
struct Told {
  BenchmarkResult result;
  std::optional<Breakdown> breakdown;
  std::optional<ProgramText> program;
};

/// Asks for one execution at a time, so that a person sees how far it is and may stop it.
class Asking {
 public:
  Asking(const ExplainCommand& command, const Plan& plan, const Starter& start, const Run& run,
         std::size_t benchmarks)
      : command_(command), plan_(plan), start_(start), run_(run), benchmarks_(benchmarks) {}

  Told ask(std::size_t index, const Selected& selected, const std::string& binary) {
    Told told;
    told.result.id = selected.listed.id;
    told.result.tags = selected.listed.tags;
    told.result.label = selected.listed.label;
    told.result.binary = binary;
    const Instant deadline = Clock::now() + plan_.time_limit;
    auto worker = start_(binary, deadline);
    if (!worker) return given_up(std::move(told), worker.error());
    auto prepared = worker->prepare(selected.listed.id, plan_.seed, deadline);
    if (!prepared) return given_up(std::move(told), prepared.error());
    told.result.workload = prepared->workload;
    told.result.throughput = prepared->throughput;
    if (!prepared->explains) {
      told.result.outcome = Outcome::skipped;
      told.result.message = "it does not tell what its program does";
      return told;
    }
    std::vector<Trace> traces;
    for (std::size_t i = 0; i <= command_.repeat; ++i) {
      draw(index, i, selected.listed.id.full());
      // The first only warms caches and memory up.
      auto answer = worker->explain({1, i == command_.repeat && command_.graph}, deadline);
      if (!answer) return given_up(std::move(told), answer.error());
      if (i > 0) traces.push_back(std::move(answer->traces.front()));
      told.program = std::move(answer->program);
    }
    if (!roofs_) {
      line_.draw("measuring what this machine can do at best, once");
      roofs_ = cached_roofs(run_.machine);
    }
    auto breakdown = explain(selected.listed.id.full(), traces, *roofs_, prepared->workload.threads);
    if (!breakdown) return given_up(std::move(told), {Outcome::failed, breakdown.error().message});
    told.breakdown = std::move(*breakdown);
    add_times(told.result, traces);
    return told;
  }
  void clear() { line_.clear(); }

 private:
  static Told given_up(Told told, const Failure& failure) {
    told.result.outcome = failure.outcome;
    told.result.message = failure.message;
    return told;
  }

  /// Each execution's time, as metrics of the run that keeps the breakdown.
  static void add_times(BenchmarkResult& result, const std::vector<Trace>& traces) {
    for (std::size_t m = 0; m < traces.front().size(); ++m) {
      auto& metric = result.metrics.emplace_back();
      metric.name = traces.front()[m].mode + "_traced";
      metric.unit = "ns";
      for (const auto& trace : traces) metric.samples.push_back({0, 1, trace[m].whole_ns(), {}});
      metric.summary = summarise(metric);
    }
  }

  void draw(std::size_t index, std::size_t repetition, const std::string& name) {
    const double spent = std::chrono::duration<double>(Clock::now() - begun_).count();
    line_.draw(progress_text(index, benchmarks_,
                             static_cast<double>(repetition) / static_cast<double>(command_.repeat + 1),
                             spent, name, repetition, 200, "execution"));
  }

  using Clock = Instant::clock;
  const ExplainCommand& command_;
  const Plan& plan_;
  const Starter& start_;
  const Run& run_;
  std::size_t benchmarks_;
  Instant begun_ = Clock::now();
  ProgressLine line_;
  std::optional<MachineRoofs> roofs_;
};

std::string program_text(const Told& told) {
  if (!told.program) return "This benchmark does not tell its program's text.\n";
  return fmt::format("Carried out together:\n{}\n{}\n", told.program->steps, told.program->dot);
}

std::string render(const ExplainCommand& command, const std::vector<Told>& all) {
  std::vector<Breakdown> breakdowns;
  Json json = Json::array();
  std::string text;
  const auto options = command.output.path.empty() ? report_options() : ReportOptions{};
  const auto faster = command.faster_matmul > 0 ? std::optional(command.faster_matmul) : std::nullopt;
  for (const auto& told : all) {
    if (!told.breakdown) continue;
    breakdowns.push_back(*told.breakdown);
    Json entry = to_json(*told.breakdown);
    if (told.program) entry["program"] = {{"steps", told.program->steps}, {"dot", told.program->dot}};
    if (faster) {
      for (std::size_t m = 0; m < told.breakdown->modes.size(); ++m) {
        const auto& mode = told.breakdown->modes[m];
        entry["modes"][m]["if_matmul_were"] = {{"times_faster", *faster},
                                               {"total_ns", mode.total_ns(*faster)},
                                               {"matmul_share", mode.matmul_share(*faster)}};
      }
    }
    json.push_back(std::move(entry));
    if (!text.empty()) text += "\n";
    text += breakdown_report(*told.breakdown, faster, options);
    if (command.graph) text += "\n" + program_text(told);
  }
  if (command.output.format == "json") return to_text(Json{{"breakdowns", json}}, 2) + "\n";
  if (command.output.format == "trace") return to_text(chrome_trace(breakdowns)) + "\n";
  return text;
}

/// Every benchmark selected, in order; those finished are kept at once.
std::vector<Told> ask_all(const ExplainCommand& command, const Plan& plan, const Catalogue& catalogue,
                          const Starter& start, const Run& run, Keeper& keeper,
                          const std::atomic<bool>& cancelled) {
  std::vector<Told> all;
  Asking asking(command, plan, start, run, catalogue.benchmarks.size());
  for (std::size_t i = 0; i < catalogue.benchmarks.size() && !cancelled; ++i) {
    const auto& selected = catalogue.benchmarks[i];
    auto told = asking.ask(i, selected, catalogue.binaries[selected.binary].path);
    if (keeper.keeps() && told.result.outcome != Outcome::skipped) {
      asking.clear();
      keeper.add(run, told.result);
      if (told.breakdown && keeper.store() != nullptr) {
        if (auto kept = keeper.store()->add_breakdown(run.id, *told.breakdown); !kept)
          keeper.trouble(kept.error());
      }
    }
    all.push_back(std::move(told));
  }
  if (!cancelled) keeper.finish(run);
  return all;
}

/// What has no explanation, on standard error; the exit code.
int judge_outcomes(const std::vector<Told>& all, const Catalogue& catalogue) {
  std::size_t explained = 0, silent = 0;
  bool failed = false;
  for (const auto& told : all) {
    explained += told.breakdown ? 1 : 0;
    silent += told.result.outcome == Outcome::skipped ? 1 : 0;
    if (told.breakdown || told.result.outcome == Outcome::skipped) continue;
    failed = true;
    complain(fmt::format("{}: {}", printable(told.result.id.full()), printable(told.result.message)));
  }
  if (explained == 0 && !failed) {
    complain(fmt::format("none of {} tells what its program does ({}); benchmarks that call explain() do",
                         plural(catalogue.benchmarks.size(), "benchmark"),
                         printable(all.empty() ? "nothing was asked" : all.front().result.message)));
    return exit_wrong_use;
  }
  if (silent > 0)
    complain(fmt::format("left out {} that {} not tell what the program does", plural(silent, "benchmark"),
                         silent == 1 ? "does" : "do"));
  return failed ? exit_wrong_use : exit_good;
}

Result<int> run_command(const ExplainCommand& command, const std::vector<std::string>& arguments) {
  auto selection = command.selection.selection(command.binaries);
  if (!selection) return std::move(selection).error();
  Plan plan;
  plan.seed = command.seed;
  auto limit = parse_duration(command.time_limit);
  if (!limit) return fail("--time-limit: " + limit.error().message);
  plan.time_limit = *limit;
  if (auto ready = command.output.ready(); !ready) return std::move(ready).error();
  auto notes = command.keeping.tags();
  if (!notes) return std::move(notes).error();

  const auto& cancelled = watch_signals();
  const auto start = process_starter(plan, &cancelled);
  auto catalogue = choose(*selection, start);
  if (!catalogue) return std::move(catalogue).error();
  Run run = describe_run(arguments, plan);
  run.tags = *notes;
  run.binaries = catalogue->binaries;
  auto keeper = Keeper::open(command.keeping, run.directory);
  if (!keeper) return std::move(keeper).error();
  if (auto begun = keeper->begin(run); !begun) return std::move(begun).error();

  const auto all = ask_all(command, plan, *catalogue, start, run, *keeper, cancelled);
  if (cancelled)
    return fail(fmt::format("cancelled: {} of {} asked", all.size(), catalogue->benchmarks.size()));
  const int code = judge_outcomes(all, *catalogue);
  if (std::none_of(all.begin(), all.end(), [](const Told& told) { return told.breakdown.has_value(); }))
    return code;
  if (auto written = command.output.write(render(command, all)); !written) return std::move(written).error();
  if (keeper->keeps() && command.output.format == "text" && command.output.path.empty())
    print(fmt::format("\nKept as run {} in {}: tare report {} draws it.\n", run.id, keeper->store()->path(),
                      run.id));
  return keeper->failed() ? exit_wrong_use : code;
}

}  // namespace

void add_explain(CLI::App& app, Chosen& chosen) {
  auto command = std::make_shared<ExplainCommand>();
  auto* sub = app.add_subcommand("explain", "Where does the time go: compute, bandwidth or overhead?");
  sub->footer(
      "Examples:\n"
      "  tare explain ./my_bench --filter mlp\n"
      "  tare explain ./my_bench --param size=128x256 --faster-matmul 8.5\n"
      "  tare explain ./my_bench --filter mlp --graph\n"
      "  tare explain ./my_bench --filter mlp --format trace --out trace.json\n\n"
      "For benchmarks that tell what their program does, operation by operation. The machine's roofs are "
      "measured once and remembered.\n"
      "Exit code 2 when a benchmark failed, or when none can be explained.");
  sub->add_option("binaries", command->binaries, "Binaries linked with tare::bench_main")
      ->required()
      ->type_name("BINARY");
  command->selection.add_to(*sub);
  sub->add_option("--repeat", command->repeat, "Executions to take the median of, after one to warm up")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sub->add_option("--faster-matmul", command->faster_matmul,
                  "Also say what if matrix products were that many times faster")
      ->check(CLI::PositiveNumber)
      ->type_name("K");
  sub->add_flag("--graph", command->graph,
                "Also print what is carried out together, and the graph in the DOT language");
  sub->add_option("--seed", command->seed, "Seed of the benchmarks' data")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  sub->add_option("--time-limit", command->time_limit, "Give a benchmark up that takes longer than this")
      ->capture_default_str();
  command->output.add_to(*sub);
  command->keeping.add_to(*sub);
  sub->callback([command, &chosen] {
    chosen.run = [command, &chosen] {
      auto code = run_command(*command, chosen.arguments);
      if (!code) return complain(code.error().message), exit_wrong_use;
      return *code;
    };
  });
}

}  // namespace tare::cli
