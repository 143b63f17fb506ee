// What a gate found: for a terminal (everything, the gravest first), as Markdown (only what is not within its
// budget), and as JSON together with the comparison it judged.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/report/style.hpp"

namespace tare {

std::string gate_report(const GateResult& result, const ReportOptions& options = {});
std::string gate_markdown(const GateResult& result);
/// The fields of the result and "comparison"; indent < 0 writes one line.
std::string gate_json(const GateResult& result, const Comparison& comparison, int indent = 2);

/// "14 budgets: 1 beyond, 13 within.", and what was not judged.
std::string gate_sentence(const GateResult& result);
/// Failed, beyond, undecided, within; otherwise as they were.
std::vector<GateFinding> gravest_first(std::vector<GateFinding> findings);

}  // namespace tare
