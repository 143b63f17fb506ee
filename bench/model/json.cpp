#include "bench/model/json.hpp"

#include <array>
#include <fmt/format.h>

#include "bench/model/json_parts.hpp"

namespace tare {
namespace {

Json parameters_to_json(const Parameters& parameters) {
  Json list = Json::array();
  for (const auto& [key, value] : parameters) list.push_back({key, value});
  return list;
}

}  // namespace

Json to_json(const Workload& w) {
  return {{"shape", w.shape}, {"dtype", w.dtype},        {"device", w.device},
          {"batch", w.batch}, {"threads", w.threads},    {"precision", w.precision},
          {"seed", w.seed},   {"data_hash", w.data_hash}};
}

Result<Workload> workload_from_json(const Json& json) {
  if (!json.is_object()) return fail("a workload must be an object");
  Workload w;
  w.shape = field_or(json, "shape", w.shape);
  w.dtype = field_or(json, "dtype", w.dtype);
  w.device = field_or(json, "device", w.device);
  w.batch = field_or(json, "batch", w.batch);
  w.threads = field_or(json, "threads", w.threads);
  w.precision = field_or(json, "precision", w.precision);
  w.seed = field_or(json, "seed", w.seed);
  w.data_hash = field_or(json, "data_hash", w.data_hash);
  return w;
}

Json to_json(const Sample& sample) {
  Json json = {{"iterations", sample.iterations}, {"total", sample.total}};
  if (sample.process != 0) json["process"] = sample.process;
  const auto& i = sample.interference;
  const auto add = [&](const char* name, std::uint64_t value) {
    if (value != 0) json[name] = value;
  };
  add("voluntary_switches", i.voluntary_switches);
  add("involuntary_switches", i.involuntary_switches);
  add("migrations", i.migrations);
  add("minor_faults", i.minor_faults);
  add("major_faults", i.major_faults);
  add("wait_ns", i.wait_ns);
  add("steal_ns", i.steal_ns);
  return json;
}

Result<Sample> sample_from_json(const Json& json) {
  auto iterations = field<std::uint64_t>(json, "iterations");
  if (!iterations) return std::move(iterations).error();
  auto total = field<double>(json, "total");
  if (!total) return std::move(total).error();
  if (*iterations == 0) return fail("a sample of 0 iterations");
  if (!std::isfinite(*total)) return fail("a sample whose total is not a number");
  Sample sample{field_or(json, "process", std::uint32_t{0}), *iterations, *total, {}};
  auto& i = sample.interference;
  i.voluntary_switches = field_or(json, "voluntary_switches", std::uint32_t{0});
  i.involuntary_switches = field_or(json, "involuntary_switches", std::uint32_t{0});
  i.migrations = field_or(json, "migrations", std::uint32_t{0});
  i.minor_faults = field_or(json, "minor_faults", std::uint32_t{0});
  i.major_faults = field_or(json, "major_faults", std::uint32_t{0});
  i.wait_ns = field_or(json, "wait_ns", std::uint64_t{0});
  i.steal_ns = field_or(json, "steal_ns", std::uint64_t{0});
  return sample;
}

Json to_json(const Summary& s) {
  return {{"n", s.n},
          {"processes", s.processes},
          {"warm_up", s.warm_up},
          {"steadiness", name_of(s.steadiness)},
          {"time", to_json(s.time)},
          {"mean", to_json(s.mean)},
          {"median", to_json(s.median)},
          {"deviation", to_json(s.deviation)},
          {"mad", to_json(s.mad)},
          {"variation", to_json(s.variation)},
          {"minimum", to_json(s.minimum)},
          {"p50", to_json(s.p50)},
          {"p90", to_json(s.p90)},
          {"p99", to_json(s.p99)},
          {"maximum", to_json(s.maximum)},
          {"outliers",
           {{"low_severe", s.outliers.low_severe},
            {"low_mild", s.outliers.low_mild},
            {"high_mild", s.outliers.high_mild},
            {"high_severe", s.outliers.high_severe}}},
          {"lag1", to_json(s.lag1)},
          {"effective_n", to_json(s.effective_n)},
          {"between_share", to_json(s.between_share)},
          {"warnings", to_json(s.warnings)}};
}

Json to_json(const Metric& m, bool with_samples) {
  Json json = {{"name", m.name},
               {"unit", m.unit},
               {"better", name_of(m.better)},
               {"nature", name_of(m.nature)},
               {"origin", m.origin},
               {"overhead",
                {{"fixed", m.overhead.fixed},
                 {"fixed_error", m.overhead.fixed_error},
                 {"per_iteration", m.overhead.per_iteration},
                 {"per_iteration_error", m.overhead.per_iteration_error}}},
               {"summary", to_json(m.summary)}};
  if (with_samples) {
    Json samples = Json::array();
    for (const auto& sample : m.samples) samples.push_back(to_json(sample));
    json["samples"] = std::move(samples);
  }
  return json;
}

Result<Metric> metric_from_json(const Json& json) {
  auto name = field<std::string>(json, "name");
  if (!name) return std::move(name).error();
  Metric m;
  m.name = *name;
  m.unit = field_or<std::string>(json, "unit", "");
  auto better = enum_from(field_or<std::string>(json, "better", "less"), Better::neither, "direction");
  if (!better) return std::move(better).error();
  m.better = *better;
  auto nature = enum_from(field_or<std::string>(json, "nature", "noisy"), Nature::share, "nature");
  if (!nature) return std::move(nature).error();
  m.nature = *nature;
  m.origin = field_or<std::string>(json, "origin", "measured");
  const Json overhead = field_or<Json>(json, "overhead", Json::object());
  m.overhead = {field_or(overhead, "fixed", 0.0), field_or(overhead, "fixed_error", 0.0),
                field_or(overhead, "per_iteration", 0.0), field_or(overhead, "per_iteration_error", 0.0)};
  const Json samples = field_or<Json>(json, "samples", Json::array());
  if (!samples.is_array()) return fail("field 'samples' is not a list");
  for (const auto& entry : samples) {
    auto sample = sample_from_json(entry);
    if (!sample) return std::move(sample).error();
    m.samples.push_back(*sample);
  }
  return m;
}

Json to_json(const BenchmarkId& id) {
  return {{"name", id.name}, {"parameters", parameters_to_json(id.parameters)}};
}

Result<BenchmarkId> id_from_json(const Json& json) {
  auto name = field<std::string>(json, "name");
  if (!name) return std::move(name).error();
  if (name->empty()) return fail("a benchmark without a name");
  BenchmarkId id{*name, {}};
  const Json parameters = field_or<Json>(json, "parameters", Json::array());
  if (!parameters.is_array()) return fail("field 'parameters' is not a list");
  for (const auto& pair : parameters) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) {
      return fail(fmt::format("a parameter of '{}' is not a pair of texts", *name));
    }
    id.parameters.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
  }
  return id;
}

Json to_json(const BenchmarkResult& r, bool with_samples) {
  Json metrics = Json::array();
  for (const auto& metric : r.metrics) metrics.push_back(to_json(metric, with_samples));
  Json json = to_json(r.id);
  json["full_name"] = r.id.full();
  json["binary"] = r.binary;
  json["label"] = r.label;
  json["tags"] = r.tags;
  json["workload"] = to_json(r.workload);
  json["throughput"] = {
      {"items", r.throughput.items}, {"bytes", r.throughput.bytes}, {"flops", r.throughput.flops}};
  json["outcome"] = name_of(r.outcome);
  json["message"] = r.message;
  json["checked"] = r.checked;
  json["cold_ns"] = to_json(r.cold_ns);
  json["metrics"] = std::move(metrics);
  json["warnings"] = to_json(r.warnings);
  json["reproduce"] = r.reproduce;
  return json;
}

Result<BenchmarkResult> benchmark_from_json(const Json& json) {
  auto id = id_from_json(json);
  if (!id) return std::move(id).error();
  BenchmarkResult r;
  r.id = *id;
  r.binary = field_or<std::string>(json, "binary", "");
  r.label = field_or<std::string>(json, "label", "");
  r.tags = field_or(json, "tags", Tags{});
  auto workload = workload_from_json(field_or<Json>(json, "workload", Json::object()));
  if (!workload) return std::move(workload).error();
  r.workload = *workload;
  const Json throughput = field_or<Json>(json, "throughput", Json::object());
  r.throughput = {field_or(throughput, "items", 0.0), field_or(throughput, "bytes", 0.0),
                  field_or(throughput, "flops", 0.0)};
  auto outcome = enum_from(field_or<std::string>(json, "outcome", "ok"), Outcome::cancelled, "outcome");
  if (!outcome) return std::move(outcome).error();
  r.outcome = *outcome;
  r.message = field_or<std::string>(json, "message", "");
  r.checked = field_or(json, "checked", false);
  if (auto cold = field<double>(json, "cold_ns")) r.cold_ns = *cold;
  const Json metrics = field_or<Json>(json, "metrics", Json::array());
  if (!metrics.is_array()) return fail("field 'metrics' is not a list");
  for (const auto& entry : metrics) {
    auto metric = metric_from_json(entry);
    if (!metric) return std::move(metric).error();
    r.metrics.push_back(std::move(*metric));
  }
  auto warnings = warnings_from(json);
  if (!warnings) return std::move(warnings).error();
  r.warnings = *warnings;
  r.reproduce = field_or<std::string>(json, "reproduce", "");
  return r;
}

Json to_json(const Machine& m) {
  return {{"cpu", m.cpu},
          {"cores", m.cores},
          {"threads", m.threads},
          {"memory_bytes", m.memory_bytes},
          {"caches", m.caches},
          {"kernel", m.kernel},
          {"os", m.os},
          {"hypervisor", m.hypervisor},
          {"governor", m.governor},
          {"turbo", m.turbo},
          {"smt", m.smt},
          {"aslr", m.aslr},
          {"clock_source", m.clock_source},
          {"libc", m.libc},
          {"fingerprint", m.fingerprint()}};
}

Result<Machine> machine_from_json(const Json& json) {
  if (!json.is_object()) return fail("a machine must be an object");
  Machine m;
  for (auto [name, text] :
       std::array<std::pair<const char*, std::string*>, 11>{{{"cpu", &m.cpu},
                                                             {"caches", &m.caches},
                                                             {"kernel", &m.kernel},
                                                             {"os", &m.os},
                                                             {"hypervisor", &m.hypervisor},
                                                             {"governor", &m.governor},
                                                             {"turbo", &m.turbo},
                                                             {"smt", &m.smt},
                                                             {"aslr", &m.aslr},
                                                             {"clock_source", &m.clock_source},
                                                             {"libc", &m.libc}}}) {
    *text = field_or<std::string>(json, name, "");
  }
  m.cores = field_or(json, "cores", 0);
  m.threads = field_or(json, "threads", 0);
  m.memory_bytes = field_or(json, "memory_bytes", std::uint64_t{0});
  return m;
}

Json to_json(const Build& b) {
  return {{"compiler", b.compiler}, {"flags", b.flags}, {"type", b.type}, {"tare", b.tare}};
}

Result<Build> build_from_json(const Json& json) {
  if (!json.is_object()) return fail("a build must be an object");
  return Build{field_or<std::string>(json, "compiler", ""), field_or<std::string>(json, "flags", ""),
               field_or<std::string>(json, "type", ""), field_or<std::string>(json, "tare", "")};
}

Json to_json(const Binary& b) {
  return {{"path", b.path}, {"hash", b.hash}, {"build", to_json(b.build)}};
}

Json to_json(const Finding& f) {
  return {{"topic", f.topic}, {"health", name_of(f.health)}, {"observed", f.observed}, {"advice", f.advice}};
}

Json to_json(const std::vector<Finding>& findings) {
  Json all = Json::array();
  for (const auto& finding : findings) all.push_back(to_json(finding));
  return all;
}

Json to_json(const Run& r, bool with_samples) {
  Json binaries = Json::array();
  for (const auto& binary : r.binaries) binaries.push_back(to_json(binary));
  Json results = Json::array();
  for (const auto& result : r.results) results.push_back(to_json(result, with_samples));
  return {{"schema", 1},
          {"id", r.id},
          {"started_unix_ms", r.started_unix_ms},
          {"started", format_time_utc(r.started_unix_ms)},
          {"command", r.command},
          {"directory", r.directory},
          {"commit", r.commit},
          {"seed", r.seed},
          {"tags", r.tags},
          {"machine", to_json(r.machine)},
          {"findings", to_json(r.findings)},
          {"binaries", binaries},
          {"benchmarks", results}};
}

Json to_json(const RunInfo& i) {
  return {{"id", i.id},
          {"started_unix_ms", i.started_unix_ms},
          {"started", format_time_utc(i.started_unix_ms)},
          {"finished_unix_ms", i.finished_unix_ms ? Json(*i.finished_unix_ms) : Json(nullptr)},
          {"command", i.command},
          {"directory", i.directory},
          {"commit", i.commit},
          {"tags", i.tags},
          {"fingerprint", i.fingerprint},
          {"benchmarks", i.benchmarks},
          {"failed", i.failed}};
}

Json to_json(const Baseline& b) {
  return {{"name", b.name},
          {"run", b.run},
          {"saved_unix_ms", b.saved_unix_ms},
          {"note", b.note},
          {"commit", b.commit}};
}

Result<Run> run_from_json(const Json& json) {
  if (field_or(json, "schema", 0) != 1) return fail("not a tare run: field 'schema' is not 1");
  Run r;
  r.id = field_or(json, "id", std::int64_t{0});
  r.started_unix_ms = field_or(json, "started_unix_ms", std::int64_t{0});
  r.command = field_or<std::string>(json, "command", "");
  r.directory = field_or<std::string>(json, "directory", "");
  r.commit = field_or<std::string>(json, "commit", "");
  r.seed = field_or(json, "seed", std::uint64_t{0});
  r.tags = field_or(json, "tags", Tags{});
  auto machine = machine_from_json(field_or<Json>(json, "machine", Json::object()));
  if (!machine) return std::move(machine).error();
  r.machine = *machine;
  for (const auto& entry : field_or<std::vector<Json>>(json, "findings", {})) {
    auto health = enum_from(field_or<std::string>(entry, "health", "unknown"), Health::unknown, "health");
    if (!health) return std::move(health).error();
    r.findings.push_back({field_or<std::string>(entry, "topic", ""), *health,
                          field_or<std::string>(entry, "observed", ""),
                          field_or<std::string>(entry, "advice", "")});
  }
  for (const auto& entry : field_or<std::vector<Json>>(json, "binaries", {})) {
    auto build = build_from_json(field_or<Json>(entry, "build", Json::object()));
    if (!build) return std::move(build).error();
    r.binaries.push_back(
        {field_or<std::string>(entry, "path", ""), field_or<std::string>(entry, "hash", ""), *build});
  }
  for (const auto& entry : field_or<std::vector<Json>>(json, "benchmarks", {})) {
    auto result = benchmark_from_json(entry);
    if (!result) return std::move(result).error();
    r.results.push_back(std::move(*result));
  }
  return r;
}

}  // namespace tare
