#include "bench/submission/leaderboard.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "bench/model/json_parts.hpp"
#include "bench/report/html_escape.hpp"
#include "bench/report/markdown.hpp"
#include "bench/report/table.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

std::string baseline_text(const Submission& s) {
  return fmt::format("{} on data {}", s.baseline().id.full(), s.baseline().workload.data_hash.substr(0, 8));
}

bool overlap(const Estimate& a, const Estimate& b) {
  return a.low.value_or(a.point) <= b.high.value_or(b.point) &&
         b.low.value_or(b.point) <= a.high.value_or(a.point);
}

void give_places(std::vector<Place>& places) {
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.score.point > b.score.point; });
  // The same key is the same athlete, whatever name it signs.
  std::vector<Place> best;
  for (auto& place : places) {
    if (std::none_of(best.begin(), best.end(), [&](const Place& p) { return p.signer == place.signer; }))
      best.push_back(std::move(place));
  }
  std::size_t leader = 0;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (!overlap(best[i].score, best[leader].score)) leader = i;
    best[i].rank = leader + 1;
  }
  places = std::move(best);
}

std::string score_text(const Estimate& score) {
  const auto half = score.relative_half_width();
  return half && *half > 0 ? fmt::format("{} ± {}", format_number(score.point), format_percent(*half))
                           : format_number(score.point);
}

std::string heading(const Standings& s) {
  return fmt::format("{}, {} division, against {}", s.event, s.division, printable(s.baseline));
}

/// The columns after the rank, as every format shows them.
const std::vector<std::string> columns{"rank",     "athlete", "variant", "score",
                                       "accuracy", "time",    "size",    "signed by"};
std::vector<std::string> row_of(const Place& p) {
  return {std::to_string(p.rank),
          printable(p.athlete),
          printable(p.variant),
          score_text(p.score),
          format_number(p.figures.optimised_accuracy, 4),
          format_duration(p.figures.optimised_ns),
          format_bytes(p.figures.optimised_bytes),
          p.signer.substr(0, 12)};
}

}  // namespace

Leaderboard rank(const std::vector<Entry>& entries) {
  Leaderboard board;
  for (const auto& entry : entries) {
    const auto errors = entry.validation.errors();
    if (entry.refusal) {
      board.rejected.emplace_back(entry.file,
                                  fmt::format("{}: {}", entry.refusal->check, entry.refusal->message));
    } else if (!errors.empty()) {
      board.rejected.emplace_back(entry.file, errors.front());
    } else {
      const auto& s = entry.submission;
      const auto key = std::tuple(s.event, s.division, baseline_text(s));
      auto found = std::find_if(board.standings.begin(), board.standings.end(), [&](const Standings& list) {
        return std::tie(list.event, list.division, list.baseline) == key;
      });
      if (found == board.standings.end())
        found = board.standings.insert(found, {s.event, s.division, baseline_text(s), {}});
      found->places.push_back({1, s.athlete, s.optimised().id.full(),
                               *event_named(s.event)->score(s.baseline(), s.optimised()), s.figures, s.signer,
                               entry.file});
    }
  }
  for (auto& list : board.standings) give_places(list.places);
  std::stable_sort(
      board.standings.begin(), board.standings.end(), [](const Standings& a, const Standings& b) {
        return std::tie(a.event, a.division, a.baseline) < std::tie(b.event, b.division, b.baseline);
      });
  return board;
}

std::string leaderboard_text(const Leaderboard& board, const ReportOptions& options) {
  std::string text;
  for (const auto& list : board.standings) {
    std::vector<Column> shown;
    for (const auto& name : columns)
      shown.push_back({name, name == "rank" ? Align::right : Align::left, name == "variant"});
    Table table(shown);
    for (const auto& place : list.places) {
      std::vector<Cell> cells;
      for (const auto& cell : row_of(place))
        cells.push_back({cell, place.rank == 1 ? Ink::good : Ink::plain});
      table.row(cells);
    }
    text += heading(list) + "\n\n" + table.str(options.width, options.style) + "\n";
  }
  for (const auto& [file, reason] : board.rejected)
    text += fmt::format("rejected: {}: {}\n", printable(file), printable(reason));
  return text.empty() ? "There are no submissions.\n" : text;
}

std::string leaderboard_markdown(const Leaderboard& board) {
  std::string text;
  const auto line = [](const std::vector<std::string>& cells) { return "| " + join(cells, " | ") + " |\n"; };
  for (const auto& list : board.standings) {
    text += fmt::format("## {}\n\n", markdown_escape(heading(list)));
    text += line(columns) + line(std::vector<std::string>(columns.size(), "---"));
    for (const auto& place : list.places) {
      auto cells = row_of(place);
      for (auto& cell : cells) cell = markdown_escape(cell);
      text += line(cells);
    }
    text += "\n";
  }
  for (const auto& [file, reason] : board.rejected)
    text += fmt::format("- rejected: {}: {}\n", markdown_escape(file), markdown_escape(reason));
  return text;
}

std::string leaderboard_json(const Leaderboard& board) {
  Json standings = Json::array(), rejected = Json::array();
  for (const auto& list : board.standings) {
    Json places = Json::array();
    for (const auto& p : list.places) {
      places.push_back({{"rank", p.rank},
                        {"athlete", p.athlete},
                        {"variant", p.variant},
                        {"score", to_json(std::optional(p.score))},
                        {"accuracy", p.figures.optimised_accuracy},
                        {"time_ns", p.figures.optimised_ns},
                        {"model_bytes", p.figures.optimised_bytes},
                        {"signer", p.signer},
                        {"file", p.file}});
    }
    standings.push_back({{"event", list.event},
                         {"division", list.division},
                         {"baseline", list.baseline},
                         {"places", places}});
  }
  for (const auto& [file, reason] : board.rejected) rejected.push_back({{"file", file}, {"reason", reason}});
  return to_text({{"schema", 1}, {"standings", standings}, {"rejected", rejected}}, 2) + "\n";
}

std::string leaderboard_html(const Leaderboard& board) {
  std::string body;
  for (const auto& list : board.standings) {
    body += fmt::format("<h2>{}</h2>\n<table>\n<tr>", html_escape(heading(list)));
    for (const auto& name : columns) body += fmt::format("<th>{}</th>", html_escape(name));
    body += "</tr>\n";
    for (const auto& place : list.places) {
      body += "<tr>";
      for (const auto& cell : row_of(place)) body += fmt::format("<td>{}</td>", html_escape(cell));
      body += "</tr>\n";
    }
    body += "</table>\n";
  }
  if (!board.rejected.empty()) body += "<h2>Rejected</h2>\n<ul>\n";
  for (const auto& [file, reason] : board.rejected)
    body += fmt::format("<li>{}: {}</li>\n", html_escape(file), html_escape(reason));
  if (!board.rejected.empty()) body += "</ul>\n";
  return fmt::format(
      "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<meta http-equiv=Content-Security-Policy "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>Leaderboard</title>\n"
      "<style>body{{font:16px system-ui;margin:2em auto;max-width:70em}}td,th{{padding:.3em "
      ".8em;text-align:left;"
      "border-bottom:1px solid #8884}}</style>\n<h1>Leaderboard</h1>\n{}</html>\n",
      body);
}

}  // namespace tare
