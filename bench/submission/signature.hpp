// Ed25519 signatures (libsodium): whoever changes a byte of what was signed needs the signer's key to hide
// it. A signature says who sent it and that it arrived whole; it says nothing about whether it is true.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "bench/support/result.hpp"

namespace tare {

using PublicKey = std::array<std::byte, 32>;
using Signature = std::array<std::byte, 64>;

class SigningKey {
 public:
  /// Of a file that only its owner may read; made when there is none.
  static Result<SigningKey> open(const std::string& path);
  static SigningKey make();  ///< kept nowhere

  [[nodiscard]] PublicKey public_key() const;
  [[nodiscard]] Signature sign(std::span<const std::byte> message) const;

 private:
  std::array<std::byte, 64> secret_{};
};

bool verifies(const PublicKey& key, const Signature& signature, std::span<const std::byte> message);
/// As lower-case hex digits.
std::string text_of(const PublicKey& key);

}  // namespace tare
