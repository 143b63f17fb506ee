#include "bench/compare/fairness.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "bench/support/text.hpp"

namespace tare {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return shape.empty() ? "–" : fmt::format("{}", fmt::join(shape, "×"));
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "–" : text;
}

}  // namespace

Conditions conditions_of(const Run& run, const BenchmarkResult& result) {
  Conditions conditions{result.workload, {}, run.machine.fingerprint(), run.machine.cpu, true};
  const auto binary = std::find_if(run.binaries.begin(), run.binaries.end(),
                                   [&](const Binary& b) { return b.path == result.binary; });
  if (binary != run.binaries.end()) conditions.build = binary->build;
  if (const auto* time = result.metric("time")) {
    std::map<std::uint32_t, std::size_t> samples;
    for (const auto& sample : time->samples) ++samples[sample.process];
    conditions.warm = std::all_of(samples.begin(), samples.end(), [](const auto& s) { return s.second > 1; });
  }
  return conditions;
}

const std::vector<std::string>& fair_fields() {
  static const std::vector<std::string> fields{"shape",     "dtype",   "device", "batch", "threads",
                                               "precision", "seed",    "data",   "build", "compiler",
                                               "flags",     "machine", "state"};
  return fields;
}

std::vector<Difference> differences_between(const Conditions& before, const Conditions& after) {
  std::vector<Difference> found;
  const auto compare = [&](const char* field, const std::string& a, const std::string& b) {
    if (a != b) found.push_back({field, or_dash(a), or_dash(b)});
  };
  const auto &a = before.workload, &b = after.workload;
  compare("shape", shape_text(a.shape), shape_text(b.shape));
  compare("dtype", a.dtype, b.dtype);
  compare("device", a.device, b.device);
  compare("batch", std::to_string(a.batch), std::to_string(b.batch));
  compare("threads", std::to_string(a.threads), std::to_string(b.threads));
  compare("precision", a.precision, b.precision);
  const bool same_data = !a.data_hash.empty() && a.data_hash == b.data_hash;
  if (!same_data) compare("seed", std::to_string(a.seed), std::to_string(b.seed));
  compare("data", a.data_hash, b.data_hash);
  compare("build", before.build.type, after.build.type);
  compare("compiler", before.build.compiler, after.build.compiler);
  compare("flags", before.build.flags, after.build.flags);
  if (before.fingerprint != after.fingerprint) {
    found.push_back({"machine", fmt::format("{} ({})", or_dash(before.machine), or_dash(before.fingerprint)),
                     fmt::format("{} ({})", or_dash(after.machine), or_dash(after.fingerprint))});
  }
  compare("state", before.warm ? "warm" : "cold", after.warm ? "warm" : "cold");
  return found;
}

void judge_fairness(BenchmarkComparison& pair, const Conditions& before, const Conditions& after,
                    const std::set<std::string>& allowed) {
  pair.differences = differences_between(before, after);
  std::vector<std::string> words, fields;
  for (const auto& difference : pair.differences) {
    if (allowed.contains(difference.field)) continue;
    words.push_back(
        fmt::format("{} is {} before and {} after", difference.field, difference.before, difference.after));
    fields.push_back("--allow " + difference.field);
  }
  pair.comparable = words.empty();
  if (!pair.comparable) {
    pair.message = fmt::format("not comparable: {}; {} compares anyway and says so", join(words, ", "),
                               join(fields, " "));
  }
}

}  // namespace tare
