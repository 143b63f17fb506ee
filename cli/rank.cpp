// tare rank: the leaderboard of a folder of submissions.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "bench/submission/leaderboard.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/submissions.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

struct RankCommand {
  std::string folder;
  OutputOptions output;

  RankCommand() { output.formats = {"text", "markdown", "json", "html"}; }
};

Status rank_folder(const RankCommand& command) {
  if (auto ready = command.output.ready(); !ready) return ready;
  std::error_code problem;
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(command.folder, problem))
    if (file.path().extension() == ".tare") files.push_back(file.path().string());
  if (problem)
    return fail(fmt::format("{} cannot be read: {}", printable(command.folder), problem.message()));
  std::sort(files.begin(), files.end());
  const auto rules = contest_rules();
  std::vector<Entry> entries;
  for (const auto& file : files) {
    auto& entry = entries.emplace_back();
    entry.file = std::filesystem::path(file).filename().string();
    auto submission = read_submission(file);
    if (!submission) {
      entry.refusal = submission.error();
      continue;
    }
    entry.submission = std::move(*submission);
    entry.validation = validate(entry.submission, rules);
    entry.submission.model = {};  // checked; a folder of them need not fit into memory
  }
  const auto board = rank(entries);
  const auto& format = command.output.format;
  return command.output.write(
      format == "json"       ? leaderboard_json(board)
      : format == "markdown" ? leaderboard_markdown(board)
      : format == "html"
          ? leaderboard_html(board)
          : leaderboard_text(board, command.output.path.empty() ? report_options() : ReportOptions{}));
}

}  // namespace

void add_rank(CLI::App& app, Chosen& chosen) {
  auto command = std::make_shared<RankCommand>();
  auto* sub = app.add_subcommand("rank", "The leaderboard of a folder of submissions");
  sub->footer(
      "Examples:\n"
      "  tare rank submissions\n"
      "  tare rank submissions --format html --out leaderboard.html\n\n"
      "Every file ending in .tare is validated first; places are shared where intervals overlap.");
  sub->add_option("folder", command->folder, "Where the submissions are")->required()->type_name("FOLDER");
  command->output.add_to(*sub);
  sub->callback([command, &chosen] {
    chosen.run = [command] {
      if (auto done = rank_folder(*command); !done) return complain(done.error().message), exit_wrong_use;
      return exit_good;
    };
  });
}

}  // namespace tare::cli
