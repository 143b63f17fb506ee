// What a command's exit code means; docs/method.md and every --help say the same.
#pragma once

namespace tare::cli {

inline constexpr int exit_good = 0;
inline constexpr int exit_regression = 1;
inline constexpr int exit_wrong_use = 2;  ///< or a failed benchmark
inline constexpr int exit_undecided = 3;

}  // namespace tare::cli
