// Measuring as a person sees it: a progress line on the terminal, results kept as they are finished.
#pragma once

#include "cli/keeping.hpp"
#include "cli/pipeline.hpp"

namespace tare::cli {

/// Fills the run's results; `in_turns` as for measure_all(). What is finished is kept, even when the rest is
/// cancelled.
void measure_with_progress(Run& run, const Catalogue& catalogue, const Plan& plan, const Precision& precision,
                           const Starter& start, Keeper& keeper, const std::atomic<bool>& cancelled,
                           const std::string& in_turns = "");

}  // namespace tare::cli
