#include "bench/report/details_report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/report/histogram.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/run_view.hpp"
#include "bench/report/table.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

/// "key        text", wrapped under itself; nothing when the text is empty.
class Page {
 public:
  explicit Page(const ReportOptions& options)
      : width_(std::max<std::size_t>(options.width, 40)), style_(options.style) {}

  void title(const std::string& text, Ink ink = Ink::strong) {
    if (!all_.empty()) all_ += "\n";
    for (const auto& line : wrap(printable(text), width_)) all_ += style_.paint(ink, line) + "\n";
  }
  void field(std::string_view key, std::string_view text, Ink ink = Ink::plain) {
    if (text.empty()) return;
    constexpr std::size_t key_width = 13;
    const auto lines = wrap(printable(text), width_ - key_width - 2);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      all_ += "  " + style_.paint(Ink::faint, pad_right(i == 0 ? key : "", key_width)) +
              style_.paint(ink, lines[i]) + "\n";
    }
  }
  void line(std::string_view text) { all_ += hanging("  ", printable(text), width_); }
  void raw(const std::string& text, std::size_t indent) {
    for (const auto& part : split(text, '\n')) {
      if (!part.empty()) all_ += std::string(indent, ' ') + part + "\n";
    }
  }
  void chart(const std::string& lines) {
    if (lines.empty()) return;
    all_ += "\n";
    raw(lines, 2);
  }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::string take() && { return std::move(all_); }

 private:
  std::size_t width_;
  Style style_;
  std::string all_;
};

std::string or_undefined(const std::optional<double>& value, const std::string& unit) {
  return value ? metric_value(*value, unit) : "undefined";
}
std::string percent_or_undefined(const std::optional<double>& fraction) {
  return fraction && std::isfinite(*fraction) ? format_percent(*fraction) : "undefined";
}
std::string number_or_undefined(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? format_number(*value) : "undefined";
}

std::string assignments(const auto& pairs) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : pairs) parts.push_back(fmt::format("{}={}", key, value));
  return join(parts, ", ");
}

std::string workload_text(const Workload& workload) {
  std::vector<std::string> parts;
  if (!workload.shape.empty()) parts.push_back(fmt::format("shape {}", fmt::join(workload.shape, "×")));
  if (!workload.dtype.empty()) parts.push_back(workload.dtype);
  if (!workload.precision.empty()) parts.push_back("computed in " + workload.precision);
  if (!workload.device.empty()) parts.push_back(workload.device);
  parts.push_back(fmt::format("batch {}", workload.batch));
  parts.push_back(fmt::format("{} thread{}", workload.threads, workload.threads == 1 ? "" : "s"));
  parts.push_back(fmt::format("seed {}", workload.seed));
  if (!workload.data_hash.empty()) parts.push_back("data " + workload.data_hash);
  return dotted(parts);
}

std::string machine_text(const Machine& machine) {
  std::vector<std::string> parts;
  if (!machine.cpu.empty()) parts.push_back(machine.cpu);
  if (machine.cores > 0) parts.push_back(plural(static_cast<std::size_t>(machine.cores), "core"));
  if (machine.threads > 0) parts.push_back(plural(static_cast<std::size_t>(machine.threads), "thread"));
  if (machine.memory_bytes > 0) parts.push_back(format_bytes(static_cast<double>(machine.memory_bytes)));
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) parts.push_back(*key != '\0' ? fmt::format("{} {}", key, value) : value);
  };
  add("", machine.caches);
  add("", machine.os);
  add("", machine.kernel);
  add("under", machine.hypervisor);
  add("governor", machine.governor);
  add("turbo", machine.turbo);
  add("SMT", machine.smt);
  add("ASLR", machine.aslr);
  add("clock", machine.clock_source);
  add("", machine.libc);
  return dotted(parts);
}

std::string throughput_text(const BenchmarkResult& result) {
  const auto* time = result.metric("time");
  const auto* estimate = time != nullptr ? headline(time->summary) : nullptr;
  std::vector<std::string> parts;
  const auto add = [&](double amount, const char* noun, std::string (*format)(double, int)) {
    if (!(amount > 0)) return;
    auto text = fmt::format("{} {} per iteration", format_number(amount), noun);
    if (estimate != nullptr && estimate->point > 0) {
      const auto rate = format(amount / estimate->point * 1e9, 3);
      text = fmt::format("{}{}/s ({})", rate,
                         noun == std::string_view("bytes") ? "" : fmt::format(" {}", noun), text);
    }
    parts.push_back(text);
  };
  add(result.throughput.items, "items", &format_si);
  add(result.throughput.bytes, "bytes", &format_bytes);
  add(result.throughput.flops, "flop", &format_si);
  return dotted(parts);
}

std::string process_medians(const Metric& metric) {
  std::map<std::uint32_t, std::vector<double>> values;
  for (const auto& sample : metric.samples) {
    if (sample.iterations > 0) values[sample.process].push_back(metric.value(sample));
  }
  std::vector<std::string> medians;
  for (auto& [process, list] : values) {
    std::sort(list.begin(), list.end());
    const auto half = list.size() / 2;
    const double median = list.size() % 2 == 1 ? list[half] : (list[half - 1] + list[half]) / 2;
    medians.push_back(metric_value(median, metric.unit));
  }
  return dotted(medians);
}

void add_estimates(Page& page, const Metric& metric, const Style& style) {
  struct Row {
    const char* name;
    std::string point, half, interval, method;
  };
  const auto& s = metric.summary;
  std::vector<Row> rows;
  for (const auto& [name, estimate] :
       {std::pair{"headline", &s.time}, std::pair{"mean", &s.mean}, std::pair{"median", &s.median}}) {
    if (!*estimate) {
      if (metric.nature == Nature::noisy) rows.push_back({name, "undefined", "", "", ""});
      continue;
    }
    const auto& e = **estimate;
    const auto half = e.relative_half_width();
    const auto text = [&, digits = digits_for(half)](double value) {
      return metric_value(value, metric.unit, digits);
    };
    Row row{name, text(e.point), "", "interval undefined", e.method};
    if (e.low && e.high) {
      row.interval = *e.low == *e.high ? ""
                                       : fmt::format("[{}, {}] at {}", text(*e.low), text(*e.high),
                                                     confidence_text(e.confidence));
    }
    if (half && std::isfinite(*half) && *half > 0) row.half = "± " + format_percent(*half);
    rows.push_back(row);
  }

  const bool intervals =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !row.half.empty(); });
  if (page.width() < 90 || !intervals) {
    for (const auto& row : rows) {
      std::vector<std::string> parts{row.half.empty() ? row.point : row.point + " " + row.half};
      if (!row.interval.empty()) parts.push_back(row.interval);
      if (!row.method.empty()) parts.push_back(row.method);
      page.field(row.name, dotted(parts));
    }
    return;
  }
  Table table({{"", Align::left},
               {"", Align::decimal},
               {"", Align::right},
               {"", Align::left},
               {"", Align::left, true}});
  for (const auto& row : rows) {
    table.row({{pad_right(row.name, 11), Ink::faint},
               {row.point, row.point == "undefined" ? Ink::caution : Ink::strong},
               {row.half},
               {row.interval},
               {row.method, Ink::faint}});
  }
  // The values explain themselves; a header and a rule would only be noise here.
  const auto text = table.str(page.width() - 2, style);
  page.raw(text.substr(text.find('\n', text.find('\n') + 1) + 1), 2);
}

std::string outliers_text(const Outliers& o) {
  if (o.all() == 0) return "none";
  return fmt::format("{}: {} low severe, {} low mild, {} high mild, {} high severe", o.all(), o.low_severe,
                     o.low_mild, o.high_mild, o.high_severe);
}

/// What describes noise. Of an exact metric only what is defined is worth a line.
void add_noise(Page& page, const Metric& metric) {
  const auto& s = metric.summary;
  const bool exact = metric.nature != Nature::noisy;
  const auto value = [&](const std::optional<double>& v) { return or_undefined(v, metric.unit); };
  if (!exact || s.deviation) {
    page.field("spread", dotted({"s " + value(s.deviation), "MAD " + value(s.mad),
                                 "CV " + percent_or_undefined(s.variation)}));
  }
  if (!exact || s.minimum) {
    page.field("quantiles", dotted({"min " + value(s.minimum), "p50 " + value(s.p50), "p90 " + value(s.p90),
                                    "p99 " + value(s.p99), "max " + value(s.maximum)}));
  }
  page.field("samples",
             fmt::format("{} from {} process{}{}", s.n, s.processes, s.processes == 1 ? "" : "es",
                         s.warm_up > 0 ? fmt::format(", {} more left out as warm-up", s.warm_up) : ""));
  if (exact) return;
  std::string steadiness = name_of(s.steadiness);
  std::replace(steadiness.begin(), steadiness.end(), '_', ' ');
  page.field("steadiness", s.n > 1 ? steadiness : "undefined");
  page.field("outliers", s.n > 1 ? outliers_text(s.outliers) : "undefined");
  page.field("dependence", dotted({"lag-1 " + number_or_undefined(s.lag1),
                                   "effective n " + number_or_undefined(s.effective_n)}));
  page.field("variance",
             fmt::format("{} of it between processes",
                         s.between_share ? percent_or_undefined(s.between_share) : "undefined share"));
  const auto medians = process_medians(metric);
  if (!medians.empty()) page.field("per process", fmt::format("medians {}", medians));
}

void add_metric(Page& page, const Metric& metric, const Histogram* histogram, const ReportOptions& options) {
  const auto& s = metric.summary;
  const auto unit = metric.unit == "1" || metric.unit.empty() ? std::string("count") : metric.unit;
  // A peak is of a whole pass: such metrics come as one iteration a sample.
  const bool per_iteration = std::any_of(metric.samples.begin(), metric.samples.end(),
                                         [](const Sample& sample) { return sample.iterations > 1; });
  page.title(fmt::format("{} ({}{}{}, {}, {})", metric.name, unit, per_iteration ? " per iteration" : "",
                         metric.better == Better::neither
                             ? std::string()
                             : fmt::format(", {} is better", name_of(metric.better)),
                         name_of(metric.nature), metric.origin));
  if (time_text(metric) == "below resolution") {
    page.line("below resolution: the body is not longer than the harness's own cost");
  }
  add_estimates(page, metric, options.style);
  add_noise(page, metric);
  const auto& o = metric.overhead;
  if (o.fixed != 0 || o.per_iteration != 0) {
    const auto cost = [&](double value, double error) {
      return fmt::format("{} ± {}", metric_value(value, metric.unit), metric_value(error, metric.unit, 1));
    };
    page.field("taken off", dotted({cost(o.fixed, o.fixed_error) + " per sample",
                                    cost(o.per_iteration, o.per_iteration_error) + " per iteration"}));
  }
  for (const auto& warning : s.warnings) {
    page.field("warning", fmt::format("{}: {}", name_of(warning.doubt), warning.text), Ink::caution);
  }
  if (histogram == nullptr) return;
  page.chart(draw_histogram(*histogram, metric.unit, s.median,
                            {std::min<std::size_t>(page.width() - 2, 90), 6, options.ascii, options.style}));
}

}  // namespace

std::string details_report(const Run& run, const BenchmarkResult& result,
                           const std::map<std::string, Histogram>& histograms, const ReportOptions& options) {
  Page page(options);
  page.title(result.id.full());
  const bool ok = result.outcome == Outcome::ok;
  page.field("outcome",
             ok ? std::string(result.checked ? "ok, answer checked before and after timing"
                                             : "ok, answer not checked")
                : words_of(result.outcome) + (result.message.empty() ? "" : ": " + result.message),
             ok ? Ink::good : Ink::bad);
  page.field("label", result.label);
  page.field("tags", assignments(result.tags));
  page.field("workload", workload_text(result.workload));
  const auto binary = std::find_if(run.binaries.begin(), run.binaries.end(),
                                   [&](const Binary& b) { return b.path == result.binary; });
  page.field("binary", binary == run.binaries.end() || binary->hash.empty()
                           ? result.binary
                           : fmt::format("{} (hash {})", result.binary, binary->hash));
  if (binary != run.binaries.end()) {
    const auto& build = binary->build;
    std::vector<std::string> parts;
    for (const auto* part : {&build.compiler, &build.flags, &build.type}) {
      if (!part->empty()) parts.push_back(*part);
    }
    if (!build.tare.empty()) parts.push_back("tare " + build.tare);
    page.field("build", dotted(parts));
  }
  page.field("machine", machine_text(run.machine));
  std::vector<std::string> when;
  if (run.id != 0) when.push_back(fmt::format("{}", run.id));
  if (run.started_unix_ms != 0) when.push_back(format_time_utc(run.started_unix_ms) + " UTC");
  if (!run.commit.empty()) when.push_back("commit " + run.commit);
  page.field("run", dotted(when));

  // A wrong answer has no time, in whatever form.
  if (result.outcome != Outcome::check_failed) {
    page.field("throughput", throughput_text(result));
    if (ok || result.cold_ns)
      page.field("cold call",
                 result.cold_ns ? format_duration(*result.cold_ns) + " (the very first)" : "undefined");
    for (const auto& metric : result.metrics) {
      if (!metric.available()) continue;
      const auto found = histograms.find(metric.name);
      add_metric(page, metric, found != histograms.end() ? &found->second : nullptr, options);
    }
    const auto missing = std::count_if(result.metrics.begin(), result.metrics.end(),
                                       [](const Metric& metric) { return !metric.available(); });
    if (missing > 0) page.title("not measured");
    for (const auto& metric : result.metrics) {
      if (!metric.available()) page.field(shorten_middle(printable(metric.name), 12), metric.origin);
    }
  }
  if (!result.warnings.empty()) page.title("warnings");
  for (const auto& warning : result.warnings) {
    page.line(fmt::format("{}: {}", name_of(warning.doubt), warning.text));
  }
  if (!result.reproduce.empty()) {
    page.title("measure it again");
    // Not wrapped: a command is for copying.
    page.raw(printable(result.reproduce), 2);
  }
  return std::move(page).take();
}

}  // namespace tare
