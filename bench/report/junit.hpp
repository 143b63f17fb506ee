// What a gate found as JUnit XML, for servers that show test results: one suite for the comparison, one case
// per finding. Beyond is a failure, failed an error, undecided skipped. Any bytes in names become XML 1.0
// that every parser accepts: control characters and broken UTF-8 stand as \xNN, noncharacters as \uNNNN.
#pragma once

#include <string>
#include <string_view>

#include "bench/model/comparison.hpp"

namespace tare {

std::string junit_report(const GateResult& result, const Comparison& comparison);
/// For text and for attributes in double quotes.
std::string xml_escape(std::string_view text);

}  // namespace tare
