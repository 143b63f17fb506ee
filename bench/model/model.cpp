// Names of the enumerations, and the few functions that plain values need.
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <span>

#include "bench/model/run.hpp"
#include "bench/support/hash.hpp"

namespace tare {

const char* name_of(Doubt doubt) {
  switch (doubt) {
    case Doubt::one_process:
      return "one_process";
    case Doubt::few_samples:
      return "few_samples";
    case Doubt::below_resolution:
      return "below_resolution";
    case Doubt::overhead:
      return "overhead";
    case Doubt::warming:
      return "warming";
    case Doubt::slowing:
      return "slowing";
    case Doubt::no_steady_state:
      return "no_steady_state";
    case Doubt::outliers:
      return "outliers";
    case Doubt::dependent:
      return "dependent";
    case Doubt::multimodal:
      return "multimodal";
    case Doubt::interference:
      return "interference";
    case Doubt::imprecise:
      return "imprecise";
    case Doubt::interval_unreliable:
      return "interval_unreliable";
    case Doubt::changed_count:
      return "changed_count";
    case Doubt::unavailable:
      return "unavailable";
    case Doubt::debug_build:
      return "debug_build";
    case Doubt::uncontrolled_drift:
      return "uncontrolled_drift";
    case Doubt::uneven_interference:
      return "uneven_interference";
    case Doubt::intermittent:
      return "intermittent";
  }
  return "unknown";
}

const char* name_of(Steadiness steadiness) {
  switch (steadiness) {
    case Steadiness::flat:
      return "flat";
    case Steadiness::warming:
      return "warming";
    case Steadiness::slowing:
      return "slowing";
    case Steadiness::no_steady_state:
      return "no_steady_state";
  }
  return "unknown";
}

const char* name_of(Better better) {
  switch (better) {
    case Better::less:
      return "less";
    case Better::more:
      return "more";
    case Better::neither:
      return "neither";
  }
  return "unknown";
}

const char* name_of(Nature nature) {
  switch (nature) {
    case Nature::noisy:
      return "noisy";
    case Nature::exact:
      return "exact";
    case Nature::share:
      return "share";
  }
  return "unknown";
}

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::skipped:
      return "skipped";
    case Outcome::failed:
      return "failed";
    case Outcome::check_failed:
      return "check_failed";
    case Outcome::crashed:
      return "crashed";
    case Outcome::timed_out:
      return "timed_out";
    case Outcome::cancelled:
      return "cancelled";
  }
  return "unknown";
}

const char* name_of(Health health) {
  switch (health) {
    case Health::good:
      return "good";
    case Health::caution:
      return "caution";
    case Health::bad:
      return "bad";
    case Health::unknown:
      return "unknown";
  }
  return "unknown";
}

std::string BenchmarkId::full() const {
  std::string text = name;
  for (const auto& [key, value] : parameters) text += fmt::format("/{}={}", key, value);
  return text;
}

const Metric* BenchmarkResult::metric(std::string_view wanted) const {
  const auto found =
      std::find_if(metrics.begin(), metrics.end(), [&](const Metric& m) { return m.name == wanted; });
  return found == metrics.end() ? nullptr : &*found;
}

const Metric* BenchmarkResult::usable(std::string_view wanted) const {
  const auto* found = metric(wanted);
  return found != nullptr && found->available() && found->summary.time ? found : nullptr;
}

std::string Machine::fingerprint() const {
  const auto text = fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", cpu, cores, threads, memory_bytes >> 30,
                                caches, hypervisor, governor, turbo, smt, libc);
  return hash_bytes(std::as_bytes(std::span(text))).substr(0, 16);
}

std::string format_time_utc(std::int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace tare
