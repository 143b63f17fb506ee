// A Pareto front for people: as a table of text, and the sentences that the page uses too.
#pragma once

#include <string>

#include "bench/model/pareto.hpp"
#include "bench/report/style.hpp"

namespace tare {

std::string pareto_text(const ParetoFront& front, const ReportOptions& options = {});

/// "3 of 5 variants are on the frontier of time and accuracy, with accuracy>=0.95."
std::string pareto_sentence(const ParetoFront& front);
/// "frontier", "beaten", "breaks accuracy>=0.95".
std::string pareto_standing(const ParetoPoint& point);
/// "1.20 ms ± 0.5 %".
std::string pareto_value(const ParetoMetric& metric, const Estimate& value);
/// "3.86", "1.80 ± 5 %", "-0.4 [-1.2, +0.4] pp".
std::string normalised_value(const NormalisedMetric& metric);

}  // namespace tare
