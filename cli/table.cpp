// tare table: a stored run laid out against one parameter, ratios in its cells; and claims tested on it.
#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "bench/analyse/growth.hpp"
#include "bench/analyse/pivot.hpp"
#include "bench/analyse/summarise.hpp"
#include "bench/report/growth_report.hpp"
#include "bench/report/pivot_report.hpp"
#include "bench/report/text_report.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/hypotheses.hpp"
#include "cli/output.hpp"
#include "cli/stored.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

struct TableOptions {
  std::string run = "last";
  std::string filter;
  std::string store;
  std::string hypotheses;
  PivotOptions pivot{"engine", "time", "", "best"};
  OutputOptions output;
};

Result<Run> chosen_run(const TableOptions& options) {
  auto store = open_store(options.store);
  if (!store) return store.error();
  auto id = store->resolve_run(options.run);
  if (!id) return id.error();
  auto run = store->load_run(*id);
  if (!run) return run.error();
  if (auto kept = keep_matching(*run, options.filter); !kept) return kept.error();
  for (auto& result : run->results) summarise(result);
  return run;
}

Result<std::string> rendered(const TableOptions& options) {
  auto run = chosen_run(options);
  if (!run) return run.error();
  auto table = pivot(run->results, options.pivot);
  if (!table) return table.error();
  std::vector<HypothesisFinding> findings;
  if (!options.hypotheses.empty()) {
    auto claims = read_hypotheses(options.hypotheses);
    if (!claims) return claims.error();
    findings = test_hypotheses(run->results, *claims);
  }
  const auto after = [](const std::string& part) { return part.empty() ? "" : "\n" + part; };
  if (options.output.format == "json") return pivot_json(*table, findings);
  if (options.output.format == "markdown")
    return pivot_markdown(*table) + after(hypotheses_markdown(findings));
  const auto look = options.output.path.empty() ? report_options() : ReportOptions{};
  return run_header(*run, look) + pivot_text(*table, look) +
         after(growth_report(find_growth(run->results), look)) + after(hypotheses_text(findings, look));
}

int table(const TableOptions& options) {
  if (auto ready = options.output.ready(); !ready) {
    complain(ready.error().message);
    return exit_wrong_use;
  }
  auto text = rendered(options);
  if (!text) {
    complain(text.error().message);
    return exit_wrong_use;
  }
  if (auto written = options.output.write(*text); !written) {
    complain(written.error().message);
    return exit_wrong_use;
  }
  return exit_good;
}

}  // namespace

void add_table(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<TableOptions>();
  auto* command = app.add_subcommand("table", "Lay a stored run out against one parameter, as ratios");
  command->footer(
      "Examples:\n"
      "  tare table last --pivot engine\n"
      "  tare table last --pivot engine --base hand --filter '^gmm/'\n"
      "  tare table last --metric time --per operations\n"
      "  tare table last --hypotheses suites/scalar/hypotheses.toml --format markdown");
  command->add_option("run", options->run, "A run's number, last, or last~1 for the one before")
      ->capture_default_str()
      ->type_name("RUN");
  command->add_option("--pivot", options->pivot.parameter, "The parameter whose values become columns")
      ->capture_default_str()
      ->type_name("PARAMETER");
  command->add_option("--metric", options->pivot.metric, "What the cells compare")
      ->capture_default_str()
      ->type_name("METRIC");
  command->add_option("--per", options->pivot.per, "Divide it by this metric of the same benchmark")
      ->type_name("METRIC");
  command->add_option("--base", options->pivot.base, "Ratios to this column instead of the row's best")
      ->capture_default_str()
      ->type_name("VALUE");
  command->add_option("--filter", options->filter, "Only benchmarks that match this regular expression")
      ->type_name("REGEX");
  command->add_option("--hypotheses", options->hypotheses, "Test the claims of this file on the run")
      ->type_name("FILE");
  add_store_option(*command, options->store);
  command->add_option("--format", options->output.format, "How to print it: text, markdown or json")
      ->check(CLI::IsMember({"text", "markdown", "json"}))
      ->capture_default_str();
  command->add_option("--out", options->output.path, "Write it to this file instead of standard output")
      ->type_name("FILE");
  command->callback([options, &chosen] { chosen.run = [options] { return table(*options); }; });
}

}  // namespace tare::cli
