// The file of claims that tare table tests on a run:
//   [[hypothesis]]
//   claim = "A reused recorder allocates less than one made anew"
//   metric = "allocations"                 # "time" unless said
//   per = "operations"                     # a metric of the same benchmark to divide it by; none unless said
//   filter = "^expression/"                # regular expression over full names; all unless said
//   of = "engine=real/"                    # text in the name of one side …
//   to = ["engine=real-anew/"]             # … and what replaces it on the other; of a list the best counts
//   over = "each"                          # or "geometric mean"
//   at_most = 0.99                         # of ÷ to, or without `to` the figure itself
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/model/pivot.hpp"
#include "bench/support/result.hpp"

namespace tare::cli {

/// Every field is checked; the Error names the claim and the field.
Result<std::vector<Hypothesis>> parse_hypotheses(std::string_view toml);
Result<std::vector<Hypothesis>> read_hypotheses(const std::string& path);

}  // namespace tare::cli
