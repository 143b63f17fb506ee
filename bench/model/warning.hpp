// Doubts about a result. They are values inside the result, so that every output can show them and tests can
// ask for them.
#pragma once

#include <string>

namespace tare {

enum class Doubt {
  one_process,          ///< the interval does not contain the effect of memory placement
  few_samples,          ///< too few for the interval asked for
  below_resolution,     ///< the body is not longer than the harness's own cost
  overhead,             ///< what was subtracted is a large share of what was read
  warming,              ///< a warm-up was found and left out
  slowing,              ///< later samples are slower: throttling, fragmentation, growth
  no_steady_state,      ///< the level keeps changing: no single number describes it
  outliers,             ///< severe outliers
  dependent,            ///< neighbouring samples resemble each other: fewer independent values than samples
  multimodal,           ///< several clusters: the median may sit between them
  interference,         ///< the system took the CPU away during many samples
  imprecise,            ///< the precision asked for was not reached within the budget
  interval_unreliable,  ///< this method does not keep its confidence level on data like these
  changed_count,        ///< a metric meant to be exact differed between processes
  unavailable,          ///< a meter could not be read here
  debug_build,          ///< the benchmark was compiled without optimisation
  uncontrolled_drift,   ///< the sides were measured at different times: the machine may have changed between
  uneven_interference,  ///< the system disturbed one side of a comparison more than the other
  intermittent,         ///< the typical sample changed otherwise than the undisturbed ones
};

struct Warning {
  Doubt doubt{};
  std::string text;  ///< one sentence for a person

  bool operator==(const Warning&) const = default;
};

/// "one_process": the name used in JSON and in the documents.
const char* name_of(Doubt doubt);

}  // namespace tare
