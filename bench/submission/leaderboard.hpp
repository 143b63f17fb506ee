// Who is ahead: one list per event, division and baseline, by a ratio that does not depend on the machine.
// Places are shared where intervals overlap with the best of the place: what cannot be told apart is not
// ranked apart.
#pragma once

#include "bench/report/style.hpp"
#include "bench/submission/validate.hpp"

namespace tare {

struct Entry {
  std::string file;
  Submission submission;
  Validation validation;
  std::optional<Refusal> refusal;  ///< the file is no submission at all
};

struct Place {
  std::size_t rank = 1;
  std::string athlete;
  std::string variant;  ///< the optimised benchmark
  Estimate score;
  Figures figures;
  std::string signer;
  std::string file;
};

struct Standings {
  std::string event;
  std::string division;
  std::string baseline;  ///< the benchmark that all were held against, with its data
  std::vector<Place> places;
};

struct Leaderboard {
  std::vector<Standings> standings;
  std::vector<std::pair<std::string, std::string>> rejected;  ///< file and reason
};

/// One athlete has one place in a list: the best of what was sent.
Leaderboard rank(const std::vector<Entry>& entries);

std::string leaderboard_text(const Leaderboard& board, const ReportOptions& options = {});
std::string leaderboard_markdown(const Leaderboard& board);
std::string leaderboard_json(const Leaderboard& board);
std::string leaderboard_html(const Leaderboard& board);

}  // namespace tare
