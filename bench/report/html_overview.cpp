// The first page: verdicts before everything else, then what was not measured, then every benchmark.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "bench/report/comparison_view.hpp"
#include "bench/report/html_comparison.hpp"
#include "bench/report/html_escape.hpp"
#include "bench/report/html_pages.hpp"
#include "bench/report/html_table.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/run_view.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr std::ptrdiff_t most_counters = 4;

/// What a column of the view sorts by: its headers are names of the model, but for a few that are shorter.
std::optional<double> key_of(const std::string& header, const BenchmarkResult& result,
                             const std::string& phase) {
  const auto suffix = phase.empty() ? "" : "/" + phase;
  const auto* time = result.metric("time" + suffix);
  const auto point = [](const Metric* metric) -> std::optional<double> {
    const auto* estimate = metric != nullptr ? headline(metric->summary) : nullptr;
    return estimate != nullptr ? std::optional(estimate->point) : std::nullopt;
  };
  if (header == "±") {
    const auto* estimate = time != nullptr ? headline(time->summary) : nullptr;
    return estimate != nullptr ? estimate->relative_half_width() : std::nullopt;
  }
  if (header == "p50" || header == "p99") {
    if (time == nullptr) return std::nullopt;
    return header == "p50" ? time->summary.p50 : time->summary.p99;
  }
  if (header == "samples")
    return time != nullptr ? std::optional(static_cast<double>(time->summary.n)) : std::nullopt;
  for (const auto& [name, amount] :
       {std::pair{"items/s", result.throughput.items}, std::pair{"bytes/s", result.throughput.bytes},
        std::pair{"flop/s", result.throughput.flops}}) {
    if (header != name) continue;
    const auto ns = point(time);
    return amount > 0 && ns && *ns > 0 ? std::optional(amount / *ns) : std::nullopt;
  }
  const auto name = header == "allocs" ? "allocations" : header == "peak" ? "peak_bytes" : header;
  return point(result.metric(name + suffix));
}

std::string notes_html(const std::vector<ViewNote>& notes) {
  std::string list;
  for (const auto& note : notes) {
    for (const auto& text : note.texts) {
      const auto mark = note.number == 0 ? std::string() : fmt::format("<b>[{}]</b> ", note.number);
      list +=
          fmt::format("<li>{}<span class=name>{}</span>: {}</li>", mark, html_escape(names_of(note, text)),
                      html_escape(shorten_end(printable(text.text), 400)));
    }
  }
  return list;
}

std::string run_table(const ReportContent& content, std::size_t index, std::size_t first) {
  const auto& run = content.runs[index];
  const auto view = view_of(run);
  std::vector<HtmlColumn> columns{{"benchmark", false}};
  std::vector<std::size_t> shown;
  // Many counters would push the rest out of sight; the articles have them all.
  const auto counters = std::count_if(view.columns.begin(), view.columns.end(),
                                      [](const ViewColumn& c) { return c.weight == Weight::counter; });
  for (std::size_t i = 0; i < view.columns.size(); ++i) {
    const auto weight = view.columns[i].weight;
    if (weight == Weight::detail || (weight == Weight::counter && counters > most_counters)) continue;
    shown.push_back(i);
    columns.push_back({view.columns[i].header, true});
  }
  columns.push_back({"", false});
  HtmlTable table(content.runs.size() > 1 ? fmt::format("run {}", run.id) : "benchmarks", columns);
  std::size_t result = first;
  for (const auto& row : view.rows) {
    if (!row.phase) ++result;
    const auto number = result - 1;
    const auto& of = run.results[number - first];
    const HtmlCell name =
        row.phase ? HtmlCell::text("↳ " + row.name) : HtmlCell{benchmark_link(row.name, number), {}, ""};
    if (row.outcome != Outcome::ok) {
      const bool harmless = row.outcome == Outcome::skipped || row.outcome == Outcome::cancelled;
      table.sentence(name, fmt::format("<span class={}>{}</span>", harmless ? "caution" : "bad",
                                       html_escape(shorten_end(printable(row.sentence), 300))));
      continue;
    }
    std::vector<HtmlCell> cells{name};
    for (const auto i : shown) {
      cells.push_back(
          HtmlCell::text(row.cells[i], key_of(view.columns[i].header, of, row.phase ? row.name : "")));
    }
    std::string marks;
    if (row.checked) marks += "<span class=good title=\"answer checked before and after timing\">✓</span> ";
    if (!row.notes.empty()) marks += fmt::format("<span class=quiet>[{}]</span>", fmt::join(row.notes, ","));
    cells.push_back({marks, {}, ""});
    table.row(cells, row.phase);
  }
  std::string all = table.str();
  if (!view.legend.empty())
    all += fmt::format("<p class=quiet>{}</p>\n", html_escape(join(view.legend, " · ")));
  auto doubts = notes_html(view.notes);
  for (const auto& origin : view.origins) doubts += fmt::format("<li>{}</li>", html_escape(origin));
  if (!doubts.empty())
    all += fmt::format(
        "<details class=doubts{}><summary>Doubts about these results</summary><ul>{}</ul></details>\n",
        run.results.size() <= 20 ? " open" : "", doubts);
  return all;
}

/// What went wrong is said before any number.
std::string failures(const Run& run, std::size_t first) {
  std::string list;
  std::size_t count = 0;
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    const auto& result = run.results[i];
    if (result.outcome == Outcome::ok || result.outcome == Outcome::skipped) continue;
    if (++count > 12) continue;
    list += fmt::format(
        "<li>{} <span class=bad>{}</span>{}</li>", benchmark_link(result.id.full(), first + i),
        words_of(result.outcome),
        result.message.empty() ? "" : ": " + html_escape(shorten_end(printable(result.message), 200)));
  }
  if (count > 12) list += fmt::format("<li>… and {} more</li>", count - 12);
  return list.empty() ? "" : fmt::format("<h3>Without a result</h3><ul class=failures>{}</ul>\n", list);
}

struct Tile {
  const char* word;
  const char* look;  ///< a class: colour, and a shape beside it
  const char* sign;
  std::size_t count;
};

template <std::size_t N>
std::string tiles(const std::array<Tile, N>& all) {
  std::string html;
  for (const auto& tile : all) {
    html += fmt::format(
        "<li class=\"tile {}{}\" data-verdict=\"{}\"><span class=sign aria-hidden=true>{}</span>"
        "<span class=count>{}</span> <span class=word>{}</span></li>",
        tile.look, tile.count == 0 ? " none" : "", tile.word, tile.sign, tile.count, tile.word);
  }
  return fmt::format("<ul class=tiles>{}</ul>\n", html);
}

std::string verdicts(const ReportContent& content) {
  const auto& comparison = *content.comparison;
  const auto counts = count_verdicts(comparison);
  const auto view = view_of(comparison);
  std::string all = tiles(std::array{
      Tile{"slower", "bad", "▼", counts.worse}, Tile{"faster", "good", "▲", counts.better},
      Tile{"same", "plain", "=", counts.same}, Tile{"undecided", "caution", "?", counts.undecided},
      Tile{"incomparable", "plain", "≠", counts.incomparable}, Tile{"failed", "bad", "×", counts.failed}});
  if (!view.geometric_mean.empty())
    all += fmt::format("<p class=statement>{}</p>\n", html_escape(view.geometric_mean));
  all += cautions_html(view);
  const auto changed = comparison_table(content, view, true);
  all += changed.empty() ? "<p class=statement>Nothing changed.</p>\n" : "<h3>What changed</h3>\n" + changed;
  return all + "<p><a href=\"#comparison\">All comparisons, with their intervals</a></p>\n";
}

}  // namespace

std::string benchmark_link(const std::string& name, std::size_t index) {
  const auto full = printable(name);
  const auto text = shorten_middle(full, 90);
  return fmt::format("<a href=\"#b{}\"{}>{}</a>", index,
                     text == full ? "" : fmt::format(" title=\"{}\"", html_escape(shorten_end(full, 400))),
                     html_escape(text));
}

std::string overview_page(const ReportContent& content) {
  std::string all;
  if (content.comparison) all += verdicts(content);
  std::size_t first = 0;
  for (std::size_t i = 0; i < content.runs.size(); ++i) {
    const auto& run = content.runs[i];
    if (content.runs.size() > 1 || content.comparison)
      all += fmt::format("<h3>Run {}</h3>\n<p class=quiet>{} UTC · {}</p>\n", run.id,
                         format_time_utc(run.started_unix_ms),
                         html_escape(shorten_end(printable(run.command), 200)));
    all += fmt::format("<p class=statement>{}</p>\n", html_escape(count_sentence(run)));
    all += failures(run, first);
    if (!run.results.empty()) all += run_table(content, i, first);
    first += run.results.size();
  }
  return all;
}

}  // namespace tare
