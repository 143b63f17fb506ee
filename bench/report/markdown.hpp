// A run as a GitHub table, for pull requests and job summaries. Text from users cannot leave its cell:
// Markdown, HTML and @mentions in it are shown, not obeyed.
#pragma once

#include <string>
#include <string_view>

#include "bench/model/run.hpp"

namespace tare {

std::string markdown_report(const Run& run);
std::string markdown_escape(std::string_view text);
/// The text as a cell holds it: its beginning and end where it is longer, escaped.
std::string markdown_cell(std::string_view text, std::size_t longest = 80);
/// The longest sentence in a cell or a list.
constexpr std::size_t longest_markdown_text = 300;

}  // namespace tare
