#include "bench/measure/passes.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "bench/measure/meters/allocation.hpp"
#include "bench/measure/meters/counters.hpp"
#include "bench/measure/meters/energy.hpp"
#include "bench/measure/meters/resources.hpp"

namespace tare {
namespace {

Metric unavailable(std::string name, std::string unit, const std::string& why) {
  return {std::move(name),
          std::move(unit),
          Better::less,
          Nature::noisy,
          fmt::format("unavailable ({})", why),
          {},
          {},
          {}};
}

Metric one_value(std::string name, std::string unit, Nature nature, std::uint64_t iterations, double total,
                 std::string origin = "measured") {
  return {std::move(name),
          std::move(unit),
          Better::less,
          nature,
          std::move(origin),
          {},
          {{0, iterations, total, {}}},
          {}};
}

/// One state after the other, so that what is live at once is one iteration's and not a whole batch's.
class AllocationProbe final : public Probe {
 public:
  explicit AllocationProbe(std::size_t phases) : allocations(phases, 0) {}
  [[nodiscard]] bool one_at_a_time() const override { return true; }
  void start() override { AllocationMeter::start(); }
  void stop(std::size_t phase) override {
    const auto counts = AllocationMeter::stop();
    allocations[phase] += counts.allocations;
    requested_bytes += counts.requested_bytes;
    sizes_known = counts.peak_live_bytes && counts.retained_bytes;
    if (!sizes_known) return;
    // What an earlier phase of this iteration kept is still live in this one.
    if (phase == 0) kept_ = 0;
    peak_bytes = std::max(peak_bytes, kept_ + *counts.peak_live_bytes);
    kept_ += *counts.retained_bytes;
    retained_bytes += *counts.retained_bytes;
  }
  std::vector<std::uint64_t> allocations;
  std::uint64_t requested_bytes = 0;
  bool sizes_known = false;
  std::int64_t peak_bytes = 0;
  std::int64_t retained_bytes = 0;

 private:
  std::int64_t kept_ = 0;
};

std::vector<Metric> allocations(Body& body, std::uint64_t n) {
  if (!AllocationMeter::available()) return {unavailable("allocations", "1", AllocationMeter::why_not())};
  AllocationProbe probe(body.phases().size());
  body.probe(n, probe);
  std::uint64_t all = 0;
  for (const auto count : probe.allocations) all += count;
  std::vector<Metric> metrics;
  metrics.push_back(one_value("allocations", "1", Nature::exact, n, static_cast<double>(all)));
  metrics.push_back(
      one_value("allocated_bytes", "B", Nature::exact, n, static_cast<double>(probe.requested_bytes)));
  // Of the pass, not per iteration: a peak is a peak, and what a tape keeps it keeps once.
  if (probe.sizes_known) {
    metrics.push_back(one_value("peak_bytes", "B", Nature::noisy, 1, static_cast<double>(probe.peak_bytes)));
    metrics.push_back(
        one_value("retained_bytes", "B", Nature::noisy, 1, static_cast<double>(probe.retained_bytes)));
  }
  if (body.phases().size() > 1) {
    for (std::size_t i = 0; i < body.phases().size(); ++i) {
      metrics.push_back(one_value("allocations/" + body.phases()[i], "1", Nature::exact, n,
                                  static_cast<double>(probe.allocations[i])));
    }
  }
  return metrics;
}

class CpuProbe final : public Probe {
 public:
  void start() override { begun_ = process_cpu_ns(); }
  void stop(std::size_t) override { total += static_cast<double>(process_cpu_ns() - begun_); }
  double total = 0;

 private:
  std::int64_t begun_ = 0;
};

std::vector<Metric> cpu_time(Body& body, std::uint64_t n) {
  CpuProbe probe;
  body.probe(n, probe);
  return {one_value("cpu_time", "ns", Nature::noisy, n, probe.total)};
}

std::vector<Metric> memory(Body& body, std::uint64_t n) {
  // Where the peak cannot be reset it is the whole process's, set-up included.
  const bool reset = reset_peak_resident().has_value();
  NoProbe none;
  body.probe(n, none);
  auto peak = peak_resident_bytes();
  if (!peak) return {unavailable("peak_rss", "B", peak.error().message)};
  return {one_value("peak_rss", "B", Nature::noisy, 1, static_cast<double>(*peak),
                    reset ? "measured" : "measured (since the process started)")};
}

class CounterProbe final : public Probe {
 public:
  explicit CounterProbe(CounterMeter& meter) : meter_(meter) {}
  void start() override { meter_.start(); }
  void stop(std::size_t) override {
    const auto readings = meter_.stop();
    for (std::size_t i = 0; i < readings.size(); ++i) {
      if (!readings[i]) continue;
      auto& sum = sums[i];
      if (!sum) sum = CounterReading{0, 1};
      sum->value += readings[i]->value;
      sum->share = std::min(sum->share, readings[i]->share);
    }
  }
  CounterReadings sums;

 private:
  CounterMeter& meter_;
};

std::vector<Metric> hardware_counters(Body& body, std::uint64_t n) {
  auto meter = CounterMeter::open();
  if (!meter.available()) return {unavailable("hardware_counters", "1", meter.why_not())};
  CounterProbe probe(meter);
  body.probe(n, probe);
  std::vector<Metric> metrics;
  for (std::size_t i = 0; i < probe.sums.size(); ++i) {
    if (!probe.sums[i]) continue;
    metrics.push_back(one_value(name_of(static_cast<HardwareCounter>(i)), "1", Nature::noisy, n,
                                probe.sums[i]->value, probe.sums[i]->origin()));
  }
  return metrics;
}

class EnergyProbe final : public Probe {
 public:
  explicit EnergyProbe(EnergyMeter& meter) : meter_(meter) {}
  void start() override { meter_.start(); }
  void stop(std::size_t) override {
    const auto joules = meter_.stop();
    whole = whole && joules;
    total += joules.value_or(0);
  }
  double total = 0;
  bool whole = true;

 private:
  EnergyMeter& meter_;
};

std::vector<Metric> energy(Body& body, const MeterOptions& options) {
  auto meter =
      EnergyMeter::open(options.watts_per_core > 0 ? std::optional(options.watts_per_core) : std::nullopt);
  Metric metric{"energy", "J", Better::less, Nature::noisy, meter.origin(), {}, {}, {}};
  if (!meter.available()) return {metric};
  EnergyProbe probe(meter);
  body.probe(options.iterations, probe);
  if (!probe.whole) return {unavailable("energy", "J", "a counter could not be read during the pass")};
  metric.samples.push_back({0, options.iterations, probe.total, {}});
  return {metric};
}

}  // namespace

const std::vector<std::string>& known_meters() {
  static const std::vector<std::string> names{"allocations", "cpu",    "memory",
                                              "counters",    "energy", "instructions"};
  return names;
}

std::vector<Metric> run_meter(std::string_view meter, Body& body, const MeterOptions& options) {
  if (meter == "allocations") return allocations(body, options.iterations);
  if (meter == "cpu") return cpu_time(body, options.iterations);
  if (meter == "memory") return memory(body, options.iterations);
  if (meter == "counters") return hardware_counters(body, options.iterations);
  if (meter == "energy") return energy(body, options);
  return {unavailable(std::string(meter), "1", "this worker knows no such meter")};
}

}  // namespace tare
