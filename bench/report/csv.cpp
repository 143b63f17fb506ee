#include "bench/report/csv.hpp"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/support/text.hpp"

namespace tare {
namespace {

/// The fields of one row; the header row is made by the same calls, so that the two cannot drift apart.
class Fields {
 public:
  explicit Fields(bool names_only) : names_only_(names_only) {}

  void text(const char* name, std::string_view value) { add(name, names_only_ ? "" : printable(value)); }
  void number(const char* name, double value) {
    add(name, std::isfinite(value) ? fmt::format("{}", value) : "");
  }
  void number(const char* name, const std::optional<double>& value) {
    value ? number(name, *value) : add(name, "");
  }
  void count(const char* name, std::uint64_t value) { add(name, std::to_string(value)); }
  void whole(const char* name, std::int64_t value) { add(name, std::to_string(value)); }
  void empty(const char* name) { add(name, ""); }

  [[nodiscard]] std::vector<std::string> take() && { return std::move(fields_); }

 private:
  void add(const char* name, std::string value) {
    fields_.push_back(names_only_ ? std::string(name) : std::move(value));
  }

  bool names_only_;
  std::vector<std::string> fields_;
};

std::string line(const std::vector<std::string>& fields) {
  std::string all;
  for (const auto& field : fields) {
    if (&field != &fields.front()) all += ',';
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
      all += field;
      continue;
    }
    all += '"';
    for (const char c : field) all += c == '"' ? std::string("\"\"") : std::string(1, c);
    all += '"';
  }
  return all + "\r\n";
}

std::string assignments(const auto& pairs) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : pairs) parts.push_back(fmt::format("{}={}", key, value));
  return join(parts, ";");
}

void add_estimate(Fields& fields, const std::string& name, const std::optional<Estimate>& estimate) {
  const auto part = [&](const char* suffix) { return name + suffix; };
  const auto value = [&](auto member) -> std::optional<double> {
    if (!estimate) return std::nullopt;
    return (*estimate).*member;
  };
  fields.number(name.c_str(), value(&Estimate::point));
  fields.number(part("_low").c_str(), value(&Estimate::low));
  fields.number(part("_high").c_str(), value(&Estimate::high));
  fields.number(part("_confidence").c_str(), value(&Estimate::confidence));
  fields.text(part("_method").c_str(), estimate ? estimate->method : "");
}

void add_run(Fields& fields, const Run& run, const BenchmarkResult& result) {
  fields.whole("run", run.id);
  fields.text("started", run.started_unix_ms != 0 ? format_time_utc(run.started_unix_ms) : "");
  fields.text("commit", run.commit);
  fields.text("machine", run.machine.fingerprint());
  fields.text("benchmark", result.id.full());
}

void add_benchmark(Fields& fields, const BenchmarkResult& result) {
  fields.text("name", result.id.name);
  fields.text("parameters", assignments(result.id.parameters));
  fields.text("binary", result.binary);
  fields.text("label", result.label);
  fields.text("tags", assignments(result.tags));
  fields.text("outcome", name_of(result.outcome));
  fields.text("message", result.message);
  fields.text("checked", result.checked ? "true" : "false");
  fields.number("cold_ns", result.outcome == Outcome::check_failed ? std::nullopt : result.cold_ns);
  const auto stated = [](double amount) { return amount > 0 ? std::optional(amount) : std::nullopt; };
  fields.number("items", stated(result.throughput.items));
  fields.number("bytes", stated(result.throughput.bytes));
  fields.number("flops", stated(result.throughput.flops));
  const auto& workload = result.workload;
  fields.text("shape", fmt::format("{}", fmt::join(workload.shape, "x")));
  fields.text("dtype", workload.dtype);
  fields.text("device", workload.device);
  fields.whole("batch", workload.batch);
  fields.whole("threads", workload.threads);
  fields.text("precision", workload.precision);
  fields.count("seed", workload.seed);
  fields.text("data_hash", workload.data_hash);
  fields.text("reproduce", result.reproduce);
}

std::string doubts_of(const BenchmarkResult& result, const Metric& metric) {
  std::vector<std::string> names;
  for (const auto* warnings : {&result.warnings, &metric.summary.warnings}) {
    for (const auto& warning : *warnings) names.emplace_back(name_of(warning.doubt));
  }
  return join(names, ";");
}

void add_metric(Fields& fields, const BenchmarkResult& result, const Metric* given) {
  static const Metric none{
      .name = "", .unit = "", .origin = "", .overhead = {}, .samples = {}, .summary = {}};
  const Metric& metric = given != nullptr ? *given : none;
  const auto& s = metric.summary;
  const auto count = [&](const char* name, std::size_t value) {
    given != nullptr ? fields.count(name, value) : fields.empty(name);
  };
  fields.text("metric", metric.name);
  fields.text("unit", metric.unit);
  fields.text("better", given != nullptr ? name_of(metric.better) : "");
  fields.text("nature", given != nullptr ? name_of(metric.nature) : "");
  fields.text("origin", metric.origin);
  count("n", s.n);
  count("processes", s.processes);
  count("warm_up", s.warm_up);
  fields.text("steadiness", s.n > 0 ? name_of(s.steadiness) : "");
  add_estimate(fields, "time", s.time);
  add_estimate(fields, "mean", s.mean);
  add_estimate(fields, "median", s.median);
  fields.number("deviation", s.deviation);
  fields.number("mad", s.mad);
  fields.number("variation", s.variation);
  fields.number("minimum", s.minimum);
  fields.number("p50", s.p50);
  fields.number("p90", s.p90);
  fields.number("p99", s.p99);
  fields.number("maximum", s.maximum);
  count("outliers_low_severe", s.outliers.low_severe);
  count("outliers_low_mild", s.outliers.low_mild);
  count("outliers_high_mild", s.outliers.high_mild);
  count("outliers_high_severe", s.outliers.high_severe);
  fields.number("lag1", s.lag1);
  fields.number("effective_n", s.effective_n);
  fields.number("between_share", s.between_share);
  const auto overhead = [&](const char* name, double value) {
    given != nullptr ? fields.number(name, value) : fields.empty(name);
  };
  overhead("overhead_fixed", metric.overhead.fixed);
  overhead("overhead_per_iteration", metric.overhead.per_iteration);
  fields.text("warnings", doubts_of(result, metric));
}

std::vector<std::string> row(bool names_only, const Run& run, const BenchmarkResult& result,
                             const Metric* metric) {
  Fields fields(names_only);
  add_run(fields, run, result);
  add_metric(fields, result, metric);
  add_benchmark(fields, result);
  return std::move(fields).take();
}

std::vector<std::string> sample_row(bool names_only, const Run& run, const BenchmarkResult& result,
                                    const Metric& metric, std::size_t index, const Sample& sample) {
  Fields fields(names_only);
  add_run(fields, run, result);
  fields.text("metric", metric.name);
  fields.text("unit", metric.unit);
  fields.count("index", index);
  fields.count("process", sample.process);
  fields.count("iterations", sample.iterations);
  fields.number("total", sample.total);
  fields.number("value", metric.value(sample));
  const auto& i = sample.interference;
  fields.count("voluntary_switches", i.voluntary_switches);
  fields.count("involuntary_switches", i.involuntary_switches);
  fields.count("migrations", i.migrations);
  fields.count("minor_faults", i.minor_faults);
  fields.count("major_faults", i.major_faults);
  fields.count("wait_ns", i.wait_ns);
  fields.count("steal_ns", i.steal_ns);
  return std::move(fields).take();
}

}  // namespace

std::vector<std::string> csv_columns() {
  return row(true, {}, {}, nullptr);
}

std::vector<std::string> csv_sample_columns() {
  return sample_row(true, {}, {}, {}, 0, {});
}

std::string csv_report(const Run& run) {
  auto all = line(csv_columns());
  for (const auto& result : run.results) {
    if (result.metrics.empty() || result.outcome == Outcome::check_failed) {
      all += line(row(false, run, result, nullptr));
      continue;
    }
    for (const auto& metric : result.metrics) all += line(row(false, run, result, &metric));
  }
  return all;
}

std::string csv_samples(const Run& run) {
  auto all = line(csv_sample_columns());
  for (const auto& result : run.results) {
    if (result.outcome == Outcome::check_failed) continue;
    for (const auto& metric : result.metrics) {
      std::size_t index = 0;
      for (const auto& sample : metric.samples) {
        all += line(sample_row(false, run, result, metric, index++, sample));
      }
    }
  }
  return all;
}

}  // namespace tare
