// What people write for tare cmd: commands with {parameters}, taken apart without running anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/model/benchmark.hpp"
#include "bench/support/result.hpp"

namespace tare::cli {

/// The words of a command as a shell would take it apart: blanks separate, ' " and \ quote. What only a shell
/// can do (pipes, variables, patterns, redirections) is refused, and so are quotes that do not end.
Result<std::vector<std::string>> split_command(std::string_view command);

/// Every combination of {"n=1,2", "mode=a,b"}, the last one changing fastest; one empty combination of none.
Result<std::vector<Parameters>> combine_parameters(const std::vector<std::string>& assignments);

/// Values in the place of {name}. Without parameters braces mean nothing. With them, a {word} that names none
/// is refused; "{{word}}" stands for "{word}", and "${word}" is the shell's.
Result<std::string> substitute(std::string_view text, const Parameters& parameters);

/// Whether {name} occurs in the text.
bool mentions(std::string_view text, std::string_view name);

}  // namespace tare::cli
