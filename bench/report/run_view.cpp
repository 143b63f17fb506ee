#include "bench/report/run_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <set>

#include "bench/report/layout.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr std::string_view phase_prefix = "time/";

/// A column before it is known whether any row fills it.
struct Draft {
  ViewColumn column;
  std::function<std::string(const BenchmarkResult&, const Metric*)>
      cell;  ///< of a benchmark or phase and its time
  bool in_phases = false;
};

std::string value_or_dash(const std::optional<double>& value, const std::string& unit) {
  return value && std::isfinite(*value) ? metric_value(*value, unit) : "–";
}

std::string samples_text(const Summary& summary) {
  if (summary.processes == 0) return std::to_string(summary.n);
  const auto each = static_cast<double>(summary.n) / static_cast<double>(summary.processes);
  return fmt::format("{}×{}{:.0f}", summary.processes, summary.n % summary.processes == 0 ? "" : "~", each);
}

std::string metric_text(const Metric* metric) {
  if (metric == nullptr) return "";
  if (!metric->available()) return "–";
  const auto* estimate = headline(metric->summary);
  if (estimate == nullptr) return "–";
  auto text = metric_value(estimate->point, metric->unit);
  if (is_energy(*metric)) {
    const std::string_view origin = metric->origin;
    text = fmt::format("{} {}", text, trim(origin.substr(0, origin.find('('))));
  }
  return text;
}

Draft rate(std::string header, double Throughput::* amount, std::string (*format)(double, int)) {
  return {{std::move(header), Weight::rate},
          [=](const BenchmarkResult& result, const Metric* time) -> std::string {
            const double per_iteration = result.throughput.*amount;
            if (!(per_iteration > 0)) return "";
            const auto* estimate = time != nullptr ? headline(time->summary) : nullptr;
            if (estimate == nullptr || !(estimate->point > 0)) return "–";
            return format(per_iteration / estimate->point * 1e9, 3);
          }};
}

Draft metric_column(std::string header, Weight weight, std::string name) {
  return {
      {std::move(header), weight},
      [name = std::move(name)](const BenchmarkResult& result, const Metric* time) {
        // "time/backward" is beside "allocations/backward".
        const bool phase = time != nullptr && time->name.starts_with(phase_prefix);
        return metric_text(result.metric(phase ? name + time->name.substr(phase_prefix.size() - 1) : name));
      },
      true};
}

/// Metered by default but seldom asked for: shown where there is room.
constexpr std::array<std::string_view, 4> details{"allocated_bytes", "retained_bytes", "cpu_time",
                                                  "peak_rss"};

/// Whether the metric belongs to a phase: "allocations/backward" where there is a "time/backward".
bool phase_of(const BenchmarkResult& result, const Metric& metric) {
  const auto slash = metric.name.find('/');
  return slash != std::string::npos &&
         result.metric(fmt::format("time{}", metric.name.substr(slash))) != nullptr;
}

std::vector<Draft> drafts_of(const Run& run) {
  std::vector<Draft> drafts;
  drafts.push_back({{"time", Weight::always},
                    [](const BenchmarkResult&, const Metric* time) {
                      return time != nullptr && time->available() ? time_text(*time) : "–";
                    },
                    true});
  drafts.push_back({{"±", Weight::always},
                    [](const BenchmarkResult&, const Metric* time) {
                      const auto* estimate = time != nullptr ? headline(time->summary) : nullptr;
                      return percent_or_dash(estimate != nullptr ? estimate->relative_half_width()
                                                                 : std::nullopt);
                    },
                    true});
  for (const auto& [header, quantile] : {std::pair{"p50", &Summary::p50}, std::pair{"p99", &Summary::p99}}) {
    drafts.push_back({{header, Weight::quantile},
                      [quantile = quantile](const BenchmarkResult&, const Metric* time) {
                        return time != nullptr ? value_or_dash(time->summary.*quantile, time->unit) : "–";
                      },
                      true});
  }
  drafts.push_back(rate("items/s", &Throughput::items, &format_si));
  drafts.push_back(rate("bytes/s", &Throughput::bytes, &format_bytes));
  drafts.push_back(rate("flop/s", &Throughput::flops, &format_si));
  drafts.push_back(metric_column("allocs", Weight::memory, "allocations"));
  drafts.push_back(metric_column("peak", Weight::memory, "peak_bytes"));
  std::set<std::string> known{"time", "allocations", "peak_bytes"};
  for (const auto& result : run.results) {
    for (const auto& metric : result.metrics) {
      if (phase_of(result, metric) || !metric.available() || !known.insert(metric.name).second) continue;
      const bool detail = std::find(details.begin(), details.end(), metric.name) != details.end();
      drafts.push_back(metric_column(shorten_middle(printable(metric.name), 20),
                                     detail ? Weight::detail : Weight::counter, metric.name));
    }
  }
  drafts.push_back({{"samples", Weight::samples},
                    [](const BenchmarkResult&, const Metric* time) {
                      return time != nullptr ? samples_text(time->summary) : "–";
                    },
                    true});
  return drafts;
}

std::vector<std::string> legend_of(const RunView& view, const Run& run) {
  std::set<double> confidences;
  for (const auto& result : run.results) {
    const auto* time = result.metric("time");
    const auto* estimate =
        time != nullptr && result.outcome == Outcome::ok ? headline(time->summary) : nullptr;
    if (estimate != nullptr && estimate->low) confidences.insert(estimate->confidence);
  }
  std::vector<std::string> legend;
  if (confidences.size() == 1) {
    legend.push_back(fmt::format("± half the {} confidence interval", confidence_text(*confidences.begin())));
  } else if (confidences.size() > 1) {
    legend.emplace_back("± half the confidence interval");
  }
  if (std::any_of(view.rows.begin(), view.rows.end(), [](const ViewRow& row) { return row.checked; })) {
    legend.emplace_back("✓ answer checked before and after timing");
  }
  return legend;
}

std::vector<std::string> origins_of(const Run& run) {
  std::vector<std::string> origins;
  for (const auto& result : run.results) {
    for (const auto& metric : result.metrics) {
      if (metric.available() && !(is_energy(metric) && metric.origin != "measured")) continue;
      const bool warned = std::any_of(result.warnings.begin(), result.warnings.end(), [&](const Warning& w) {
        return w.doubt == Doubt::unavailable && w.text.find(metric.name) != std::string::npos;
      });
      auto line = fmt::format("{}: {}", metric.name, metric.origin);
      if (!warned && std::find(origins.begin(), origins.end(), line) == origins.end()) {
        origins.push_back(std::move(line));
      }
    }
  }
  return origins;
}

}  // namespace

RunView view_of(const Run& run) {
  RunView view;
  Footnotes notes;
  const auto drafts = drafts_of(run);
  const auto cells = [&](const BenchmarkResult& result, const Metric* time, bool phase) {
    std::vector<std::string> texts;
    for (const auto& draft : drafts) {
      texts.push_back(phase && !draft.in_phases ? "" : draft.cell(result, time));
    }
    return texts;
  };

  std::size_t measured = 0;
  for (const auto& result : run.results) {
    const auto name = result.id.full();
    ViewRow row{name, false, result.binary, result.outcome, "", {}, false, {}};
    if (result.outcome != Outcome::ok) {
      row.sentence = words_of(result.outcome);
      if (!result.message.empty()) row.sentence += fmt::format(": {}", result.message);
      row.cells.resize(drafts.size());
      view.rows.push_back(std::move(row));
      continue;
    }
    ++measured;
    row.checked = result.checked;
    row.cells = cells(result, result.metric("time"), false);
    const auto index = view.rows.size();
    view.rows.push_back(std::move(row));
    notes.add(index, name, result.warnings);
    for (const auto& metric : result.metrics) {
      const bool phase = metric.name.starts_with(phase_prefix);
      if (phase) {
        const auto phase_name = metric.name.substr(phase_prefix.size());
        view.rows.push_back(
            {phase_name, true, result.binary, Outcome::ok, "", cells(result, &metric, true), false, {}});
      }
      // Doubts about a meter's own distribution stay in the details; that a count changed is news here.
      auto warnings = metric.summary.warnings;
      if (!phase && metric.name != "time") {
        std::erase_if(warnings, [](const Warning& w) { return w.doubt != Doubt::changed_count; });
      }
      notes.add(phase ? view.rows.size() - 1 : index, name, warnings, phase ? view.rows.back().name : "");
    }
  }
  view.notes = notes.number(
      measured, [&](std::size_t row, std::size_t number) { view.rows[row].notes.push_back(number); });

  // A column nobody fills says nothing, except the time, whose absence is news.
  for (std::size_t i = drafts.size(); i-- > 0;) {
    const bool filled = std::any_of(view.rows.begin(), view.rows.end(), [&](const ViewRow& row) {
      return !row.cells[i].empty() && (drafts[i].column.weight == Weight::always || row.cells[i] != "–");
    });
    if (filled) {
      view.columns.insert(view.columns.begin(), drafts[i].column);
    } else {
      for (auto& row : view.rows) row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  view.legend = legend_of(view, run);
  view.origins = origins_of(run);
  return view;
}

std::string words_of(Outcome outcome) {
  std::string words = name_of(outcome);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string count_sentence(const Run& run) {
  if (run.results.empty())
    return "No benchmark was run: the filter matched nothing or the binary defines none.";
  constexpr std::array outcomes{Outcome::ok,           Outcome::skipped, Outcome::failed,
                                Outcome::check_failed, Outcome::crashed, Outcome::timed_out,
                                Outcome::cancelled};
  std::vector<std::string> counts;
  for (const auto outcome : outcomes) {
    const auto count = std::count_if(run.results.begin(), run.results.end(),
                                     [&](const BenchmarkResult& r) { return r.outcome == outcome; });
    if (count == 0) continue;
    counts.push_back(fmt::format("{} {}", count, outcome == Outcome::ok ? "measured" : words_of(outcome)));
  }
  const auto total = plural(run.results.size(), "benchmark");
  if (counts.size() == 1) return fmt::format("{} {}.", total, counts[0].substr(counts[0].find(' ') + 1));
  return fmt::format("{}: {}.", total, join(counts, ", "));
}

std::string time_text(const Metric& metric) {
  const auto& summary = metric.summary;
  if (summary.time && std::isfinite(summary.time->point))
    return metric_value(summary.time->point, metric.unit);
  const bool below = std::any_of(summary.warnings.begin(), summary.warnings.end(),
                                 [](const Warning& w) { return w.doubt == Doubt::below_resolution; });
  return below ? "below resolution" : "undefined";
}

bool is_energy(const Metric& metric) {
  return metric.unit == "J" || metric.name == "energy" || metric.name.starts_with("energy/");
}

}  // namespace tare
