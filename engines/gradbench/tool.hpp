// tare's engine as a GradBench tool: one line of JSON in, one line out. What the protocol is and which
// modules are known stands in docs/gradbench.md. Nothing that arrives makes it throw or stop: what cannot be
// done is answered with "success": false and a sentence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tare::gradbench {

/// What a message may ask for; beyond it the answer is a refusal.
struct Allowance {
  double operations = 1e9;  ///< of one evaluation
  double seconds = 3600;    ///< of all runs of one message
  int runs = 1'000'000;
};

std::string answer(std::string_view line, const Allowance& allowance = {});

/// "hello", "lse", …
const std::vector<std::string>& modules();

}  // namespace tare::gradbench
