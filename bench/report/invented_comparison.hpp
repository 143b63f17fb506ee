// For the tests of this folder: comparisons with known values in which everything a report can show occurs.
#pragma once

#include "bench/model/comparison.hpp"

namespace tare::testing_report {

/// A time of this many ns before; the ratio is after ÷ before.
inline MetricComparison time_change(double before_ns, double ratio, double low, double high,
                                    Verdict verdict) {
  MetricComparison metric;
  metric.metric = "time";
  metric.unit = "ns";
  metric.before = Estimate{before_ns, before_ns * 0.99, before_ns * 1.01, 0.95, "t on process medians"};
  const auto after_ns = before_ns * ratio;
  metric.after = Estimate{after_ns, after_ns * 0.99, after_ns * 1.01, 0.95, "t on process medians"};
  metric.ratio = Estimate{ratio, low, high, 0.95, "t on process log-ratios"};
  metric.p = verdict == Verdict::better || verdict == Verdict::worse ? 0.0001 : 0.21;
  metric.corrected_p = *metric.p * 4;
  metric.verdict = verdict;
  metric.between_share = 0.35;
  metric.visible = 0.023;
  return metric;
}

inline MetricComparison exact_change(std::string name, std::string unit, double before, double after) {
  MetricComparison metric;
  metric.metric = std::move(name);
  metric.unit = std::move(unit);
  metric.nature = Nature::exact;
  metric.before = Estimate{before, before, before, 1, "exact"};
  metric.after = Estimate{after, after, after, 1, "exact"};
  if (before > 0 && after > 0) metric.ratio = Estimate{after / before, {}, {}, 1, "exact"};
  metric.difference = after - before;
  metric.verdict = after > before ? Verdict::worse : after < before ? Verdict::better : Verdict::same;
  return metric;
}

inline BenchmarkComparison compared(std::string name, std::vector<MetricComparison> metrics) {
  BenchmarkComparison pair;
  pair.before = {name, {}};
  pair.after = {std::move(name), {}};
  pair.metrics = std::move(metrics);
  pair.processes = 8;
  pair.rounds = 192;
  pair.seconds = 6.1;
  return pair;
}

/// Every verdict, phases, exact metrics that changed and did not, failures, an incomparable pair, a stamped
/// one, benchmarks without a partner.
inline Comparison full_comparison() {
  Comparison c;
  c.before = {"old/bench", 7, "0123456789abcdef"};
  c.after = {"new/bench", 8, "fedcba9876543210"};
  c.paired = true;

  auto same = compared("same/thing", {time_change(5000, 1.001, 0.998, 1.004, Verdict::same),
                                      exact_change("allocations", "1", 3, 3)});
  c.benchmarks.push_back(same);

  auto undecided = compared("undecided/thing", {time_change(31000, 0.994, 0.975, 1.013, Verdict::undecided)});
  undecided.metrics[0].processes_needed = 20;
  undecided.metrics[0].warnings = {
      {Doubt::uneven_interference, "The system disturbed the after side more than the before side."}};
  c.benchmarks.push_back(undecided);

  auto backward = compared("mlp/backward", {time_change(812000, 0.5556, 0.4975, 0.6173, Verdict::better),
                                            exact_change("allocations", "1", 3, 4),
                                            exact_change("instructions", "1", 123456789, 123456000),
                                            exact_change("peak_bytes", "B", 65536, 65536)});
  backward.rounds = 190;
  backward.normalised = {{"speed-up", {1.8, 1.62, 2.01, 0.95, "signed ranks"}},
                         {"compression", {3.98, 3.98, 3.98, 0.95, "exact"}},
                         {"accuracy delta", {-0.0041, -0.0060, -0.0022, 0.95, "variance recovery"}},
                         {"retention", {0.9955, 0.9934, 0.9976, 0.95, "signed ranks"}},
                         {"efficiency", {7.13, 6.40, 7.97, 0.95, "variance recovery, log scale"}}};
  c.benchmarks.push_back(backward);

  auto train = compared("mlp/train", {time_change(2.5e6, 1.0801, 1.0712, 1.0893, Verdict::worse),
                                      time_change(8e5, 1.002, 0.997, 1.007, Verdict::same),
                                      time_change(1.7e6, 1.12, 1.1, 1.14, Verdict::worse)});
  train.metrics[1].metric = "time/forward";
  train.metrics[2].metric = "time/backward";
  train.metrics[2].warnings = {{Doubt::multimodal, "The samples form 2 clusters."}};
  train.differences = {{"threads", "1", "2"}};
  c.benchmarks.push_back(train);
  c.benchmarks.push_back(compared("sort", {time_change(900, 2.5, 2.4, 2.6, Verdict::worse)}));
  c.benchmarks.back().normalised = {{"speed-up", {0.4, 0.385, 0.417, 0.95, "signed ranks"}}};

  auto rate = time_change(900, 1.2, 1.15, 1.25, Verdict::better);
  rate.metric = "tokens";
  rate.unit = "tokens/s";
  rate.better = Better::more;
  auto gone = exact_change("tape_bytes", "B", 4096, 0);
  gone.after.reset();
  gone.ratio.reset();
  gone.difference.reset();
  gone.verdict = Verdict::undecided;
  gone.reason = "the after side does not have it";
  c.benchmarks.push_back(compared("without/time", {rate, gone}));

  auto renamed = compared("engine", {time_change(100, 0.9, 0.89, 0.91, Verdict::better)});
  renamed.before.parameters = {{"engine", "a"}};
  renamed.after.parameters = {{"engine", "b"}};
  c.benchmarks.push_back(renamed);

  auto failed = compared("null", {});
  failed.outcome = Outcome::crashed;
  failed.message = "after: signal 11 (SIGSEGV)";
  c.benchmarks.push_back(failed);
  auto skipped = compared("gpu", {});
  skipped.outcome = Outcome::skipped;
  skipped.message = "both sides: no device";
  c.benchmarks.push_back(skipped);
  auto incomparable = compared("matmul", {});
  incomparable.comparable = false;
  incomparable.differences = {{"threads", "1", "2"}, {"compiler", "GCC 12", "Clang 19"}};
  c.benchmarks.push_back(incomparable);

  c.only_before = {"old/only"};
  c.only_after = {"new/only", "new/other"};
  c.geometric_mean = Estimate{0.9615, 0.92, 1.005, 0.95, "t on benchmark log-ratios"};
  return c;
}

/// The same program twice, from the store, without an interval, without correction.
inline Comparison doubtful_comparison() {
  Comparison c;
  c.before = {"last~1", 11, ""};
  c.after = {"last", 12, ""};
  c.identical = true;
  c.correction = "none";
  auto single = compared("single", {time_change(1e6, 1.02, 1, 1, Verdict::undecided)});
  single.metrics[0].ratio = Estimate{1.02, {}, {}, 0.95, "one process"};
  single.metrics[0].p.reset();
  single.metrics[0].corrected_p.reset();
  single.metrics[0].between_share.reset();
  single.metrics[0].visible.reset();
  single.metrics[0].reason = "one process on each side has no interval";
  single.processes = 1;
  single.rounds = 0;
  single.seconds = 0;
  c.benchmarks = {single};
  c.warnings = {{Doubt::uncontrolled_drift, "The runs are 3 days apart."}};
  return c;
}

inline Comparison hostile_comparison() {
  Comparison c;
  c.before = {"old\n::error::x <b>", 0, ""};
  c.after = {"new\x1b[2J", 0, ""};
  c.paired = true;
  const auto change = time_change(100, 1.5, 1.4, 1.6, Verdict::worse);
  const auto same = time_change(100, 1, 0.999, 1.001, Verdict::same);
  c.benchmarks = {compared("\x1b[2J\x1b]0;owned\x07red\r\nnew line\ttab", {change}),
                  compared("bad utf-8 \xff\xc3 end", {change}),
                  compared(std::string(5000, 'x') + "/" + std::string(4999, 'y'), {change}),
                  compared("naïve/Größe/日本/µ=½", {same}),
                  compared("a|b `code` <script>alert(1)</script> @team [x](y) *b* </details>", {same}),
                  compared("comma, \"quote\" & ]]> '", {change})};
  auto failed = compared("%0A::error::x", {});
  failed.outcome = Outcome::failed;
  failed.message = "line one\nline two \x1b[31m \xfe </details>";
  c.benchmarks.push_back(failed);
  c.only_after = {"| only\nafter"};
  return c;
}

/// Every outcome of a gate, and names that try to leave their place.
inline GateResult full_gate() {
  return {GateOutcome::failed,
          {{"sort", "time", "time = 5%", "+7.3 % [+6.1 %, +8.5 %]", GateOutcome::beyond,
            "time grew by 7.3 %, 5 % is allowed"},
           {"sort", "allocations", "allocations = 0", "3 → 3", GateOutcome::within, ""},
           {"mlp/train", "time", "time = 5%", "+4.0 % [+2.0 %, +6.0 %]", GateOutcome::undecided,
            "the interval contains the limit; more processes narrow it"},
           {"null", "", "", "", GateOutcome::failed, "crashed: after: signal 11 (SIGSEGV)"},
           {"a|b <b> & \"q\" ]]> \x1b[2J\n::error::x\xff", "m,e:t%", "m,e:t% = 1 B", "1 B → 3 B",
            GateOutcome::beyond, "grew\r\nby 2 B"}},
          {"uncovered/one", "uncovered/two"},
          {"[default] tape_bytes = 0"}};
}

}  // namespace tare::testing_report
