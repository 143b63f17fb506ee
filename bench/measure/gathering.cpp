#include "bench/measure/gathering.hpp"

#include <algorithm>
#include <numeric>

namespace tare {

double total_ns(const Reading& reading) {
  return std::accumulate(reading.totals.begin(), reading.totals.end(), 0.0);
}

Gathering::Gathering(const Listed& listed) {
  result_.id = listed.id;
  result_.tags = listed.tags;
  result_.label = listed.label;
}

void Gathering::describe(const Preparation& prepared) {
  result_.workload = prepared.workload;
  result_.throughput = prepared.throughput;
  if (!prepared.label.empty()) result_.label = prepared.label;
  overhead_ = prepared.overhead;
}

void Gathering::add_cold(std::size_t process, std::uint64_t iterations, double total) {
  time_metric("cold_time").samples.push_back({static_cast<std::uint32_t>(process), iterations, total, {}});
}

void Gathering::add_reading(const Preparation& prepared, std::size_t process, std::uint64_t iterations,
                            const Reading& reading) {
  const auto add = [&](const std::string& name, double total) {
    time_metric(name).samples.push_back(
        {static_cast<std::uint32_t>(process), iterations, total, reading.interference});
  };
  const auto phases = prepared.phases.size();
  for (std::size_t i = 0; phases > 1 && i < phases; ++i) add("time/" + prepared.phases[i], reading.totals[i]);
  add("time", total_ns(reading));
  if (phases > 1) {
    const auto n = static_cast<double>(phases);
    time_metric("time").overhead = {n * overhead_.fixed, n * overhead_.fixed_error,
                                    n * overhead_.per_iteration, n * overhead_.per_iteration_error};
  }
}

void Gathering::add_metrics(const std::vector<Metric>& metrics, std::size_t process) {
  for (const auto& given : metrics) {
    auto* found = find(given.name);
    if (found == nullptr) {
      found = &result_.metrics.emplace_back(given);
      found->samples.clear();
    }
    for (auto sample : given.samples) {
      sample.process = static_cast<std::uint32_t>(process);
      found->samples.push_back(sample);
    }
  }
}

void Gathering::add_check(const Checked& passed) {
  result_.checked = true;
  if (passed.error) error_ = std::max(error_.value_or(0), *passed.error);
}

BenchmarkResult Gathering::finish() {
  if (error_) {
    result_.metrics.push_back(
        {"error", "1", Better::less, Nature::noisy, "measured", {}, {{0, 1, *error_, {}}}, {}});
  }
  const auto rank = [](const Metric& m) {
    return m.name == "time" ? 0 : m.name.starts_with("time/") ? 1 : 2;
  };
  std::stable_sort(result_.metrics.begin(), result_.metrics.end(),
                   [&](const Metric& a, const Metric& b) { return rank(a) < rank(b); });
  if (const auto* cold = result_.metric("cold_time"); cold != nullptr && !cold->samples.empty()) {
    result_.cold_ns = cold->samples.front().total / static_cast<double>(cold->samples.front().iterations);
  }
  return std::move(result_);
}

BenchmarkResult Gathering::fail(const Failure& failure) {
  result_.outcome = failure.outcome;
  result_.message = failure.message;
  result_.metrics.clear();
  result_.cold_ns.reset();
  result_.checked = false;
  return std::move(result_);
}

Metric* Gathering::find(const std::string& name) {
  auto& all = result_.metrics;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Metric& m) { return m.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Metric& Gathering::time_metric(const std::string& name) {
  if (auto* found = find(name)) return *found;
  return result_.metrics.emplace_back(
      Metric{name, "ns", Better::less, Nature::noisy, "measured", overhead_, {}, {}});
}

}  // namespace tare
