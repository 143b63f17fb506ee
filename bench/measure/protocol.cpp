#include "bench/measure/protocol.hpp"

#include <fmt/format.h>

#include "bench/model/breakdown_json.hpp"
#include "bench/model/json.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

Json overhead_to_json(const Overhead& o) {
  return {{"fixed", o.fixed},
          {"fixed_error", o.fixed_error},
          {"per_iteration", o.per_iteration},
          {"per_iteration_error", o.per_iteration_error}};
}

}  // namespace

Json to_json(const Request& request) {
  return std::visit(
      Overloaded{[](const ListRequest&) -> Json { return {{"do", "list"}}; },
                 [](const PrepareRequest& r) -> Json {
                   return {{"do", "prepare"}, {"benchmark", to_json(r.id)}, {"seed", r.seed}};
                 },
                 [](const SampleRequest& r) -> Json {
                   return {{"do", "sample"}, {"iterations", r.iterations}, {"count", r.count}};
                 },
                 [](const CheckRequest& r) -> Json { return {{"do", "check"}, {"seed", r.seed}}; },
                 [](const MeterRequest& r) -> Json {
                   return {{"do", "meter"},
                           {"meter", r.meter},
                           {"iterations", r.options.iterations},
                           {"watts_per_core", r.options.watts_per_core}};
                 },
                 [](const ExplainRequest& r) -> Json {
                   return {{"do", "explain"}, {"count", r.count}, {"program", r.program}};
                 },
                 [](const FinishRequest&) -> Json { return {{"do", "finish"}}; },
                 [](const QuitRequest&) -> Json { return {{"do", "quit"}}; }},
      request);
}

Result<Request> request_from_json(const Json& json) {
  auto verb = field<std::string>(json, "do");
  if (!verb) return std::move(verb).error();
  if (*verb == "list") return Request{ListRequest{}};
  if (*verb == "finish") return Request{FinishRequest{}};
  if (*verb == "quit") return Request{QuitRequest{}};
  if (*verb == "prepare") {
    auto id = field<Json>(json, "benchmark").and_then([](const Json& j) { return id_from_json(j); });
    if (!id) return std::move(id).error();
    return Request{PrepareRequest{*id, field_or(json, "seed", std::uint64_t{0})}};
  }
  if (*verb == "sample") {
    auto iterations = field<std::uint64_t>(json, "iterations");
    if (!iterations) return std::move(iterations).error();
    const SampleRequest request{*iterations, field_or(json, "count", std::uint64_t{1})};
    if (request.iterations == 0 || request.count == 0 || request.count > 1'000'000) {
      return fail(fmt::format("{} samples of {} iterations asked for", request.count, request.iterations));
    }
    return Request{request};
  }
  if (*verb == "check") return Request{CheckRequest{field_or(json, "seed", std::uint64_t{0})}};
  if (*verb == "meter") {
    auto meter = field<std::string>(json, "meter");
    if (!meter) return std::move(meter).error();
    const MeterOptions options{field_or(json, "iterations", std::uint64_t{1}),
                               field_or(json, "watts_per_core", 0.0)};
    if (options.iterations == 0) return fail("a meter pass of 0 iterations asked for");
    return Request{MeterRequest{*meter, options}};
  }
  if (*verb == "explain") {
    const ExplainRequest request{field_or(json, "count", std::uint64_t{1}), field_or(json, "program", false)};
    if (request.count == 0 || request.count > 1000)
      return fail(fmt::format("{} traces asked for; 1 to 1000 can be", request.count));
    return Request{request};
  }
  return fail(fmt::format("'{}' is no request of this protocol", printable(*verb)));
}

Json to_json(const Hello& hello) {
  return {{"tare", hello.protocol}, {"build", to_json(hello.build)}};
}

Result<Hello> hello_from_json(const Json& json) {
  auto protocol = field<int>(json, "tare");
  if (!protocol) return std::move(protocol).error();
  if (*protocol != protocol_version) {
    return fail(fmt::format(
        "it speaks version {} of the worker protocol, this tare speaks {}; build both from one release",
        *protocol, protocol_version));
  }
  auto build = build_from_json(field_or<Json>(json, "build", Json::object()));
  if (!build) return std::move(build).error();
  return Hello{*protocol, *build};
}

Json to_json(const Listed& listed) {
  Json json = to_json(listed.id);
  json["tags"] = listed.tags;
  json["label"] = listed.label;
  return json;
}

Result<Listed> listed_from_json(const Json& json) {
  auto id = id_from_json(json);
  if (!id) return std::move(id).error();
  return Listed{*id, field_or(json, "tags", Tags{}), field_or<std::string>(json, "label", "")};
}

Json to_json(const Preparation& p) {
  Json json = {{"workload", to_json(p.workload)},
               {"items", p.throughput.items},
               {"bytes", p.throughput.bytes},
               {"flops", p.throughput.flops},
               {"label", p.label},
               {"phases", p.phases},
               {"granularity", p.granularity},
               {"has_check", p.has_check},
               {"told", p.told},
               {"resolution_ns", p.resolution_ns},
               {"explains", p.explains},
               {"overhead", overhead_to_json(p.overhead)}};
  if (p.cold_ns) json["cold_ns"] = *p.cold_ns;
  return json;
}

Result<Preparation> preparation_from_json(const Json& json) {
  if (!json.is_object()) return fail("a preparation must be an object");
  Preparation p;
  auto workload = workload_from_json(field_or<Json>(json, "workload", Json::object()));
  if (!workload) return std::move(workload).error();
  p.workload = *workload;
  p.throughput = {field_or(json, "items", 0.0), field_or(json, "bytes", 0.0), field_or(json, "flops", 0.0)};
  p.label = field_or<std::string>(json, "label", "");
  p.phases = field_or(json, "phases", std::vector<std::string>{""});
  p.granularity = field_or(json, "granularity", std::uint64_t{1});
  if (p.phases.empty() || p.phases.size() > 1000) return fail("a benchmark has 1 to 1000 phases");
  if (p.granularity == 0 || p.granularity > 1'000'000'000) return fail("the granularity is out of range");
  p.has_check = field_or(json, "has_check", false);
  p.told = field_or(json, "told", false);
  p.explains = field_or(json, "explains", false);
  p.resolution_ns = field_or(json, "resolution_ns", 1.0);
  const Json overhead = field_or<Json>(json, "overhead", Json::object());
  p.overhead = {field_or(overhead, "fixed", 0.0), field_or(overhead, "fixed_error", 0.0),
                field_or(overhead, "per_iteration", 0.0), field_or(overhead, "per_iteration_error", 0.0)};
  if (auto cold = field<double>(json, "cold_ns")) p.cold_ns = *cold;
  return p;
}

Json to_json(const Reading& reading) {
  // A sample's fields, with a list of totals instead of one.
  Json json = to_json(Sample{0, 1, 0, reading.interference});
  json.erase("iterations");
  json.erase("total");
  json["totals"] = reading.totals;
  json["wall_ns"] = reading.wall_ns;
  return json;
}

Result<Reading> reading_from_json(const Json& json, std::size_t phases) {
  auto totals = field<std::vector<double>>(json, "totals");
  if (!totals) return std::move(totals).error();
  if (totals->size() != phases) return fail(fmt::format("{} totals for {} phases", totals->size(), phases));
  for (const double total : *totals) {
    if (!std::isfinite(total) || total < 0) return fail(fmt::format("a sample's total is {}", total));
  }
  Json rest = json;
  rest["iterations"] = 1;
  rest["total"] = 0;
  auto sample = sample_from_json(rest);
  if (!sample) return std::move(sample).error();
  const double wall_ns = field_or(json, "wall_ns", 0.0);
  if (!std::isfinite(wall_ns) || wall_ns < 0) return fail(fmt::format("a sample's wall time is {}", wall_ns));
  return Reading{std::move(*totals), wall_ns, sample->interference};
}

Json to_json(const Checked& checked) {
  Json json = {{"passed", checked.passed}, {"message", checked.message}};
  if (checked.error) json["error"] = *checked.error;
  return json;
}

Result<Checked> checked_from_json(const Json& json) {
  auto passed = field<bool>(json, "passed");
  if (!passed) return std::move(passed).error();
  Checked checked{*passed, field_or<std::string>(json, "message", ""), {}};
  if (auto error = field<double>(json, "error")) checked.error = *error;
  return checked;
}

Json to_json(const Explanation& explanation) {
  Json traces = Json::array();
  for (const auto& trace : explanation.traces) {
    Json modes = Json::array();
    for (const auto& mode : trace) modes.push_back(to_json(mode));
    traces.push_back(std::move(modes));
  }
  Json json = {{"traces", std::move(traces)}};
  if (explanation.program)
    json["program"] = {{"steps", explanation.program->steps}, {"dot", explanation.program->dot}};
  return json;
}

Result<Explanation> explanation_from_json(const Json& json) {
  auto traces = field<Json>(json, "traces");
  if (!traces) return std::move(traces).error();
  if (!traces->is_array()) return fail("field 'traces' is not a list");
  Explanation explanation;
  for (const auto& trace : *traces) {
    if (!trace.is_array()) return fail("a trace is not a list of modes");
    auto& modes = explanation.traces.emplace_back();
    for (const auto& entry : trace) {
      auto mode = mode_from_json(entry);
      if (!mode) return std::move(mode).error();
      modes.push_back(std::move(*mode));
    }
  }
  if (auto program = field<Json>(json, "program"))
    explanation.program = {field_or<std::string>(*program, "steps", ""),
                           field_or<std::string>(*program, "dot", "")};
  return explanation;
}

}  // namespace tare
