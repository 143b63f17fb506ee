#include "bench/submission/signature.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sodium.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace tare {
namespace {

void start_library() {
  static const bool ready = sodium_init() >= 0;
  if (!ready) throw std::runtime_error("libsodium could not be started");
}

auto* chars(auto* bytes) {
  return reinterpret_cast<unsigned char*>(bytes);
}
const unsigned char* chars(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const auto byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

Status write_key(const std::string& path, const std::string& text) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  // O_EXCL: a key that appeared meanwhile is never overwritten.
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return fail(fmt::format("the key {} cannot be made: {}", path, std::strerror(errno)));
  const bool whole = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (::close(file) != 0 || !whole)
    return fail(fmt::format("the key {} cannot be written: {}", path, std::strerror(errno)));
  return ok();
}

}  // namespace

SigningKey SigningKey::make() {
  start_library();
  SigningKey key;
  PublicKey unused;
  crypto_sign_keypair(chars(unused.data()), chars(key.secret_.data()));
  return key;
}

Result<SigningKey> SigningKey::open(const std::string& path) {
  start_library();
  std::ifstream file(path);
  if (!file) {
    auto key = make();
    if (auto written = write_key(path, hex(key.secret_) + "\n"); !written) return std::move(written).error();
    return key;
  }
  struct stat facts{};
  if (::stat(path.c_str(), &facts) == 0 && (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return fail(fmt::format("the key {} can be read by others; 'chmod 600' it, or make another", path));
  std::string text;
  std::getline(file, text);
  SigningKey key;
  std::size_t length = 0;
  if (sodium_hex2bin(chars(key.secret_.data()), key.secret_.size(), text.data(), text.size(), nullptr,
                     &length, nullptr) != 0 ||
      length != key.secret_.size() || text.size() != 2 * length)
    return fail(fmt::format("{} is no key: 128 hex digits are needed; remove it to have one made", path));
  return key;
}

PublicKey SigningKey::public_key() const {
  PublicKey key;
  crypto_sign_ed25519_sk_to_pk(chars(key.data()), chars(secret_.data()));
  return key;
}

Signature SigningKey::sign(std::span<const std::byte> message) const {
  Signature signature;
  crypto_sign_detached(chars(signature.data()), nullptr, chars(message.data()), message.size(),
                       chars(secret_.data()));
  return signature;
}

bool verifies(const PublicKey& key, const Signature& signature, std::span<const std::byte> message) {
  start_library();
  return crypto_sign_verify_detached(chars(signature.data()), chars(message.data()), message.size(),
                                     chars(key.data())) == 0;
}

std::string text_of(const PublicKey& key) {
  return hex(key);
}

}  // namespace tare
