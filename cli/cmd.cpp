// tare cmd: whole commands side by side, or one command measured.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <random>
#include <unistd.h>

#include "bench/measure/spawn.hpp"
#include "bench/support/text.hpp"
#include "cli/command_lines.hpp"
#include "cli/commands.hpp"
#include "cli/contest.hpp"
#include "cli/duels.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

/// More CPU time than this share of the wall time takes more than one CPU.
constexpr double one_cpu = 1.05;

struct CmdCommand {
  std::vector<std::string> commands;
  std::vector<std::string> names;
  std::vector<std::string> prepares;
  std::vector<std::string> parameters;
  std::string input = "/dev/null";
  std::string budget = "10s";
  std::string time_limit = "60s";
  std::size_t rounds = 0;
  bool no_shell = false;
  bool spread = false;
  bool same_output = false;
  bool ignore_failure = false;
  VerdictOptions verdict;
  KeepingOptions keeping;
  OutputOptions output;

  CmdCommand() { output.formats = {"text", "json", "markdown"}; }
};

/// One command with one value for each parameter.
struct Contestant {
  BenchmarkResult described;
  std::vector<std::string> argv;
  std::string prepare;  ///< may be empty
};
using Contestants = std::vector<Contestant>;  ///< with the same parameters

std::vector<std::string> in_shell(const std::string& text) {
  return {"/bin/sh", "-c", text};
}

Result<std::vector<std::string>> argv_of(const std::string& text, bool shell) {
  if (shell) return in_shell(text);
  auto words = split_command(text);
  if (!words) return words;
  auto program = find_program(words->front());
  if (!program) return std::move(program).error();
  words->front() = std::move(*program);
  return words;
}

/// As the user named them, or their text; the second of two like ones is told from the first.
Result<std::vector<std::string>> names_of(const CmdCommand& command) {
  if (!command.names.empty() && command.names.size() != command.commands.size())
    return fail(fmt::format("--name: {} names for {} commands; give one for each", command.names.size(),
                            command.commands.size()));
  std::vector<std::string> names;
  for (const auto& text : command.names.empty() ? command.commands : command.names) {
    const std::string whole{trim(text)};
    auto name = whole;
    for (int copy = 2; std::find(names.begin(), names.end(), name) != names.end(); ++copy)
      name = fmt::format("{} ({})", whole, copy);
    if (name.empty()) return fail("--name: a name is empty");
    names.push_back(std::move(name));
  }
  return names;
}

Status check_texts(const CmdCommand& command) {
  for (const auto& text : command.commands)
    if (trim(text).empty()) return fail("a command is empty; write it as one quoted argument: 'sort data'");
  const auto prepares = command.prepares.size();
  if (prepares > 1 && prepares != command.commands.size())
    return fail(fmt::format("--prepare: {} of them for {} commands; give one for all or one for each",
                            prepares, command.commands.size()));
  if (command.same_output && command.commands.size() < 2)
    return fail("--same-output compares with the first command: name a second one");
  if (::access(command.input.c_str(), R_OK) != 0)
    return fail(fmt::format("--input: cannot read {}", printable(command.input)));
  for (const auto& parameter : command.parameters) {
    const auto name = parameter.substr(0, parameter.find('='));
    const auto uses = [&](const std::string& text) { return mentions(text, name); };
    if (std::none_of(command.commands.begin(), command.commands.end(), uses) &&
        std::none_of(command.prepares.begin(), command.prepares.end(), uses))
      return fail(fmt::format("--parameter: no command has {{{}}}", printable(name)));
  }
  return ok();
}

std::string reproduce(const CmdCommand& command, const std::string& text) {
  return "tare cmd " + shell_quote(text) + (command.no_shell ? " --no-shell" : "");
}

Result<std::vector<Contestants>> contests_of(const CmdCommand& command) {
  auto combinations = combine_parameters(command.parameters);
  if (!combinations) return fail("--parameter: " + combinations.error().message);
  if (auto good = check_texts(command); !good) return std::move(good).error();
  auto names = names_of(command);
  if (!names) return std::move(names).error();
  std::vector<Contestants> contests;
  for (const auto& combination : *combinations) {
    auto& contestants = contests.emplace_back();
    for (std::size_t i = 0; i < command.commands.size(); ++i) {
      auto text = substitute(trim(command.commands[i]), combination);
      if (!text) return std::move(text).error();
      auto argv = argv_of(*text, !command.no_shell);
      if (!argv) return std::move(argv).error();
      Contestant one;
      one.described.id = {(*names)[i], combination};
      if (!command.names.empty()) one.described.label = *text;
      one.described.reproduce = reproduce(command, *text);
      one.argv = std::move(*argv);
      if (!command.prepares.empty()) {
        auto prepare = substitute(command.prepares[command.prepares.size() == 1 ? 0 : i], combination);
        if (!prepare) return fail("--prepare: " + prepare.error().message);
        one.prepare = std::move(*prepare);
      }
      contestants.push_back(std::move(one));
    }
  }
  return contests;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

struct Line {
  char* text = nullptr;
  std::size_t room = 0;
  ssize_t length = -1;

  Line() = default;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() { std::free(text); }
  bool read(std::FILE* file) { return (length = ::getline(&text, &room, file)) >= 0; }
  [[nodiscard]] std::string_view view() const { return {text, static_cast<std::size_t>(length)}; }
  [[nodiscard]] std::string shown() const {
    return length < 0 ? "nothing" : fmt::format("'{}'", printable(trim(view()).substr(0, 80)));
  }
};

/// Empty when the files hold the same.
std::string first_difference(std::FILE* expected, std::FILE* seen) {
  if (std::fseek(expected, 0, SEEK_SET) != 0 || std::fseek(seen, 0, SEEK_SET) != 0)
    return "its output could not be read back";
  Line a, b;
  for (std::size_t number = 1;; ++number) {
    const bool more_a = a.read(expected), more_b = b.read(seen);
    if (!more_a && !more_b) return "";
    if (!more_a || !more_b || a.view() != b.view())
      return fmt::format("its output differs from the first command's in line {}: {} instead of {}", number,
                         b.shown(), a.shown());
  }
}

/// Runs the commands of one contest, each in a process with a placement of its own.
class Runs {
 public:
  Runs(const CmdCommand& command, const Contestants& contestants, std::chrono::nanoseconds limit,
       const std::atomic<bool>& cancelled)
      : command_(command),
        contestants_(contestants),
        limit_(limit),
        cancelled_(cancelled),
        random_(std::random_device{}()) {}

  Result<Executed> run(std::size_t which, std::optional<int> cpu, int output = -1) {
    if (which == contestants_.size()) return once(in_shell(""), cpu, -1);
    const auto& one = contestants_[which];
    if (!one.prepare.empty()) {
      auto prepared = once(in_shell(one.prepare), std::nullopt, -1);
      if (prepared && prepared->outcome != Outcome::ok)
        prepared->ending = fmt::format("--prepare '{}': {}", printable(one.prepare), prepared->ending);
      if (!prepared || prepared->outcome != Outcome::ok) return prepared;
    }
    auto executed = once(one.argv, cpu, output);
    const bool failed =
        executed && (executed->outcome == Outcome::failed || executed->outcome == Outcome::crashed);
    if (failed && command_.ignore_failure) {
      executed->outcome = Outcome::ok;
      executed->ending.clear();
    }
    return executed;
  }

  /// Each once, without timing: what fails or answers otherwise is marked. Whether one CPU is enough for all.
  bool rehearse(std::vector<BenchmarkResult>& results) {
    File expected;
    bool one_cpu_each = true;
    for (std::size_t i = 0; i < results.size(); ++i) {
      File output(command_.same_output ? std::tmpfile() : nullptr);
      const auto executed = run(i, std::nullopt, output ? ::fileno(output.get()) : -1);
      auto& result = results[i];
      result.outcome = executed ? executed->outcome : Outcome::failed;
      result.message = executed ? executed->ending : executed.error().message;
      if (result.outcome != Outcome::ok) continue;
      one_cpu_each = one_cpu_each && executed->cpu_ns < one_cpu * executed->wall_ns;
      if (!command_.same_output) continue;
      result.checked = true;
      if (i == 0) {
        expected = std::move(output);
      } else if (!output || !expected) {
        result.outcome = Outcome::failed;
        result.message = "its output could not be kept, or the first command gave none";
      } else if (auto difference = first_difference(expected.get(), output.get()); !difference.empty()) {
        result.outcome = Outcome::check_failed;
        result.message = std::move(difference);
      }
    }
    return one_cpu_each;
  }

 private:
  Result<Executed> once(std::vector<std::string> argv, std::optional<int> cpu, int output) {
    return execute(
        {std::move(argv), command_.input, output, cpu, Placement::draw(random_()).environment_bytes, limit_},
        &cancelled_);
  }

  const CmdCommand& command_;
  const Contestants& contestants_;
  std::chrono::nanoseconds limit_;
  const std::atomic<bool>& cancelled_;
  std::mt19937_64 random_;
};

/// The contests one after the other, each kept when it is finished.
class Tournament {
 public:
  Tournament(const CmdCommand& command, const CompareOptions& options, std::vector<Contestants> contests,
             const std::atomic<bool>& cancelled)
      : command_(command), options_(options), contests_(std::move(contests)), cancelled_(cancelled) {}

  Status prepare() {
    auto budget = parse_duration(command_.budget);
    if (!budget) return fail("--budget: " + budget.error().message);
    plan_.budget = *budget;
    auto limit = parse_duration(command_.time_limit);
    if (!limit) return fail("--time-limit: " + limit.error().message);
    limit_ = *limit;
    if (command_.rounds > 0) plan_.rounds = command_.rounds;
    plan_.shell = !command_.no_shell;
    const auto pairs = contests_.size() * std::max<std::size_t>(command_.commands.size() - 1, 1);
    plan_.alpha = (1 - options_.confidence) /
                  (options_.correction == Correction::none ? 1.0 : static_cast<double>(pairs));
    return ok();
  }

  void hold(Run& run, Comparison& comparison, Keeper& keeper) {
    for (std::size_t i = 0; i < contests_.size() && !cancelled_; ++i) {
      auto contest = hold_one(i);
      for (const auto& result : contest.results) keeper.add(run, result);
      std::move(contest.results.begin(), contest.results.end(), std::back_inserter(run.results));
      std::move(contest.pairs.begin(), contest.pairs.end(), std::back_inserter(comparison.benchmarks));
    }
    line_.clear();
    conclude(comparison, options_);
  }

 private:
  Contest hold_one(std::size_t index) {
    const auto& contestants = contests_[index];
    std::vector<BenchmarkResult> results;
    for (const auto& one : contestants) results.push_back(one.described);
    const auto begun = std::chrono::steady_clock::now();
    const auto show = [&](std::size_t round, double fraction) {
      const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
      line_.draw(progress_text(index, contests_.size(), fraction,
                               spent + static_cast<double>(index) * spent_on_others_,
                               results.back().id.full(), round, 200, "round"));
    };
    show(0, 0);
    Runs runs(command_, contestants, limit_, cancelled_);
    const bool one_cpu_each = runs.rehearse(results);
    plan_.cpus = command_.spread || !one_cpu_each ? std::vector<int>{} : usable_cpus();
    plan_.seed = std::random_device{}();
    ContestHooks hooks;
    hooks.run = [&](std::size_t which, std::optional<int> cpu) { return runs.run(which, cpu); };
    hooks.progress = show;
    auto contest = hold_contest(results, plan_, options_, hooks);
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    spent_on_others_ += (spent - spent_on_others_) / static_cast<double>(index + 1);
    return contest;
  }

  const CmdCommand& command_;
  const CompareOptions& options_;
  std::vector<Contestants> contests_;
  const std::atomic<bool>& cancelled_;
  ContestPlan plan_;
  std::chrono::nanoseconds limit_{};
  ProgressLine line_;
  double spent_on_others_ = 0;  ///< seconds, the mean
};

int report(const CmdCommand& command, const Run& run, const Comparison& comparison, const Keeper& keeper,
           bool cancelled) {
  const bool alone = command.commands.size() == 1;
  const auto text = alone ? command.output.render(run) : command.output.render(comparison);
  if (auto written = command.output.write(text); !written) return fail_with(written.error());
  if (cancelled) {
    complain(fmt::format("cancelled: what was finished is shown{}",
                         keeper.keeps() ? fmt::format(" and kept as run {}", run.id) : ""));
    return exit_wrong_use;
  }
  if (keeper.failed()) return exit_wrong_use;
  return alone ? exit_code_of(run.results) : exit_code_of(comparison);
}

int run(const CmdCommand& command, const std::vector<std::string>& arguments) {
  auto options = command.verdict.options();
  if (!options) return fail_with(options.error());
  auto contests = contests_of(command);
  if (!contests) return fail_with(contests.error());
  if (auto ready = command.output.ready(); !ready) return fail_with(ready.error());
  auto notes = command.keeping.tags();
  if (!notes) return fail_with(notes.error());
  const auto& cancelled = watch_signals();
  const auto names = *names_of(command);
  Tournament tournament(command, *options, std::move(*contests), cancelled);
  if (auto ready = tournament.prepare(); !ready) return fail_with(ready.error());

  Run run = describe_run(arguments, {});
  run.tags = *notes;
  auto keeper = Keeper::open(command.keeping, run.directory);
  if (!keeper) return fail_with(keeper.error());
  if (auto begun = keeper->begin(run); !begun) return fail_with(begun.error());
  Comparison comparison;
  comparison.paired = true;
  comparison.before.name = names.front();
  comparison.after.name = join({names.begin() + 1, names.end()}, ", ");
  tournament.hold(run, comparison, *keeper);
  if (keeper->keeps()) comparison.before.run = comparison.after.run = run.id;
  if (!cancelled) keeper->finish(run);
  if (keeper->failed()) comparison.warnings.push_back({Doubt::unavailable, "the results could not be kept"});
  return report(command, run, comparison, *keeper, cancelled);
}

void add_options(CLI::App& app, CmdCommand& command) {
  app.add_option("commands", command.commands,
                 "Whole commands, each one quoted argument; the others are compared with the first")
      ->required()
      ->type_name("COMMAND");
  app.add_option("--name", command.names, "What a command is called instead of its text; once for each")
      ->allow_extra_args(false);
  app.add_option("--prepare", command.prepares,
                 "Run this before every execution, untimed; once for all commands, or once for each")
      ->type_name("COMMAND")
      ->allow_extra_args(false);
  app.add_option("--parameter", command.parameters,
                 "Compare for each of these values in the place of {NAME}; several parameters multiply")
      ->type_name("NAME=A,B,…")
      ->allow_extra_args(false);
  app.add_option("--input", command.input, "Standard input of every command")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_flag("--same-output", command.same_output,
               "First make sure that all commands write the same to standard output");
  app.add_flag("--ignore-failure", command.ignore_failure,
               "Time commands that end with another exit code than 0");
  app.add_flag("--no-shell", command.no_shell, "Start the programs directly instead of by /bin/sh -c");
  app.add_flag("--spread", command.spread, "Let the commands of a round run on different CPUs");
  app.add_option("--budget", command.budget,
                 "Wall time for one comparison, such as 10s or 500ms; at least the rounds a verdict takes")
      ->capture_default_str();
  app.add_option("--rounds", command.rounds, "Exactly this many rounds, instead of by budget")
      ->check(CLI::PositiveNumber);
  app.add_option("--time-limit", command.time_limit, "Kill an execution that takes longer than this")
      ->capture_default_str();
}

}  // namespace

void add_cmd(CLI::App& app, Chosen& chosen) {
  auto command = std::make_shared<CmdCommand>();
  auto* sub = app.add_subcommand("cmd", "Whole commands side by side: is the other one really faster?");
  sub->footer(
      "Examples:\n"
      "  tare cmd 'grep -c x big.txt' 'rg -c x big.txt' --same-output\n"
      "  tare cmd './old {n}' './new {n}' --parameter n=1,10,100\n"
      "  tare cmd 'make -C a' 'make -C b' --prepare 'make -C a clean' --prepare 'make -C b clean' --spread\n"
      "  tare cmd 'python3 tool.py' --no-shell\n\n"
      "A round runs every command once forward and once backward, on one CPU if one is enough for each; the "
      "cost of the shell is taken off.\n"
      "Standard output goes to /dev/null, and some programs then do less: redirect it inside the command to "
      "time the writing.\n"
      "Exit codes: 0 nothing is slower than the first, 1 something is, 2 wrong use or a failure, 3 "
      "undecided.");
  add_options(*sub, *command);
  command->verdict.add_to(*sub);
  sub->remove_option(sub->get_option("--allow"));  // commands carry no conditions that could differ
  command->keeping.add_to(*sub);
  command->output.add_to(*sub);
  sub->callback(
      [command, &chosen] { chosen.run = [command, &chosen] { return run(*command, chosen.arguments); }; });
}

}  // namespace tare::cli
