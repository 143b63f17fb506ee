// tare submit: two results of a stored run, the model's file and who made it, packed and signed.
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <memory>

#include "bench/analyse/summarise.hpp"
#include "bench/submission/validate.hpp"
#include "bench/support/hash.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/stored.hpp"
#include "cli/submissions.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

struct SubmitCommand {
  std::string run = "last";
  std::string baseline, optimised, model;
  Submission submission;
  std::string key, out, store;
};

std::string default_key() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && config[0] == '/')
    return fmt::format("{}/tare/contest.key", config);
  const char* home = std::getenv("HOME");
  return fmt::format("{}/.config/tare/contest.key", home == nullptr ? "." : home);
}

Result<std::vector<std::byte>> model_bytes(const std::string& path) {
  std::error_code problem;
  const auto size = std::filesystem::file_size(path, problem);
  if (problem)
    return fail(fmt::format("the model {} cannot be read: {}", printable(path), problem.message()));
  if (size > longest_model)
    return fail(fmt::format("the model {} is {} long; {} are the most", printable(path),
                            format_bytes(static_cast<double>(size)), format_bytes(longest_model)));
  std::vector<std::byte> bytes(size);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    return fail(fmt::format("the model {} cannot be read", printable(path)));
  return bytes;
}

Result<BenchmarkResult> only(const Run& run, const std::string& name, const char* option) {
  auto found = benchmarks_named(run, name);
  if (found.size() == 1) return std::move(found.front());
  return fail(fmt::format("{}: '{}' is {} benchmarks of run {}; name one as 'tare show {}' lists it", option,
                          printable(name), found.size(), run.id, run.id));
}

Status submit(const SubmitCommand& command) {
  auto store = open_store(command.store);
  if (!store) return std::move(store).error();
  auto run = store->resolve_run(command.run).and_then([&](std::int64_t id) { return store->load_run(id); });
  if (!run) return std::move(run).error();
  auto baseline = only(*run, command.baseline, "--baseline");
  if (!baseline) return std::move(baseline).error();
  auto optimised = only(*run, command.optimised, "--optimised");
  if (!optimised) return std::move(optimised).error();
  auto submission = command.submission;
  submission.run = std::move(*run);
  submission.run.results = {std::move(*baseline), std::move(*optimised)};
  // Where it was measured is the author's own business.
  submission.run.directory.clear();
  for (auto& result : submission.run.results) summarise(result);
  auto figures = figures_of(submission.baseline(), submission.optimised());
  if (!figures) return std::move(figures).error();
  submission.figures = std::move(*figures);
  auto model = model_bytes(command.model);
  if (!model) return std::move(model).error();
  submission.model = std::move(*model);
  submission.model_hash = hash_bytes(submission.model);
  submission.model_name = std::filesystem::path(command.model).filename().string();
  // What would be rejected is better known before it is sent.
  const auto judged = validate(submission, contest_rules());
  if (!judged.valid()) return fail("this would be rejected: " + join(judged.errors(), "; "));
  const auto key_path = command.key.empty() ? default_key() : command.key;
  auto key = SigningKey::open(key_path);
  if (!key) return std::move(key).error();
  const auto bytes = pack(submission, *key);
  auto written = write_file(command.out, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!written) return written;
  for (const auto& warning : judged.warnings) print("warning: " + warning + "\n");
  print(fmt::format("{}: {}, signed by {} with the key {}\n", command.out,
                    format_bytes(static_cast<double>(bytes.size())), text_of(key->public_key()).substr(0, 12),
                    key_path));
  return ok();
}

}  // namespace

void add_submit(CLI::App& app, Chosen& chosen) {
  auto command = std::make_shared<SubmitCommand>();
  auto* sub =
      app.add_subcommand("submit", "Pack and sign two results and a model as a submission to a contest");
  std::string events;
  for (const auto& event : contest_events()) events += fmt::format("  {:17} {}\n", event.name, event.about);
  sub->footer(
      "Examples:\n"
      "  tare submit last --baseline mlp/variant=fp32/batch=1 --optimised mlp/variant=int8/batch=1 \\\n"
      "    --model mlp-int8.safetensors --event memory_challenge --division closed --athlete Ada --technique "
      "quantisation "
      "--out ada.tare\n\n"
      "Events:\n" +
      events +
      "\nDivisions: closed, the baseline's model without training it anew; open, anything that does the same "
      "task.\n"
      "The key is made on first use. The file holds every raw sample, the machine, the command and the "
      "model.");
  sub->add_option("run", command->run, "A run's number, last, last~1 for the one before, or a baseline")
      ->capture_default_str()
      ->type_name("RUN");
  sub->add_option("--baseline", command->baseline, "The benchmark of the baseline")
      ->required()
      ->type_name("NAME");
  sub->add_option("--optimised", command->optimised, "The benchmark that is submitted")
      ->required()
      ->type_name("NAME");
  sub->add_option("--model", command->model, "The file of the submitted model")
      ->required()
      ->type_name("FILE");
  sub->add_option("--event", command->submission.event, "See below")->required();
  sub->add_option("--division", command->submission.division, "closed or open")->required();
  sub->add_option("--athlete", command->submission.athlete, "Who sends it")->required()->type_name("NAME");
  sub->add_option("--repository", command->submission.repository, "Where to look at how it was made")
      ->type_name("URL");
  sub->add_option("--technique", command->submission.techniques, "What was done; may be given several times")
      ->expected(1)
      ->take_all();
  sub->add_option("--key", command->key,
                  "The signing key, instead of tare/contest.key in the user's configuration")
      ->type_name("FILE");
  sub->add_option("--out", command->out, "The submission's file")->required()->type_name("FILE");
  add_store_option(*sub, command->store);
  sub->callback([command, &chosen] {
    chosen.run = [command] {
      if (auto done = submit(*command); !done) return complain(done.error().message), exit_wrong_use;
      return exit_good;
    };
  });
}

}  // namespace tare::cli
