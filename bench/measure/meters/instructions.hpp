// Exact instruction counts on machines whose clocks and counters are noisy: the program runs under valgrind's
// callgrind, which counts every instruction it executes in user space.
//
// Method: run the same command with n and with 2n iterations; start-up and wrapping code cancel, and
// (I(2n) − I(n)) / n is the cost of one iteration. Nothing is compiled into the program for this. Give both
// numbers the same count of digits: reading a longer one costs instructions too.
//
// Limits: about 50 times slower than running free. Counts are of valgrind's virtual processor, which offers
// no AVX-512 (3.19): code that was compiled for it ends with SIGILL and is reported so, and libraries that
// choose a variant at run time choose another than on the real processor. Child processes are not counted.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/support/result.hpp"

namespace tare {

struct ValgrindOptions {
  std::string program = "valgrind";
  std::chrono::milliseconds limit = std::chrono::minutes(10);
  bool collect_at_start = true;  ///< false: only what the program itself asks for (CALLGRIND_TOGGLE_COLLECT)
};

/// Instructions that the command executed from its start to its end. The environment is "NAME=value" words.
/// The command must exit with 0.
Result<std::uint64_t> count_instructions(const std::vector<std::string>& argv,
                                         const std::vector<std::string>& environment,
                                         const ValgrindOptions& options = {});

/// The total from callgrind's log, or why there is none: a crash under valgrind, an unknown instruction.
Result<std::uint64_t> parse_callgrind_log(std::string_view log);

/// (total_2n − total_n) / n. Throws std::invalid_argument for n = 0; an Error when more iterations cost less.
Result<double> instructions_per_iteration(std::uint64_t total_n, std::uint64_t total_2n, std::uint64_t n);

}  // namespace tare
