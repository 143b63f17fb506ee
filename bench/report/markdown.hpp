// A run as a GitHub table, for pull requests and job summaries. Text from users cannot leave its cell:
// Markdown, HTML and @mentions in it are shown, not obeyed.
#pragma once

#include <string>
#include <string_view>

#include "bench/model/run.hpp"

namespace tare {

std::string markdown_report(const Run& run);
std::string markdown_escape(std::string_view text);

}  // namespace tare
