// A run as JSON: the encoding of bench/model/json.hpp, laid out for people.
#pragma once

#include <string>

#include "bench/model/run.hpp"

namespace tare {

/// indent < 0 writes one line. Ends with a newline.
std::string json_report(const Run& run, bool with_samples = true, int indent = 2);

}  // namespace tare
