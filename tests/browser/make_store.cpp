// Writes a store for the browser tests through the store's own interface: make_store PATH KIND [COUNT].
// Values are invented and the same every time.
//   pages    runs for every page: 1 and 2 compared live with every verdict, 3 that grows, 4 variants with
//   breakdowns hostile  names and messages that would be markup many     COUNT benchmarks in two runs,
//   compared
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "bench/analyse/summarise.hpp"
#include "bench/compare/compare.hpp"
#include "bench/measure/machine/environment.hpp"
#include "bench/store/store.hpp"

namespace {

using namespace tare;

std::mt19937_64 generator(7);  // NOLINT(cert-msc51-cpp): the same every time

double normal() {
  return std::normal_distribution<double>()(generator);
}

template <class T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "make_store: %s\n", result.error().message.c_str());
  std::exit(2);
}

/// Processes a little apart, samples with a tail, a warm-up where asked.
Metric timed(double ns, std::uint32_t processes, std::uint32_t samples, double spread = 0.006,
             bool warms = false) {
  Metric metric{"time", "ns", Better::less, Nature::noisy, "measured", {21, 0.5, 0.4, 0.01}, {}, {}};
  const auto iterations = static_cast<std::uint64_t>(std::max(1.0, 50000 / ns));
  for (std::uint32_t p = 0; p < processes; ++p) {
    const double level = ns * (1 + spread * normal());
    for (std::uint32_t i = 0; i < samples; ++i) {
      double value = level * (1 + std::abs(spread * normal()));
      if (warms && i < 12) value *= 1 + 0.5 * std::exp(-0.25 * i);
      if (generator() % 40 == 0) value *= 1.03 + 0.08 * std::abs(normal());
      metric.samples.push_back({p, iterations, 21 + (value + 0.4) * static_cast<double>(iterations), {}});
    }
  }
  return metric;
}

Metric counted(const std::string& name, const std::string& unit, double value, Better better = Better::less) {
  return {name, unit, better, Nature::exact, "measured", {}, {{0, 1, value, {}}, {1, 1, value, {}}}, {}};
}

BenchmarkResult benchmark(const std::string& name, Parameters parameters, double ns,
                          std::uint32_t processes = 9, std::uint32_t samples = 40, bool warms = false) {
  BenchmarkResult result;
  result.id = {name, std::move(parameters)};
  result.binary = "./bench";
  result.workload = {{1024}, "f64", "cpu", 1, 1, "", 42, "3f2a9c"};
  result.throughput.items = 1024;
  result.checked = true;
  result.cold_ns = ns * 12;
  result.metrics = {timed(ns, processes, samples, 0.006, warms),
                    counted("allocations", "1", std::floor(std::fmod(ns, 7))),
                    counted("peak_bytes", "B", std::floor(ns) * 8)};
  result.reproduce = "tare run ./bench --filter '^" + result.id.full() + "$' --seed 1";
  return result;
}

BenchmarkResult unmeasured(const std::string& name, Outcome outcome, const std::string& message) {
  BenchmarkResult result;
  result.id = {name, {}};
  result.binary = "./bench";
  result.outcome = outcome;
  result.message = message;
  return result;
}

Run described(const std::string& commit) {
  Run run;
  run.started_unix_ms = 1794907812000;
  run.command = "tare run ./bench --note branch=main";
  run.directory = "/home/somebody/project";
  run.commit = commit;
  run.seed = 1;
  run.tags = {{"branch", "main"}};
  run.machine = observe_machine();
  run.findings = {{"load", Health::good, "load 0.1 on 8 CPUs", ""},
                  {"governor", Health::caution, "powersave", "choose the performance governor"}};
  run.binaries = {
      {"./bench", "0123456789abcdef0123456789abcdef", {"GCC 12.2.0", "-O3 -DNDEBUG", "optimised", "0.1.0"}}};
  return run;
}

std::int64_t keep(Store& store, const std::string& commit, std::vector<BenchmarkResult> results) {
  const auto id = must(store.begin_run(described(commit)));
  for (auto& result : results) summarise(result);
  must(store.add_results(id, results));
  must(store.finish_run(id, 1794907872000));
  return id;
}

MetricComparison changed(double before, double ratio, double half, Verdict verdict) {
  MetricComparison time;
  time.metric = "time";
  time.unit = "ns";
  time.before = Estimate{before, before * 0.995, before * 1.005, 0.95, "t on process medians"};
  time.after =
      Estimate{before * ratio, before * ratio * 0.995, before * ratio * 1.005, 0.95, "t on process medians"};
  time.ratio = Estimate{ratio, ratio * (1 - half), ratio * (1 + half), 0.95, "signed ranks"};
  const bool decided = verdict == Verdict::better || verdict == Verdict::worse;
  time.p = decided ? 0.0005 : 0.4;
  time.within_margin = verdict == Verdict::same;
  return time;
}

BenchmarkComparison pair_of(const BenchmarkResult& result, const MetricComparison& time) {
  BenchmarkComparison pair;
  pair.before = pair.after = result.id;
  pair.metrics = {time};
  pair.processes = 9;
  pair.rounds = 180;
  pair.seconds = 2.5;
  return pair;
}

void compare(Store& store, std::int64_t before, std::int64_t after, std::vector<BenchmarkComparison> pairs) {
  Comparison comparison;
  comparison.before = {"old/bench", before, "0123456789abcdef"};
  comparison.after = {"new/bench", after, "fedcba9876543210"};
  comparison.paired = true;
  comparison.benchmarks = std::move(pairs);
  comparison.only_after = {"sort/radix"};
  conclude(comparison, {});
  must(store.add_comparison(comparison));
}

void add_comparison(Store& store) {
  struct Change {
    const char* name;
    double ns, ratio, half;
    Verdict verdict;
  };
  const std::vector<Change> changes{{"sort/doubles/n=1000", 42000, 0.71, 0.02, Verdict::better},
                                    {"sort/strings/n=1000", 91000, 0.88, 0.015, Verdict::better},
                                    {"parse/json", 812000, 0.945, 0.01, Verdict::better},
                                    {"hash/crc32", 1310, 1.002, 0.004, Verdict::same},
                                    {"hash/xxh3", 420, 0.999, 0.003, Verdict::same},
                                    {"map/find", 61, 1.0005, 0.006, Verdict::same},
                                    {"map/insert", 240, 1.012, 0.03, Verdict::undecided},
                                    {"gemm/n=64", 15400, 0.985, 0.035, Verdict::undecided},
                                    {"format/double", 88, 1.064, 0.012, Verdict::worse},
                                    {"queue/spsc", 35, 1.31, 0.05, Verdict::worse}};
  std::vector<BenchmarkResult> before, after;
  std::vector<BenchmarkComparison> pairs;
  for (const auto& c : changes) {
    before.push_back(benchmark(c.name, {}, c.ns));
    after.push_back(benchmark(c.name, {}, c.ns * c.ratio, 9, 40, before.size() == 1));
    pairs.push_back(pair_of(after.back(), changed(c.ns, c.ratio, c.half, c.verdict)));
  }
  MetricComparison allocations;
  allocations.metric = "allocations";
  allocations.unit = "1";
  allocations.nature = Nature::exact;
  allocations.before = Estimate{7, 7, 7, 1, "exact"};
  allocations.after = Estimate{1, 1, 1, 1, "exact"};
  allocations.difference = -6;
  pairs[0].metrics.push_back(allocations);
  after.push_back(unmeasured("net/echo", Outcome::crashed, "signal 11 (Segmentation fault)"));
  BenchmarkComparison crashed = pair_of(after.back(), {});
  crashed.metrics.clear();
  crashed.outcome = Outcome::crashed;
  crashed.message = "after: signal 11 (Segmentation fault)";
  pairs.push_back(crashed);
  BenchmarkComparison other = pair_of(before[3], {});
  other.before = other.after = {"gemm/threads", {}};
  other.metrics.clear();
  other.comparable = false;
  other.differences = {{"threads", "1", "2"}};
  pairs.push_back(other);
  const auto first = keep(store, "1a2b3c4d5e6f", before);
  const auto second = keep(store, "6f5e4d3c2b1a+", after);
  compare(store, first, second, pairs);
}

void add_growth(Store& store) {
  std::vector<BenchmarkResult> results;
  for (const int n : {100, 1000, 10000, 100000}) {
    const auto size = std::to_string(n);
    results.push_back(benchmark("sort/std", {{"n", size}}, 3.1 * n * std::log(n)));
    results.push_back(benchmark("sort/radix", {{"n", size}}, 9.0 * n + 400));
    results.push_back(benchmark("sort/bubble", {{"n", size}}, 0.4 * n * static_cast<double>(n)));
    results.push_back(benchmark("search/binary", {{"n", size}}, 6.5 * std::log(n)));
  }
  keep(store, "aaaa", results);
}

std::vector<OpCost> ops_of(bool fused) {
  std::vector<OpCost> ops;
  double start = 0;
  const auto add = [&](const std::string& name, OpKind kind, double flops, double bytes, double ns,
                       Regime regime, double share) {
    ops.push_back({name, kind, {{64, 512}, {512, 512}}, start, ns, flops, bytes, regime, share});
    start += ns + (fused ? 60 : 350);
  };
  for (int layer = 0; layer < 4; ++layer) {
    const auto tag = "." + std::to_string(layer);
    add("matmul" + tag, OpKind::matmul, 33.5e6, 1.3e6, 760'000 + 9000 * layer, Regime::compute, 0.81);
    if (fused) {
      add("bias+gelu+norm" + tag, OpKind::other, 1.1e6, 0.27e6, 33'000, Regime::bandwidth, 0.72);
    } else {
      add("bias" + tag, OpKind::other, 32768, 0.39e6, 41'000, Regime::bandwidth, 0.55);
      add("gelu" + tag, OpKind::other, 0.5e6, 0.26e6, 96'000, Regime::bandwidth, 0.48);
      add("norm" + tag, OpKind::other, 0.26e6, 0.52e6, 88'000, Regime::bandwidth, 0.5);
      add("scale" + tag, OpKind::other, 512, 4096, 1900, Regime::overhead, 0.2);
    }
  }
  add("loss", OpKind::other, 4096, 32768, 5200, Regime::overhead, 0.15);
  return ops;
}

void add_variants(Store& store) {
  struct Variant {
    const char* name;
    double ns, accuracy, bytes;
  };
  std::vector<BenchmarkResult> results;
  for (const Variant& v : {Variant{"f32", 4.1e6, 0.9712, 8.4e6},
                           {"f32-pruned", 3.3e6, 0.9655, 4.6e6},
                           {"bf16", 2.6e6, 0.9704, 4.2e6},
                           {"int8", 1.5e6, 0.9583, 2.1e6},
                           {"int8-pruned", 1.42e6, 0.9391, 1.3e6},
                           {"int4", 1.45e6, 0.9123, 1.1e6},
                           {"f32-eager", 5.2e6, 0.9712, 12.1e6}}) {
    auto result = benchmark("mlp/infer", {{"variant", v.name}}, v.ns);
    result.metrics.back() = counted("peak_bytes", "B", v.bytes);
    result.metrics.push_back(counted("accuracy", "1", v.accuracy, Better::more));
    results.push_back(result);
  }
  const auto run = keep(store, "bbbb", results);
  Breakdown breakdown;
  breakdown.benchmark = "mlp/train/batch=64";
  breakdown.roofs = {{{1, 5.4e10}, {2, 1.02e11}}, {{"L2", 9.5e10}, {"DRAM", 1.4e10}}, 320};
  breakdown.modes = {{"eager", ops_of(false)}, {"graph", ops_of(true)}};
  breakdown.predicted_gain = 1.22;
  breakdown.measured_gain = Estimate{1.19, 1.17, 1.21, 0.95, "signed ranks"};
  breakdown.advice = {"bias, gelu and norm move the same 0.26 MB three times: fused they need one pass."};
  must(store.add_breakdown(run, breakdown));
}

void add_hostile(Store& store) {
  const std::string script = "<script>alert(1)</script>";
  std::vector<BenchmarkResult> results;
  for (const auto& name :
       {script, std::string("</script><img src=x onerror=alert(1)>"), "long/" + std::string(10'000, 'x'),
        std::string("\"quotes' & <!-- </noscript></table> \xff\x01 \u2028"), std::string("=1+1")}) {
    auto result = benchmark(name, {{"<b>", "</td>"}}, 1000, 3, 20);
    result.label = script;
    result.tags = {{script, script}};
    result.warnings = {{Doubt::one_process, script}};
    result.metrics.push_back(counted(script, "<i>", 3, Better::more));
    results.push_back(result);
  }
  results.push_back(unmeasured(script + "/failed", Outcome::failed, "</pre>" + script));
  const auto run = keep(store, script, results);
  Breakdown breakdown;
  breakdown.benchmark = script;
  breakdown.roofs = {{{1, 1e10}}, {{script, 1e10}}, 1};
  breakdown.modes = {{script, {{script, OpKind::other, {{1}}, 0, 10, 10, 10, Regime::overhead, 0.5}}}};
  breakdown.advice = {script};
  must(store.add_breakdown(run, breakdown));
}

void add_many(Store& store, int count) {
  std::vector<BenchmarkResult> results;
  std::vector<BenchmarkComparison> pairs;
  for (int i = 0; i < count; ++i) {
    const double ns = std::exp(3 + 10.0 * (i * 7919 % count) / count);
    results.push_back(benchmark("suite" + std::to_string(i % 10) + "/benchmark" + std::to_string(i),
                                {{"k", std::to_string(i % 7)}}, ns, count > 500 ? 5 : 10,
                                count > 500 ? 8 : 60));
    if (count <= 500) {
      // As much as an ordinary run with all its meters keeps.
      for (const char* name : {"allocated_bytes", "instructions", "page_faults", "gradient_error"})
        results.back().metrics.push_back(counted(name, "1", std::floor(ns * 3)));
      results.back().metrics.push_back(timed(ns, 10, 60));
      results.back().metrics.back().name = "cpu_time";
    }
    const double ratio = std::exp(0.05 * normal());
    pairs.push_back(pair_of(
        results.back(), changed(ns, ratio, 0.01,
                                std::abs(ratio - 1) > 0.02 ? (ratio > 1 ? Verdict::worse : Verdict::better)
                                                           : Verdict::undecided)));
  }
  const auto first = keep(store, "cccc", results);
  const auto second = keep(store, "dddd", results);
  compare(store, first, second, pairs);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: make_store PATH pages|hostile|many [COUNT]\n");
    return 2;
  }
  auto store = must(tare::Store::open(argv[1], tare::Store::Mode::create));
  const std::string kind = argv[2];
  if (kind == "pages") {
    add_comparison(store);
    add_growth(store);
    add_variants(store);
  } else if (kind == "hostile") {
    add_hostile(store);
  } else {
    add_many(store, argc > 3 ? std::atoi(argv[3]) : 100);
  }
}
