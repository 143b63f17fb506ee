// For tests: a submission that passes every check, to be spoilt one field at a time.
#pragma once

#include "bench/analyse/summarise.hpp"
#include "bench/submission/validate.hpp"
#include "bench/support/hash.hpp"

namespace tare {

inline const std::string invented_data = "0123456789abcdef0123456789abcdef";

inline ContestRules invented_rules() {
  return {{{invented_data, "digits"}}};
}

/// Five processes of twenty samples around a time, 449 trials, a file's size.
inline BenchmarkResult invented_result(const std::string& variant, double ns, double right, double bytes) {
  BenchmarkResult r;
  r.id = {"mlp", {{"variant", variant}, {"batch", "1"}}};
  r.binary = "models";
  r.checked = true;
  r.workload.shape = {1, 64};
  r.workload.dtype = "f32";
  r.workload.precision = variant == "int8" ? "i8" : "";
  r.workload.data_hash = invented_data;
  r.throughput.flops = 1000;
  Metric time{"time", "ns", Better::less, Nature::noisy, "measured", {}, {}, {}};
  Metric accuracy{"accuracy", "1", Better::more, Nature::share, "measured", {}, {}, {}};
  Metric size{"model_bytes", "B", Better::less, Nature::exact, "measured", {}, {}, {}};
  for (std::uint32_t process = 0; process < 5; ++process) {
    for (int i = 0; i < 20; ++i)
      time.samples.push_back({process, 100, 100 * ns * (1 + 0.001 * (i * 7 % 5) + 0.002 * process), {}});
    accuracy.samples.push_back({process, 449, right, {}});
    size.samples.push_back({process, 1, bytes, {}});
  }
  r.metrics = {time, accuracy, size};
  return r;
}

/// Figures as the samples give them.
inline void state_figures(Submission& s) {
  for (auto& result : s.run.results) summarise(result);
  s.figures = figures_of(s.baseline(), s.optimised()).value();
}

inline Submission invented_submission(double speed_up = 3, const std::string& athlete = "Ada") {
  Submission s;
  s.event = "latency_sprint";
  s.division = "closed";
  s.athlete = athlete;
  s.repository = "https://example.org/ada";
  s.techniques = {"quantisation"};
  s.run.id = 4;
  s.run.command = "tare run models";
  s.run.seed = 1;
  s.run.machine.cpu = "an invented CPU";
  s.run.binaries = {{"models", "abc", {"GCC 12", "-O3", "optimised", "0.1.0"}}};
  s.model.assign(100, std::byte{7});
  s.model_hash = hash_bytes(s.model);
  s.model_name = "mlp-int8.safetensors";
  s.run.results = {invented_result("fp32", 9000, 444, 390),
                   invented_result("int8", 9000 / speed_up, 443, 100)};
  state_figures(s);
  return s;
}

/// Signed, sent, read again and judged: the first thing found wrong, or nothing.
inline std::string verdict_on(const Submission& s) {
  auto received = unpack(pack(s, SigningKey::make()));
  if (!received) return received.error().check + ": " + received.error().message;
  const auto errors = validate(*received, invented_rules()).errors();
  return errors.empty() ? "" : errors.front();
}

}  // namespace tare
