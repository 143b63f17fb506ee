// For the tests of this folder: a run with known values in which everything a report can show occurs.
#pragma once

#include "bench/model/histogram.hpp"
#include "bench/model/run.hpp"

namespace tare::testing_report {

inline Estimate estimate(double point, double half, std::string method) {
  return {point, point - half, point + half, 0.95, std::move(method)};
}

/// A time of this many ns, ± half, from 5 processes × 40 samples of which two are kept raw.
inline Metric time_metric(std::string name, double ns, double half) {
  Metric metric;
  metric.name = std::move(name);
  metric.unit = "ns";
  metric.overhead = {20, 0.5, 0.25, 0.01};
  auto& s = metric.summary;
  s.n = 200;
  s.processes = 5;
  s.time = estimate(ns, half, "t on process medians");
  s.mean = estimate(ns * 1.01, half * 1.2, "BCa bootstrap");
  s.median = estimate(ns * 0.99, half * 0.8, "order statistic");
  s.deviation = ns * 0.02;
  s.mad = ns * 0.01;
  s.variation = 0.02;
  s.minimum = ns * 0.95;
  s.p50 = ns * 0.99;
  s.p90 = ns * 1.04;
  s.p99 = ns * 1.1;
  s.maximum = ns * 1.3;
  s.outliers = {1, 2, 3, 4};
  s.lag1 = 0.125;
  s.effective_n = 155;
  s.between_share = 0.35;
  metric.samples = {{0, 100, (ns + 0.25) * 100 + 20, {}}, {1, 100, (ns * 1.02 + 0.25) * 100 + 20, {}}};
  return metric;
}

inline Metric exact_metric(std::string name, std::string unit, double value) {
  Metric metric;
  metric.name = std::move(name);
  metric.unit = std::move(unit);
  metric.nature = Nature::exact;
  metric.summary.n = 5;
  metric.summary.processes = 5;
  metric.summary.time = Estimate{value, value, value, 0.95, "exact"};
  return metric;
}

inline BenchmarkResult measured(std::string name, Parameters parameters, double ns, double half) {
  BenchmarkResult result;
  result.id = {std::move(name), std::move(parameters)};
  result.binary = "build/core_bench";
  result.metrics.push_back(time_metric("time", ns, half));
  result.cold_ns = ns * 10;
  return result;
}

inline BenchmarkResult unmeasured(std::string name, Outcome outcome, std::string message) {
  BenchmarkResult result;
  result.id = {std::move(name), {}};
  result.binary = "build/core_bench";
  result.outcome = outcome;
  result.message = std::move(message);
  return result;
}

inline Run empty_run() {
  Run run;
  run.id = 12;
  run.started_unix_ms = 1794907812000;
  run.command = "tare run build/core_bench --processes 5";
  run.commit = "1a2b3c4d5e6f+";
  run.seed = 7;
  run.machine.cpu = "AMD EPYC 7B13";
  run.machine.cores = 2;
  run.machine.threads = 4;
  run.machine.memory_bytes = std::uint64_t{8} << 30;
  run.machine.caches = "L1d 32 KiB, L2 512 KiB, L3 32 MiB";
  run.machine.kernel = "Linux 6.1.0";
  run.machine.hypervisor = "KVM";
  run.machine.clock_source = "kvm-clock";
  run.binaries = {
      {"build/core_bench", "0123456789abcdef", {"GCC 12.2.0", "-O3 -DNDEBUG", "optimised", "0.1.0"}}};
  return run;
}

/// Ordinary results: throughput, memory, checks, phases and a few doubts.
inline Run normal_run() {
  auto run = empty_run();

  auto sort = measured("sort/doubles", {{"n", "1024"}}, 12340, 53);
  sort.label = "std::sort on uniform doubles";
  sort.tags = {{"suite", "core"}};
  sort.workload = {{1024}, "f64", "cpu", 1, 1, "", 42, "3f2a9c"};
  sort.throughput.items = 1024;
  sort.throughput.bytes = 8192;
  sort.checked = true;
  sort.metrics.push_back(exact_metric("allocations", "1", 0));
  sort.metrics.push_back(exact_metric("peak_bytes", "B", 8192));
  sort.metrics[0].summary.warm_up = 10;
  sort.metrics[0].summary.steadiness = Steadiness::warming;
  sort.metrics[0].summary.warnings = {
      {Doubt::outliers,
       "5 of 200 samples are severe outliers, all slower: something else used the machine."}};
  sort.reproduce = "tare run build/core_bench --filter '^sort/doubles/n=1024$' --seed 7";
  run.results.push_back(sort);

  auto parse = measured("parse/json", {}, 4.567e6, 1.2e5);
  parse.throughput.bytes = 1 << 20;
  parse.metrics.push_back(exact_metric("allocations", "1", 1437));
  parse.metrics.push_back(exact_metric("peak_bytes", "B", 3.5 * 1024 * 1024));
  parse.metrics[0].summary.warnings = {
      {Doubt::outliers, "5 of 200 samples are severe outliers, all slower: something else used the machine."},
      {Doubt::dependent, "Neighbouring samples resemble each other: 200 samples count as 155."}};
  run.results.push_back(parse);

  auto train = measured("mlp/train", {{"batch", "32"}}, 812000, 3100);
  train.checked = true;
  train.throughput.items = 32;
  train.metrics.push_back(time_metric("time/forward", 260000, 1100));
  train.metrics.push_back(time_metric("time/backward", 498000, 2300));
  train.metrics.push_back(time_metric("time/step", 54000, 390));
  train.metrics.push_back(exact_metric("allocations", "1", 12.5));
  train.metrics.push_back(exact_metric("allocations/forward", "1", 8));
  train.metrics.push_back(exact_metric("allocations/backward", "1", 4.5));
  train.metrics.push_back(exact_metric("allocations/step", "1", 0));
  train.metrics.push_back(exact_metric("cpu_time", "ns", 811000));
  train.metrics.push_back(exact_metric("peak_bytes", "B", 640 * 1024));
  train.metrics[2].summary.warnings = {
      {Doubt::multimodal, "The samples form 2 clusters: the median may sit between them."}};
  run.results.push_back(train);

  auto add = measured("add", {}, 0.31, 0.02);
  add.throughput.items = 1;
  add.metrics.push_back(exact_metric("allocations", "1", 0));
  add.metrics.push_back(exact_metric("peak_bytes", "B", 0));
  run.results.push_back(add);
  return run;
}

/// Every outcome once, with a time recorded where one must not be shown.
inline Run failing_run() {
  auto run = empty_run();
  run.results.push_back(measured("good", {}, 1500, 12));
  run.results.push_back(unmeasured("gpu/matmul", Outcome::skipped, "no CUDA device is present"));
  run.results.push_back(unmeasured("throws", Outcome::failed, "std::bad_alloc: std::bad_alloc"));
  auto wrong = measured("gradient/softmax", {}, 777777, 10);
  wrong.outcome = Outcome::check_failed;
  wrong.message =
      "gradient differs from the reference: largest relative error 0.13 at index 42, allowed 1e-06; the time "
      "would "
      "be that of a wrong answer";
  run.results.push_back(wrong);
  run.results.push_back(unmeasured("null", Outcome::crashed, "signal 11 (SIGSEGV)"));
  run.results.push_back(unmeasured("loop", Outcome::timed_out, "no answer within 10 s"));
  run.results.push_back(unmeasured("last", Outcome::cancelled, ""));
  return run;
}

/// One sample (no interval), a body below the resolution, energy and meters that could not be read.
inline Run doubtful_run() {
  auto run = empty_run();
  auto single = measured("single", {}, 2.5e9, 0);
  single.cold_ns.reset();
  auto& time = single.metrics[0];
  time.samples.resize(1);
  time.summary = {};
  time.summary.n = 1;
  time.summary.processes = 1;
  time.summary.time = Estimate{2.5e9, {}, {}, 0.95, "one sample"};
  time.summary.p50 = 2.5e9;
  time.summary.warnings = {{Doubt::few_samples, "One sample has no interval: raise the time budget."}};
  auto energy = exact_metric("energy", "J", 0.0123);
  energy.nature = Nature::noisy;
  energy.summary.time = estimate(0.0123, 0.0004, "t on process medians");
  energy.origin = "estimated (15 W per busy core)";
  single.metrics.push_back(energy);
  Metric counters;
  counters.name = "instructions";
  counters.unit = "1";
  counters.origin = "unavailable (perf_event_paranoid is 3)";
  single.metrics.push_back(counters);
  single.warnings = {{Doubt::debug_build, "Compiled without optimisation: build it with -O2 or -O3."}};
  run.results.push_back(single);

  auto tiny = measured("tiny", {}, 0, 0);
  tiny.metrics[0].summary = {};
  tiny.metrics[0].summary.n = 198;
  tiny.metrics[0].summary.processes = 5;
  tiny.metrics[0].summary.warnings = {
      {Doubt::below_resolution, "The body is not longer than the harness's own cost of 0.25 ns."}};
  tiny.warnings = single.warnings;
  tiny.throughput.items = 1;
  run.results.push_back(tiny);
  return run;
}

inline Run hostile_run() {
  auto run = empty_run();
  run.results.push_back(
      measured("\x1b[2J\x1b]0;owned\x07"
               "red\r\nnew line\ttab",
               {}, 100, 1));
  run.results.push_back(measured("bad utf-8 \xff\xc3 end", {}, 200, 2));
  run.results.push_back(
      measured(std::string(5000, 'x') + "/" + std::string(4999, 'y'), {{"n", "7"}}, 300, 3));
  run.results.push_back(measured("naïve/Größe/日本", {{"µ", "½"}}, 400, 4));
  run.results.push_back(measured("a|b `code` <script>alert(1)</script> @team [x](y) *b*", {}, 500, 5));
  run.results.push_back(measured("comma, \"quote\"", {}, 600, 6));
  run.results.push_back(unmeasured("message", Outcome::failed, "line one\nline two \x1b[31m \xfe"));
  return run;
}

inline Histogram invented_histogram() {
  return {11800, 13000, {1, 0, 3, 9, 24, 41, 38, 27, 18, 12, 9, 6, 4, 2, 1, 0, 1, 0, 0, 1}, 0, 3};
}

}  // namespace tare::testing_report
