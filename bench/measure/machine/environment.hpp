// What of the machine can change a time, read from /proc and /sys. What the machine does not tell stays
// empty. Limits: caches and governor are those of the first CPU and of all CPUs respectively; on a processor
// with unlike cores the caches of the others are not shown.
#pragma once

#include <filesystem>
#include <string>

#include "bench/model/run.hpp"

namespace tare {

/// `root` stands for "/": another one is read instead of this machine's files, and then nothing is asked of
/// the running kernel or processor.
Machine observe_machine(const std::filesystem::path& root = "/");

/// The commit checked out in this directory's git repository, with "+" when tracked files were changed since.
/// Empty when there is no repository, no commit or no git.
std::string git_commit(const std::filesystem::path& directory);

}  // namespace tare
