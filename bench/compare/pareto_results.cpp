// From a run's results to the candidates of a Pareto front.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "bench/compare/normalised.hpp"
#include "bench/compare/pareto.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

Result<ParetoMetric> describe(const std::vector<BenchmarkResult>& results, const std::string& name) {
  std::set<std::string> known;
  for (const auto& result : results) {
    if (const auto* metric = result.usable(name)) {
      if (metric->better == Better::neither)
        return fail(fmt::format("metric '{}' has no better direction; choose another", printable(name)));
      return ParetoMetric{name, metric->unit, metric->better};
    }
    for (const auto& metric : result.metrics) {
      if (metric.better != Better::neither && metric.summary.time) known.insert(metric.name);
    }
  }
  const std::vector<std::string> names(known.begin(), known.end());
  return fail(fmt::format("no benchmark has a metric '{}'; there are {}", printable(name),
                          names.empty() ? "none" : join(names, ", ")));
}

Result<std::string> name_of_point(const BenchmarkResult& result, const std::string& parameter) {
  if (parameter.empty()) return result.id.full();
  for (const auto& [key, value] : result.id.parameters) {
    if (key == parameter) return value;
  }
  return fail(fmt::format("{} has no parameter '{}'", printable(result.id.full()), printable(parameter)));
}

}  // namespace

std::string metric_named(std::string_view word) {
  if (word == "latency") return "time";
  if (word == "memory") return "peak_bytes";
  return std::string(word);
}

Result<ParetoConstraint> parse_constraint(std::string_view text) {
  const auto wrong = [&] {
    return fail(fmt::format("'{}' is no constraint; write accuracy>=0.95, latency<=2ms or memory<=64MiB",
                            printable(text)));
  };
  const auto place = text.find_first_of("<>");
  if (place == std::string_view::npos || place == 0 || text.substr(place + 1, 1) != "=") return wrong();
  const auto metric = metric_named(trim(text.substr(0, place)));
  const auto bound = trim(text.substr(place + 2));
  const bool at_least = text[place] == '>';
  double number = 0;
  const auto parsed = std::from_chars(bound.data(), bound.data() + bound.size(), number);
  if (parsed.ec == std::errc{} && parsed.ptr == bound.data() + bound.size() && std::isfinite(number))
    return ParetoConstraint{metric, at_least, number};
  if (const auto duration = parse_duration(bound))
    return ParetoConstraint{metric, at_least, static_cast<double>(duration->count())};
  if (const auto bytes = parse_bytes(bound))
    return ParetoConstraint{metric, at_least, static_cast<double>(*bytes)};
  return wrong();
}

Result<ParetoFront> pareto_of(const std::vector<BenchmarkResult>& results, const ParetoRequest& request) {
  std::vector<ParetoMetric> metrics;
  const auto add = [&](const std::string& word) -> Status {
    const auto name = metric_named(word);
    if (std::any_of(metrics.begin(), metrics.end(), [&](const auto& m) { return m.name == name; }))
      return ok();
    return describe(results, name).transform([&](ParetoMetric&& metric) {
      metrics.push_back(std::move(metric));
      return Done{};
    });
  };
  for (const auto& word : request.metrics) {
    if (auto added = add(word); !added) return std::move(added).error();
  }
  for (const auto& constraint : request.constraints) {
    if (auto added = add(constraint.metric); !added) return std::move(added).error();
  }

  std::vector<ParetoCandidate> candidates;
  std::vector<std::string> left_out;
  std::map<std::string, const BenchmarkResult*> names;
  for (const auto& result : results) {
    auto name = name_of_point(result, request.of);
    if (!name) {
      left_out.push_back(name.error().message);
      continue;
    }
    ParetoCandidate candidate{*name, {}};
    std::string lacks = result.outcome == Outcome::ok ? "" : name_of(result.outcome);
    for (const auto& metric : metrics) {
      const auto* found = result.usable(metric.name);
      if (found != nullptr) {
        candidate.values.push_back(*found->summary.time);
      } else if (lacks.empty()) {
        lacks = "no " + metric.name;
      }
    }
    if (!lacks.empty()) {
      left_out.push_back(fmt::format("{}: {}", *name, lacks));
    } else if (!names.emplace(*name, &result).second) {
      return fail(fmt::format("several benchmarks have {}={}; choose among them with --filter",
                              printable(request.of), printable(*name)));
    } else {
      candidates.push_back(std::move(candidate));
    }
  }
  if (candidates.empty())
    return fail(fmt::format("no benchmark has all of {}; {}", join(request.metrics, ", "),
                            left_out.empty() ? "there are none" : printable(left_out.front())));
  auto front = pareto_front(std::move(metrics), candidates, request.constraints);
  front.left_out = std::move(left_out);
  if (request.base.empty()) return front;
  const auto base = names.find(request.base);
  if (base == names.end())
    return fail(fmt::format("there is no '{}' to hold the others against", printable(request.base)));
  front.base = request.base;
  for (auto& point : front.points)
    point.normalised = normalised_against(*base->second, *names.at(point.name));
  return front;
}

}  // namespace tare
