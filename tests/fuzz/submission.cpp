// A submission: any bytes are refused or judged. An odd first byte makes the rest a document that is signed
// properly, so that what lies behind the signature is reached too.
#include <fmt/format.h>

#include "bench/submission/leaderboard.hpp"
#include "bench/submission/validate.hpp"
#include "tests/fuzz/input.hpp"

namespace {

std::vector<std::byte> signed_document(std::string_view document) {
  static const auto key = tare::SigningKey::make();
  auto text = fmt::format("tare submission 1\n{} 0\n{}", document.size(), document);
  const auto signature = key.sign(std::as_bytes(std::span(text)));
  const auto signer = key.public_key();
  text.append(reinterpret_cast<const char*>(signer.data()), signer.size());
  text.append(reinterpret_cast<const char*>(signature.data()), signature.size());
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = as_text(data, size);
  const bool document = size > 0 && data[0] % 2 == 1;
  auto bytes = document ? signed_document(text.substr(1)) : std::vector<std::byte>();
  auto submission =
      tare::unpack(document ? std::span<const std::byte>(bytes) : std::as_bytes(std::span(data, size)));
  if (!submission) {
    require(!submission.error().message.empty());
    return 0;
  }
  tare::Entry entry{"input.tare", std::move(*submission), {}, {}};
  entry.validation = tare::validate(entry.submission, {});
  require(tare::leaderboard_text(tare::rank({entry})).size() > 0);
  return 0;
}
