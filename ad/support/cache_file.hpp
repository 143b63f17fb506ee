// Files in the user's cache directory: absent, old or broken ones are as good as none, and a file is replaced
// whole or not at all, so that processes can share them.
#pragma once

#include <optional>
#include <string>

namespace tare::ad {

/// $XDG_CACHE_HOME/tare/name or ~/.cache/tare/name; empty where there is neither.
std::string cache_path(const std::string& name);
std::optional<std::string> read_file(const std::string& path);
/// Makes the directories above it. False when the file could not be written; an older one is then as before.
bool replace_file(const std::string& path, const std::string& bytes);

}  // namespace tare::ad
