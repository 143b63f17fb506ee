#include "bench/report/comparison_markdown.hpp"

#include <fmt/format.h>

#include "bench/report/comparison_view.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/markdown.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

// GitHub cuts a comment at 65536 characters; what is folded away is given up first.
constexpr std::size_t longest_fold = 30000;

constexpr const char* header =
    "| benchmark | verdict | interval | p | before → after | measured | |\n|:--|:--|:--|:--|:--|:--|:--|\n";

std::string line_of(const ComparisonRow& row, bool under_its_owner) {
  const auto name = row.owner.empty() ? markdown_cell(row.name)
                    : under_its_owner
                        ? "&nbsp;&nbsp;↳ " + markdown_cell(row.name)
                        : fmt::format("{} of {}", markdown_cell(row.name), markdown_cell(row.owner));
  if (!row.sentence.empty()) {
    const auto text = markdown_escape(shorten_end(printable(row.sentence), longest_markdown_text));
    return fmt::format("| {} | {} | | | | | |\n", name, text);
  }
  const auto strong = [&](const std::string& text) {
    return row.changed && !text.empty() ? fmt::format("**{}**", markdown_escape(text))
                                        : markdown_escape(text);
  };
  auto marks = row.stamped ? std::string("≠") : std::string();
  if (!row.notes.empty()) marks += fmt::format("\\[{}\\]", fmt::join(row.notes, ","));
  std::string line = fmt::format("| {} |", name);
  for (const auto& cell : {strong(row.change), markdown_escape(row.interval), markdown_escape(row.p),
                           markdown_escape(row.times), markdown_escape(row.measured), marks}) {
    line += cell.empty() ? " |" : fmt::format(" {} |", cell);
  }
  return line + "\n";
}

/// The rows chosen as a table, or nothing.
std::string table_of(const ComparisonView& view, bool changed, std::size_t longest) {
  std::string all;
  std::string owner;
  std::size_t left_out = 0;
  for (const auto& row : view.rows) {
    if (row.changed != changed) continue;
    if (row.owner.empty()) owner = row.name;
    const auto line = line_of(row, row.owner == owner);
    if (all.size() + line.size() > longest) {
      ++left_out;
    } else {
      all += line;
    }
  }
  if (all.empty()) return "";
  if (left_out > 0) all += fmt::format("\n… and {}.\n", plural(left_out, "more row"));
  return header + all;
}

}  // namespace

std::string comparison_markdown(const Comparison& comparison) {
  const auto view = view_of(comparison);
  std::string all;
  for (const auto& caution : view.cautions) {
    all += fmt::format("> {}\n>\n", markdown_escape(shorten_end(printable(caution), longest_markdown_text)));
  }
  if (!all.empty()) all += "\n";
  const auto changed = table_of(view, true, longest_fold);
  if (!changed.empty()) {
    all += changed + "\n";
  } else if (!view.rows.empty()) {
    all += "Nothing changed.\n\n";
  }
  all += fmt::format("{}", markdown_escape(view.counts));
  if (!view.geometric_mean.empty()) all += " " + markdown_escape(view.geometric_mean);
  if (!view.rows.empty()) all += " " + markdown_escape(view.method);
  all += "\n";

  const auto rest = table_of(view, false, longest_fold);
  if (!rest.empty()) {
    all += fmt::format(
        "\n<details><summary>What did not change, or is undecided</summary>\n\n{}\n</details>\n", rest);
  }
  std::string list;
  for (const auto& side : view.sides) list += fmt::format("- {}\n", markdown_cell(side));
  for (const auto& note : view.notes) {
    for (const auto& text : note.texts) {
      const auto mark = note.number == 0 ? std::string() : fmt::format("\\[{}\\] ", note.number);
      list += fmt::format("- {}{}: {}\n", mark, markdown_escape(names_of(note, text)),
                          markdown_escape(shorten_end(printable(text.text), longest_markdown_text)));
    }
  }
  for (const auto& name : view.unmatched) list += fmt::format("- {}\n", markdown_cell(name));
  return list.empty() ? all : fmt::format("{}\n{}", all, list);
}

}  // namespace tare
