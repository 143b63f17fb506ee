// tare validate: whether a submission may stand, check by check; with --rerun also by measuring again.
#include "bench/submission/validate.hpp"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "bench/analyse/summarise.hpp"
#include "bench/support/json.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/submissions.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

struct ValidateCommand {
  std::string file;
  bool rerun = false;
  std::string binary;
  PlanOptions plan;
  OutputOptions output;

  ValidateCommand() { output.formats = {"text", "json"}; }
};

/// The submitted model in a file of our own, while it lives.
class ModelFile {
 public:
  explicit ModelFile(std::span<const std::byte> bytes) {
    auto path = (std::filesystem::temp_directory_path() / "tare-model-XXXXXX").string();
    const int file = ::mkstemp(path.data());
    if (file < 0) return;
    path_ = path;
    written_ = ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    written_ = ::close(file) == 0 && written_;
  }
  ~ModelFile() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }
  ModelFile(const ModelFile&) = delete;
  ModelFile& operator=(const ModelFile&) = delete;
  [[nodiscard]] bool written() const { return written_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool written_ = false;
};

/// Both benchmarks, measured here and now with the submitted model.
Result<std::vector<BenchmarkResult>> measure_again(const ValidateCommand& command,
                                                   const Submission& submission) {
  auto plan = command.plan.plan();
  if (!plan) return std::move(plan).error();
  auto precision = command.plan.wanted();
  if (!precision) return std::move(precision).error();
  const ModelFile model(submission.model);
  if (!model.written()) return fail("the submitted model cannot be written to a temporary file");
  ::setenv("TARE_MODEL_FILE", model.path().c_str(), 1);
  const auto& cancelled = watch_signals();
  const auto start = process_starter(*plan, &cancelled);
  auto catalogue = choose({{command.binary}, "", {}, {}}, start);
  if (!catalogue) return std::move(catalogue).error();
  std::vector<Selected> wanted;
  for (const auto* result : {&submission.baseline(), &submission.optimised()}) {
    for (const auto& offered : catalogue->benchmarks)
      if (offered.listed.id == result->id) wanted.push_back(offered);
  }
  if (wanted.size() != 2)
    return fail(fmt::format("{} has no {}", command.binary, printable(submission.optimised().id.full())));
  catalogue->benchmarks = std::move(wanted);
  return measure_all(*catalogue, *plan, *precision, start, {}, &cancelled);
}

std::string as_text(const Validation& v) {
  std::string text;
  for (const auto& check : v.checks)
    text += fmt::format("{} {}{}\n", check.passed ? "passed" : "FAILED", check.name,
                        check.message.empty() ? "" : ": " + printable(check.message));
  for (const auto& warning : v.warnings) text += fmt::format("warning: {}\n", printable(warning));
  return text + (v.valid() ? "valid\n" : "not valid\n");
}

std::string as_json(const Validation& v) {
  Json checks = Json::array();
  for (const auto& check : v.checks)
    checks.push_back({{"name", check.name}, {"passed", check.passed}, {"message", check.message}});
  return to_text({{"schema", 1},
                  {"valid", v.valid()},
                  {"checks", checks},
                  {"warnings", v.warnings},
                  {"errors", v.errors()}},
                 2) +
         "\n";
}

int run_command(const ValidateCommand& command) {
  if (command.rerun && command.binary.empty())
    return complain("--rerun needs --binary: the suite to measure with"), exit_wrong_use;
  if (auto ready = command.output.ready(); !ready) return complain(ready.error().message), exit_wrong_use;
  std::error_code missing;
  (void)std::filesystem::file_size(command.file, missing);
  if (missing)
    return complain(fmt::format("{} cannot be read: {}", command.file, missing.message())), exit_wrong_use;
  auto submission = read_submission(command.file);
  Validation validation;
  if (!submission) {
    validation.checks.push_back({submission.error().check, false, submission.error().message});
  } else {
    validation = validate(*submission, contest_rules());
    // They were passed when it was unpacked.
    const std::vector<Check> before{{"format", true, ""}, {"signature", true, ""}, {"schema", true, ""}};
    validation.checks.insert(validation.checks.begin(), before.begin(), before.end());
  }
  if (command.rerun && validation.valid()) {
    auto again = measure_again(command, *submission);
    if (!again) return complain(again.error().message), exit_wrong_use;
    compare_rerun(validation, *submission, again->at(0), again->at(1));
  }
  const auto written =
      command.output.write(command.output.format == "json" ? as_json(validation) : as_text(validation));
  if (!written) return complain(written.error().message), exit_wrong_use;
  return validation.valid() ? exit_good : exit_regression;
}

}  // namespace

void add_validate(CLI::App& app, Chosen& chosen) {
  auto command = std::make_shared<ValidateCommand>();
  auto* sub =
      app.add_subcommand("validate", "Check a submission: signature, samples, figures, rules, belief");
  sub->footer(
      "Examples:\n"
      "  tare validate ada.tare\n"
      "  tare validate ada.tare --rerun --binary build/release/bin/models\n\n"
      "--rerun measures both benchmarks on this machine, with the submitted model. Exit codes: 0 valid, 1 "
      "not valid, 2 "
      "wrong use.");
  sub->add_option("file", command->file, "The submission")->required()->type_name("FILE");
  sub->add_flag("--rerun", command->rerun, "Measure again on this machine and compare");
  sub->add_option("--binary", command->binary, "The suite to measure with")->type_name("BINARY");
  command->plan.add_to(*sub);
  command->output.add_to(*sub);
  sub->callback([command, &chosen] { chosen.run = [command] { return run_command(*command); }; });
}

}  // namespace tare::cli
