// Whether a submission may stand: every check, with what it found. What is stated must follow from the raw
// samples, both sides must have done the same work, and nothing may be better than can be believed.
//
// Limits: samples that were invented as a whole, consistently and below the limits of belief, pass. Only
// measuring again shows those: compare_rerun() holds a new run's ratios against the stated ones.
#pragma once

#include <map>

#include "bench/submission/submission.hpp"

namespace tare {

struct Check {
  std::string name;  ///< "signature", "figures", …
  bool passed = true;
  std::string message;  ///< what was found
};

struct Validation {
  std::vector<Check> checks;
  std::vector<std::string> warnings;

  [[nodiscard]] bool valid() const;
  [[nodiscard]] std::vector<std::string> errors() const;
};

struct Event {
  std::string name;
  std::string about;
  double least_accuracy = 0;
  double most_ns = 0;     ///< of the optimised; 0: no limit
  double most_bytes = 0;  ///< of its file; 0: no limit
  /// More is better; empty when a figure is missing.
  std::optional<Estimate> (*score)(const BenchmarkResult& baseline, const BenchmarkResult& optimised);
};
const std::vector<Event>& contest_events();
const Event* event_named(std::string_view name);

struct ContestRules {
  std::map<std::string, std::string> data;  ///< known data, by hash: the task's name
  std::string baseline = "variant=fp32";    ///< part of every baseline's name
};

/// Summarises the results.
Validation validate(Submission& submission, const ContestRules& rules);

/// Adds a check: the speed-up measured again, and accuracy and size, which are exact, against the
/// submission's.
void compare_rerun(Validation& validation, const Submission& submission, const BenchmarkResult& baseline,
                   const BenchmarkResult& optimised);

}  // namespace tare
