#include "bench/support/hash.hpp"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <string_view>

namespace tare {
namespace {

std::string hash_text(std::string_view text) {
  return hash_bytes(std::as_bytes(std::span(text.data(), text.size())));
}

TEST(Hash, is_the_published_xxh3_of_the_empty_input) {
  EXPECT_EQ(hash_text(""), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash, of_a_file_is_the_hash_of_its_bytes) {
  const auto path = testing::TempDir() + "hash_test_input";
  const std::string content(200'000, 'x');
  std::ofstream(path) << content;
  EXPECT_EQ(*hash_file(path), hash_text(content));
  EXPECT_NE(*hash_file(path), hash_text(content + "y"));
  std::remove(path.c_str());
}

TEST(Hash, says_which_file_cannot_be_read) {
  const auto missing = hash_file("/no/such/file");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("/no/such/file"), std::string::npos);
}

}  // namespace
}  // namespace tare
