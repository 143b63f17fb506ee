#include "bench/submission/submission.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/submission/invented_submission.hpp"

namespace tare {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Submission, arrives_as_it_was_sent) {
  const auto sent = invented_submission();
  const auto key = SigningKey::make();
  const auto received = unpack(pack(sent, key));
  ASSERT_TRUE(received) << received.error().message;
  EXPECT_EQ(received->athlete, "Ada");
  EXPECT_EQ(received->model, sent.model);
  EXPECT_EQ(received->figures, sent.figures);
  EXPECT_EQ(received->signer, text_of(key.public_key()));
  EXPECT_EQ(received->baseline().metric("time")->samples, sent.baseline().metric("time")->samples);
}

TEST(Submission, that_is_honest_is_valid) {
  auto s = unpack(pack(invented_submission(), SigningKey::make())).value();
  const auto v = validate(s, invented_rules());
  EXPECT_TRUE(v.valid()) << v.errors().front();
  EXPECT_TRUE(v.warnings.empty()) << v.warnings.front();
  EXPECT_EQ(v.checks.size(), 10U);
}

TEST(Submission, shows_every_changed_byte) {
  const auto bytes = pack(invented_submission(), SigningKey::make());
  // Every byte of header, model, key and signature, and many of the document.
  for (std::size_t i = 0; i < bytes.size(); i += i < 100 || i + 300 > bytes.size() ? 1 : 97) {
    auto changed = bytes;
    changed[i] ^= std::byte{1};
    EXPECT_FALSE(unpack(changed)) << i;
  }
}

TEST(Submission, that_was_cut_or_grew_is_refused) {
  auto bytes = pack(invented_submission(), SigningKey::make());
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{5}, std::size_t{20}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_FALSE(unpack(std::span(bytes).first(length))) << length;
  bytes.push_back(std::byte{0});
  EXPECT_THAT(unpack(bytes).error().message, HasSubstr("add up to"));
}

TEST(Submission, with_lengths_that_lie_is_refused_before_they_are_used) {
  const auto refusal = [](std::string_view text) { return unpack(std::as_bytes(std::span(text))).error(); };
  EXPECT_EQ(refusal("tare submission 1\n2000000000 5\n").check, "size");
  EXPECT_EQ(refusal("tare submission 1\n5 2000000000\n").check, "size");
  EXPECT_EQ(refusal("tare submission 1\n18446744073709551615 1\n").check, "size");
  for (const auto* lengths : {"-1 5\n", "05 5\n", "5  5\n", "5\n", "99999999999999999999 1\n", "x y\n", ""})
    EXPECT_EQ(refusal(std::string("tare submission 1\n") + lengths).check, "format") << lengths;
  EXPECT_EQ(refusal("PK").check, "format");
}

TEST(Submission, of_two_gigabytes_is_refused_without_reading_it) {
  const auto path =
      std::filesystem::temp_directory_path() / ("tare_huge_" + std::to_string(::getpid()) + ".tare");
  std::ofstream(path).put('t');
  std::filesystem::resize_file(path, std::uintmax_t{2} << 30U);  // a hole: it takes no room
  const auto read = read_submission(path.string());
  std::filesystem::remove(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().check, "size");
  EXPECT_THAT(read.error().message, HasSubstr("2.00 GiB"));
  EXPECT_EQ(read_submission("/nowhere/at/all.tare").error().check, "format");
}

TEST(Keys, are_made_once_and_kept_from_others) {
  const auto folder = std::filesystem::temp_directory_path() / ("tare_keys_" + std::to_string(::getpid()));
  const auto path = (folder / "contest.key").string();
  std::filesystem::remove_all(folder);
  const auto first = SigningKey::open(path);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(SigningKey::open(path)->public_key(), first->public_key());
  EXPECT_EQ(std::filesystem::status(path).permissions() & std::filesystem::perms::all,
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::permissions(path, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
  EXPECT_THAT(SigningKey::open(path).error().message, HasSubstr("can be read by others"));
  std::filesystem::permissions(path, std::filesystem::perms::others_read,
                               std::filesystem::perm_options::remove);
  std::ofstream(path) << "beef\n";
  EXPECT_THAT(SigningKey::open(path).error().message, HasSubstr("is no key"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tare
