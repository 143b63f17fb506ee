#include "bench/report/markdown.hpp"

#include <fmt/format.h>

#include "bench/report/layout.hpp"
#include "bench/report/run_view.hpp"
#include "bench/support/text.hpp"

namespace tare {
std::string markdown_cell(std::string_view text, std::size_t longest) {
  return markdown_escape(shorten_middle(printable(text), longest));
}

std::string markdown_escape(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '@':
        escaped += "&#64;";
        break;
      case '\\':
      case '|':
      case '`':
      case '*':
      case '_':
      case '~':
      case '[':
      case ']':
      case '#':
        escaped += '\\';
        [[fallthrough]];
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string markdown_report(const Run& run) {
  if (run.results.empty()) return count_sentence(run) + "\n";
  const auto view = view_of(run);
  const auto shown = [&](std::size_t column) { return view.columns[column].weight != Weight::detail; };
  std::string all = "| benchmark |";
  std::string rule = "|:--|";
  for (std::size_t i = 0; i < view.columns.size(); ++i) {
    if (!shown(i)) continue;
    all += fmt::format(" {} |", markdown_escape(view.columns[i].header));
    rule += "--:|";
  }
  all += fmt::format(" |\n{}:--|\n", rule);

  for (const auto& row : view.rows) {
    all += fmt::format("| {}{} |", row.phase ? "&nbsp;&nbsp;↳ " : "", markdown_cell(row.name));
    if (row.outcome != Outcome::ok) {
      for (std::size_t i = 0; i < view.columns.size(); ++i) {
        if (shown(i)) all += i == 0 ? " – |" : " |";
      }
      all += fmt::format(" **{}**", words_of(row.outcome));
      const auto message = row.sentence.substr(words_of(row.outcome).size());
      all += markdown_escape(shorten_end(printable(message), 300)) + " |\n";
      continue;
    }
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (shown(i)) all += row.cells[i].empty() ? " |" : fmt::format(" {} |", markdown_escape(row.cells[i]));
    }
    std::string marks = row.checked ? " ✓" : "";
    if (!row.notes.empty()) marks += fmt::format(" \\[{}\\]", fmt::join(row.notes, ","));
    all += marks + " |\n";
  }

  all += fmt::format("\n{}", count_sentence(run));
  if (!view.legend.empty()) all += fmt::format(" {}.", join(view.legend, " · "));
  all += "\n";
  std::string list;
  for (const auto& note : view.notes) {
    for (const auto& text : note.texts) {
      const auto mark = note.number == 0 ? std::string() : fmt::format("\\[{}\\] ", note.number);
      list += fmt::format("- {}{}: {}\n", mark, markdown_escape(names_of(note, text)),
                          markdown_escape(text.text));
    }
  }
  for (const auto& origin : view.origins) list += fmt::format("- {}\n", markdown_escape(origin));
  if (!list.empty()) all += fmt::format("\n{}", list);
  return all;
}

}  // namespace tare
