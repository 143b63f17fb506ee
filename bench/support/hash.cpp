#define XXH_INLINE_ALL
#include "bench/support/hash.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <xxhash.h>

namespace tare {
namespace {

std::string hex(XXH128_hash_t hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

std::string hash_bytes(std::span<const std::byte> bytes) {
  return hex(XXH3_128bits(bytes.data(), bytes.size()));
}

Result<std::string> hash_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return fail(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              &XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::array<char, 65536> chunk;
  while (std::feof(file.get()) == 0) {
    const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), file.get());
    if (std::ferror(file.get()) != 0)
      return fail(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
    XXH3_128bits_update(state.get(), chunk.data(), n);
  }
  return hex(XXH3_128bits_digest(state.get()));
}

}  // namespace tare
