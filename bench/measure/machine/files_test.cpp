#include "bench/measure/machine/files.hpp"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(Files, numbers_are_whole_texts) {
  EXPECT_EQ(to_number<int>("42"), 42);
  EXPECT_FALSE(to_number<int>("42 "));
  EXPECT_FALSE(to_number<int>(""));
  EXPECT_FALSE(to_number<unsigned>("-1"));
  EXPECT_FALSE(to_number<int>("99999999999"));
}

TEST(Files, values_are_found_by_key) {
  const std::string text = "model name\t: AMD EPYC\nflags : a b\nempty :\n";
  EXPECT_EQ(value_of(text, "model name"), "AMD EPYC");
  EXPECT_EQ(value_of(text, "flags"), "a b");
  EXPECT_EQ(value_of(text, "empty"), "");
  EXPECT_EQ(value_of(text, "model"), "");
  EXPECT_EQ(value_of("A=\"x y\"\nB=z\n", "A", '='), "x y");
}

TEST(Files, cpu_lists) {
  EXPECT_EQ(parse_cpu_list("0-3,8\n"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("5"), std::vector<int>{5});
  EXPECT_TRUE(parse_cpu_list("").empty());
  EXPECT_TRUE(parse_cpu_list("3-1").empty());
  EXPECT_TRUE(parse_cpu_list("0-2000000000").empty());
  EXPECT_TRUE(parse_cpu_list("65536").empty());
  EXPECT_TRUE(parse_cpu_list("a").empty());
}

TEST(Files, what_cannot_be_read_is_empty) {
  EXPECT_FALSE(read_text("/no/such/file"));
  EXPECT_FALSE(read_text("/"));
  EXPECT_EQ(read_line("/no/such/file"), "");
  EXPECT_FALSE(read_number<int>("/no/such/file"));
  EXPECT_TRUE(entries("/no/such/directory").empty());
}

TEST(Files, a_file_of_proc_is_read_to_its_end) {
  const auto text = read_text("/proc/self/status");
  ASSERT_TRUE(text);
  EXPECT_NE(value_of(*text, "Pid"), "");
}

}  // namespace
}  // namespace tare
