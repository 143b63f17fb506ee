// Content hashes for "are these the same bytes?": binaries, data sets, placements. XXH3, 128 bits, as 32 hex
// digits. Not a defence against forgery.
#pragma once

#include <span>
#include <string>

#include "bench/support/result.hpp"

namespace tare {

std::string hash_bytes(std::span<const std::byte> bytes);
Result<std::string> hash_file(const std::string& path);

}  // namespace tare
