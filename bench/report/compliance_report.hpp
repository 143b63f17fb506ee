// Compliance with standard tasks, as JSON and as Markdown, which is also what a terminal shows.
#pragma once

#include <string>

#include "bench/model/compliance.hpp"

namespace tare {

std::string compliance_json(const Compliance& compliance);
std::string compliance_markdown(const Compliance& compliance);

}  // namespace tare
