#include "bench/submission/validate.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "bench/analyse/summarise.hpp"
#include "bench/compare/fairness.hpp"
#include "bench/compare/normalised.hpp"
#include "bench/support/hash.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

// Beyond the first of each pair nobody believes it; beyond the second one asks.
constexpr double most_speed_up = 50, notable_speed_up = 20;
constexpr double most_compression = 32, notable_compression = 16;
// In the closed division the model is the baseline's: its accuracy does not grow.
constexpr double most_gain = 0.010, notable_gain = 0.005;
/// Of one thread: no CPU core does that many a second.
constexpr double most_flops_per_second = 5e12;
/// The harness's own cost is taken off every time: two clock readings, two or three instructions.
constexpr double most_fixed_ns = 10'000, most_per_iteration_ns = 100;
constexpr std::size_t most_samples = 50'000;
constexpr std::size_t least_processes = 2, least_samples = 10;

std::optional<Estimate> figure(const BenchmarkResult& baseline, const BenchmarkResult& optimised,
                               std::string_view name) {
  for (const auto& metric : normalised_against(baseline, optimised))
    if (metric.name == name) return metric.estimate;
  return std::nullopt;
}
std::optional<Estimate> speed_of(const BenchmarkResult& a, const BenchmarkResult& b) {
  return figure(a, b, "speed-up");
}
std::optional<Estimate> compression_of(const BenchmarkResult& a, const BenchmarkResult& b) {
  return figure(a, b, "compression");
}
std::optional<Estimate> accuracy_of(const BenchmarkResult&, const BenchmarkResult& b) {
  const auto* accuracy = b.metric("accuracy");
  return accuracy == nullptr ? std::nullopt : accuracy->summary.time;
}
std::optional<Estimate> efficiency_of(const BenchmarkResult& a, const BenchmarkResult& b) {
  return figure(a, b, "efficiency");
}
std::optional<Estimate> push_of(const BenchmarkResult& a, const BenchmarkResult& b) {
  const auto same = Estimate{0, 0.0, 0.0, 0.95, "exact"};
  return efficiency(speed_of(a, b), compression_of(a, b), same);  // no penalty: the product alone
}

class Checker {
 public:
  Checker(Submission& submission, const ContestRules& rules) : s_(submission), rules_(rules) {}

  Validation run() {
    check("size", size());
    if (!validation_.valid()) return std::move(validation_);
    for (auto& result : s_.run.results) summarise(result);
    check("measured", measured());
    if (!validation_.valid()) return std::move(validation_);
    check("ranges", ranges());
    check("workload", workload());
    check("data", data());
    check("model", model());
    check("figures", figures());
    check("event", event());
    check("division", division());
    check("plausibility", plausibility());
    if (s_.repository.empty()) warn("no repository is named: nobody can look at how it was made");
    if (s_.techniques.empty()) warn("no technique is named");
    return std::move(validation_);
  }

 private:
  /// An empty message: passed.
  void check(const char* name, std::string message) {
    validation_.checks.push_back({name, message.empty(), std::move(message)});
  }
  void warn(std::string message) { validation_.warnings.push_back(std::move(message)); }

  /// Before anything is analysed: that takes longer than in proportion.
  std::string size() {
    for (const auto& result : s_.run.results) {
      for (const auto& metric : result.metrics) {
        if (metric.samples.size() > most_samples)
          return fmt::format("{} has {} samples of {}; {} are the most", printable(result.id.full()),
                             metric.samples.size(), printable(metric.name), most_samples);
      }
    }
    return "";
  }

  std::string measured() {
    for (const auto& result : s_.run.results) {
      const auto name = printable(result.id.full());
      if (result.outcome != Outcome::ok) return fmt::format("{}: {}", name, name_of(result.outcome));
      if (!result.checked) return fmt::format("{} carries no passed check", name);
      for (const auto* needed : {"time", "accuracy", "model_bytes"}) {
        const auto* metric = result.metric(needed);
        if (metric == nullptr || !metric->available()) return fmt::format("{} has no {}", name, needed);
        const auto wanted = std::string_view(needed) == "time"       ? Nature::noisy
                            : std::string_view(needed) == "accuracy" ? Nature::share
                                                                     : Nature::exact;
        if (metric->nature != wanted)
          return fmt::format("{}: its {} is {}, not {}", name, needed, name_of(metric->nature),
                             name_of(wanted));
        for (const auto& sample : metric->samples) {
          if (!std::isfinite(sample.total) || sample.iterations == 0)
            return fmt::format("{}: a sample of {} is no number", name, needed);
          if (sample.total <= 0 && std::string_view(needed) != "accuracy")
            return fmt::format("{}: a sample of {} is zero or less", name, needed);
        }
        if (!metric->summary.time)
          return fmt::format("{}: its {} is undefined: below what a clock can tell", name, needed);
      }
      const auto& time = result.metric("time")->summary;
      if (time.processes < least_processes || time.n < least_samples)
        return fmt::format("{}: {} samples of {} processes; at least {} of {} are needed", name, time.n,
                           time.processes, least_samples, least_processes);
    }
    return "";
  }

  std::string ranges() {
    for (const auto& result : s_.run.results) {
      for (const auto& sample : result.metric("accuracy")->samples) {
        if (sample.total < 0 || sample.total > static_cast<double>(sample.iterations))
          return fmt::format("{}: an accuracy of {} is not between 0 and 1", printable(result.id.full()),
                             sample.total / static_cast<double>(sample.iterations));
      }
      for (const auto& metric : result.metrics) {
        if (metric.overhead.fixed < 0 || metric.overhead.per_iteration < 0 ||
            metric.overhead.fixed > most_fixed_ns || metric.overhead.per_iteration > most_per_iteration_ns)
          return fmt::format("{}: the harness's own cost of {} is not believed", printable(result.id.full()),
                             printable(metric.name));
      }
    }
    return "";
  }

  std::string workload() {
    auto differ =
        differences_between(conditions_of(s_.run, s_.baseline()), conditions_of(s_.run, s_.optimised()));
    // What is optimised may compute in another precision.
    std::erase_if(differ, [](const Difference& d) { return d.field == "precision"; });
    if (differ.empty()) {
      const auto name = s_.baseline().id.full();
      return name.find(rules_.baseline) != std::string::npos
                 ? ""
                 : fmt::format("{} is no baseline: it must be {}", printable(name), rules_.baseline);
    }
    return fmt::format("baseline and optimised differ in {}: {} and {}", differ.front().field,
                       printable(differ.front().before), printable(differ.front().after));
  }

  std::string data() {
    const auto& hash = s_.optimised().workload.data_hash;
    if (rules_.data.contains(hash)) return "";
    return fmt::format("data '{}' is that of no known task", printable(hash));
  }

  std::string model() {
    const auto stated = s_.optimised().metric("model_bytes")->summary.time->point;
    if (stated != static_cast<double>(s_.model.size()))
      return fmt::format("the model's file has {} bytes, but {} were measured", s_.model.size(), stated);
    if (hash_bytes(s_.model) != s_.model_hash) return "the model's file has another hash than stated";
    return "";
  }

  std::string figures() {
    const auto recomputed = figures_of(s_.baseline(), s_.optimised());
    if (!recomputed) return recomputed.error().message;
    const auto& stated = s_.figures;
    const auto agree = [](double a, double b) {
      return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
    };
    for (const auto& [name, a, b] :
         {std::tuple{"baseline time", stated.baseline_ns, recomputed->baseline_ns},
          std::tuple{"optimised time", stated.optimised_ns, recomputed->optimised_ns},
          std::tuple{"baseline accuracy", stated.baseline_accuracy, recomputed->baseline_accuracy},
          std::tuple{"optimised accuracy", stated.optimised_accuracy, recomputed->optimised_accuracy},
          std::tuple{"baseline size", stated.baseline_bytes, recomputed->baseline_bytes},
          std::tuple{"optimised size", stated.optimised_bytes, recomputed->optimised_bytes}}) {
      if (!agree(a, b))
        return fmt::format("the {} is stated as {:.6g}, but the samples give {:.6g}", name, a, b);
    }
    if (stated.normalised.size() != recomputed->normalised.size())
      return "other figures are stated than the samples give";
    for (std::size_t i = 0; i < stated.normalised.size(); ++i) {
      const auto &a = stated.normalised[i], &b = recomputed->normalised[i];
      if (a.name != b.name || !agree(a.estimate.point, b.estimate.point))
        return fmt::format("{} is stated as {:.6g}, but the samples give {:.6g}", printable(a.name),
                           a.estimate.point, b.estimate.point);
    }
    return "";
  }

  std::string event() {
    const auto* event = event_named(s_.event);
    if (event == nullptr) return fmt::format("there is no event '{}'", printable(s_.event));
    const auto value = [&](const char* name) { return s_.optimised().metric(name)->summary.time->point; };
    if (value("accuracy") < event->least_accuracy)
      return fmt::format("an accuracy of {:.3f} is below the {} of {}", value("accuracy"),
                         event->least_accuracy, event->name);
    if (event->most_ns > 0 && value("time") > event->most_ns)
      return fmt::format("{} is longer than the {} of {}", format_duration(value("time")),
                         format_duration(event->most_ns), event->name);
    if (event->most_bytes > 0 && value("model_bytes") > event->most_bytes)
      return fmt::format("{} are more than the {} of {}", format_bytes(value("model_bytes")),
                         format_bytes(event->most_bytes), event->name);
    if (!event->score(s_.baseline(), s_.optimised()))
      return fmt::format("{} has no score: a figure is missing", event->name);
    return "";
  }

  std::string division() {
    if (s_.division == "open") return "";
    if (s_.division != "closed")
      return fmt::format("there is no division '{}'; there are closed and open", printable(s_.division));
    if (s_.baseline().id.name != s_.optimised().id.name)
      return fmt::format("the closed division is for one model, not {} and {}",
                         printable(s_.baseline().id.name), printable(s_.optimised().id.name));
    const auto gain = figure(s_.baseline(), s_.optimised(), "accuracy delta")->point;
    if (gain > most_gain)
      return fmt::format("accuracy grew by {:.2f} points: that is another model, for the open division",
                         100 * gain);
    if (gain > notable_gain)
      warn(fmt::format("accuracy grew by {:.2f} points although nothing was retrained", 100 * gain));
    return "";
  }

  std::string plausibility() {
    const auto faster = speed_of(s_.baseline(), s_.optimised())->point;
    const auto smaller = compression_of(s_.baseline(), s_.optimised())->point;
    for (const auto& [name, value, most, notable] :
         {std::tuple{"speed-up", faster, most_speed_up, notable_speed_up},
          std::tuple{"compression", smaller, most_compression, notable_compression}}) {
      if (value > most)
        return fmt::format("a {} of {:.1f} is more than the {} that are believed", name, value, most);
      if (value > notable) warn(fmt::format("a {} of {:.1f} is worth a second look", name, value));
    }
    for (const auto& result : s_.run.results) {
      const double rate = result.throughput.flops / result.metric("time")->summary.time->point * 1e9;
      if (rate > most_flops_per_second * std::max(result.workload.threads, 1))
        return fmt::format("{}: {} flop a second is more than a core can do", printable(result.id.full()),
                           format_si(rate));
    }
    return "";
  }

  Submission& s_;
  const ContestRules& rules_;
  Validation validation_;
};

}  // namespace

bool Validation::valid() const {
  return std::all_of(checks.begin(), checks.end(), [](const Check& c) { return c.passed; });
}

std::vector<std::string> Validation::errors() const {
  std::vector<std::string> all;
  for (const auto& check : checks)
    if (!check.passed) all.push_back(fmt::format("{}: {}", check.name, check.message));
  return all;
}

const std::vector<Event>& contest_events() {
  static const std::vector<Event> events{
      {"latency_sprint", "the largest speed-up", 0.85, 0, 0, speed_of},
      {"memory_challenge", "the smallest file against the baseline's", 0.85, 0, 0, compression_of},
      {"accuracy_contest", "the highest accuracy within 100 ms and 10 MB", 0, 100e6, 10e6, accuracy_of},
      {"all_around", "the largest efficiency: speed-up and compression, less what accuracy was lost", 0, 0, 0,
       efficiency_of},
      {"extreme_push", "the largest product of speed-up and compression", 0.80, 0, 0, push_of},
  };
  return events;
}

const Event* event_named(std::string_view name) {
  const auto& all = contest_events();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Event& e) { return e.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Validation validate(Submission& submission, const ContestRules& rules) {
  return Checker(submission, rules).run();
}

void compare_rerun(Validation& validation, const Submission& submission, const BenchmarkResult& baseline,
                   const BenchmarkResult& optimised) {
  const auto add = [&](std::string message) {
    validation.checks.push_back({"rerun", message.empty(), std::move(message)});
  };
  const auto again = figures_of(baseline, optimised);
  if (!again) return add("measured again: " + again.error().message);
  const auto& stated = submission.figures;
  if (again->optimised_accuracy != stated.optimised_accuracy)
    return add(fmt::format("measured again, the accuracy is {:.4f} instead of {:.4f}",
                           again->optimised_accuracy, stated.optimised_accuracy));
  if (again->optimised_bytes != stated.optimised_bytes)
    return add(fmt::format("measured again, the model has {} bytes instead of {}", again->optimised_bytes,
                           stated.optimised_bytes));
  const auto here = speed_of(baseline, optimised),
             there = speed_of(submission.baseline(), submission.optimised());
  if (!here || !there) return add("measured again, there is no speed-up");
  // Machines differ in what a change buys; a claim twice as large as what is seen here is not one of speed.
  constexpr double tolerated = 1.5;
  if (there->low.value_or(there->point) > tolerated * here->high.value_or(here->point))
    return add(
        fmt::format("measured again, the speed-up is {:.2f} instead of {:.2f}", here->point, there->point));
  add("");
}

}  // namespace tare
