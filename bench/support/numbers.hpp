// Numbers in a text file: what another tool wrote, one per line or several.
#pragma once

#include <string_view>
#include <vector>

#include "bench/support/result.hpp"

namespace tare {

/// Separated by white space or commas; a # begins a comment that ends with the line. Anything else that is
/// not a finite number between ±1e100 is refused with its place, "name:line:column". No numbers at all are
/// not an error.
Result<std::vector<double>> parse_numbers(std::string_view text, std::string_view name);

}  // namespace tare
