// Two sides: the forest plot's place, every row with its interval, and what qualifies them.
#include "bench/report/html_comparison.hpp"

#include <fmt/format.h>
#include <map>

#include "bench/report/html_escape.hpp"
#include "bench/report/html_pages.hpp"
#include "bench/report/html_table.hpp"
#include "bench/report/layout.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

const char* look_of(Ink ink) {
  switch (ink) {
    case Ink::good:
      return "good";
    case Ink::bad:
      return "bad";
    case Ink::caution:
      return "caution";
    default:
      return "plain";
  }
}

/// Colour alone would not reach everybody.
const char* sign_of(const ComparisonRow& row) {
  if (!row.sentence.empty()) return "× ";
  switch (row.ink) {
    case Ink::good:
      return "▲ ";
    case Ink::bad:
      return "▼ ";
    case Ink::caution:
      return "? ";
    default:
      return "";
  }
}

const MetricComparison* main_metric(const BenchmarkComparison& pair) {
  const auto* time = pair.metric("time");
  return time != nullptr ? time : pair.metrics.empty() ? nullptr : &pair.metrics.front();
}

std::optional<double> point_of(const std::optional<Estimate>& estimate) {
  return estimate ? std::optional(estimate->point) : std::nullopt;
}

std::string remarks_of(const ComparisonRow& row) {
  std::string remarks = row.stamped ? "<span title=\"compared although something differs\">≠</span> " : "";
  if (!row.notes.empty()) remarks += fmt::format("<span class=quiet>[{}]</span>", fmt::join(row.notes, ","));
  for (const auto& text : {row.remark, row.normalised}) {
    if (!text.empty()) remarks += fmt::format(" <span class=quiet>{}</span>", html_escape(text));
  }
  return remarks;
}

/// Where the benchmarks of the run are, by full name.
std::map<std::string, std::size_t> articles_of(const ReportContent& content, std::int64_t run) {
  std::map<std::string, std::size_t> articles;
  std::size_t index = 0;
  for (const auto& one : content.runs) {
    for (const auto& result : one.results) {
      if (one.id == run) articles.emplace(result.id.full(), index);
      ++index;
    }
  }
  return articles;
}

}  // namespace

VerdictCounts count_verdicts(const Comparison& comparison) {
  VerdictCounts counts;
  for (const auto& pair : comparison.benchmarks) {
    const auto* metric = main_metric(pair);
    if (pair.outcome != Outcome::ok) {
      ++counts.failed;
    } else if (!pair.comparable || metric == nullptr) {
      ++counts.incomparable;
    } else {
      ++(metric->verdict == Verdict::worse    ? counts.worse
         : metric->verdict == Verdict::better ? counts.better
         : metric->verdict == Verdict::same   ? counts.same
                                              : counts.undecided);
    }
  }
  return counts;
}

std::string cautions_html(const ComparisonView& view) {
  std::string list;
  for (const auto& caution : view.cautions)
    list += fmt::format("<li>{}</li>", html_escape(shorten_end(printable(caution), 400)));
  return list.empty() ? "" : fmt::format("<ul class=cautions>{}</ul>\n", list);
}

std::string comparison_table(const ReportContent& content, const ComparisonView& view, bool only_changed) {
  const auto& comparison = *content.comparison;
  const auto articles = articles_of(content, comparison.after.run);
  std::map<std::string, const BenchmarkComparison*> pairs;
  for (const auto& pair : comparison.benchmarks) pairs[pair.name()] = &pair;
  HtmlTable table(only_changed ? "changed" : "comparison", {{"benchmark", false},
                                                            {"verdict", false},
                                                            {"interval", true},
                                                            {"p", true},
                                                            {"before → after", true},
                                                            {"measured", true},
                                                            {"", false}});
  for (const auto& row : view.rows) {
    if (only_changed && !row.changed) continue;
    const bool own = row.owner.empty();
    const auto found = pairs.find(own ? row.name : row.owner);
    if (found == pairs.end()) continue;
    const auto& pair = *found->second;
    const auto article = own ? articles.find(pair.after.full()) : articles.end();
    const auto name = article != articles.end()
                          ? HtmlCell{benchmark_link(row.name, article->second), {}, ""}
                          : HtmlCell::text((own ? "" : "↳ ") + shorten_middle(printable(row.name), 90));
    if (!row.sentence.empty()) {
      table.sentence(name, fmt::format("<span class={}>{}{}</span>", look_of(row.ink), sign_of(row),
                                       html_escape(shorten_end(printable(row.sentence), 300))));
      continue;
    }
    const auto* metric = own ? main_metric(pair) : pair.metric(row.name);
    if (metric == nullptr) metric = pair.metric("time/" + row.name);
    table.row(
        {name,
         {fmt::format("<span class={}>{}{}</span>", look_of(row.ink), sign_of(row), html_escape(row.change)),
          {},
          ""},
         HtmlCell::text(row.interval, metric != nullptr ? point_of(metric->ratio) : std::nullopt),
         HtmlCell::text(row.p, metric != nullptr ? (metric->corrected_p ? metric->corrected_p : metric->p)
                                                 : std::nullopt),
         HtmlCell::text(row.times, metric != nullptr ? point_of(metric->after) : std::nullopt),
         HtmlCell::text(row.effort),
         {remarks_of(row), {}, ""}},
        !own);
  }
  return table.empty() ? "" : table.str();
}

std::string comparison_page(const ReportContent& content) {
  if (!content.comparison) return "";
  const auto& comparison = *content.comparison;
  const auto view = view_of(comparison);
  std::string sides;
  for (const auto& side : view.sides)
    sides += fmt::format("<li>{}</li>", html_escape(shorten_middle(printable(side), 200)));
  auto all = fmt::format("<ul class=sides>{}</ul>\n<p class=statement>{} {}</p>\n", sides,
                         html_escape(view.counts), html_escape(view.geometric_mean));
  all += cautions_html(view);
  all += html_chart(
      "forest",
      "After ÷ before of the times with their intervals, largest effect first: left of the line is "
      "faster. Hollow marks are undecided.");
  all += comparison_table(content, view, false);
  all += fmt::format("<p class=quiet>measured: processes × rounds, time. {}</p>\n", html_escape(view.method));
  std::string list;
  for (const auto& note : view.notes) {
    for (const auto& text : note.texts) {
      list +=
          fmt::format("<li>{}<span class=name>{}</span>: {}</li>",
                      note.number == 0 ? "" : fmt::format("<b>[{}]</b> ", note.number),
                      html_escape(names_of(note, text)), html_escape(shorten_end(printable(text.text), 400)));
    }
  }
  for (const auto& name : view.unmatched)
    list += fmt::format("<li>{}</li>", html_escape(shorten_middle(printable(name), 200)));
  if (!list.empty()) all += fmt::format("<ul class=notes>{}</ul>\n", list);
  return all;
}

}  // namespace tare
