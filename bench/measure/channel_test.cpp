#include "bench/measure/channel.hpp"

#include <array>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace tare {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct Pair {
  Pair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0); }
  std::array<int, 2> ends{};
};

TEST(ChannelOfLines, carries_lines_whole_and_in_order) {
  const Pair pair;
  Channel a(pair.ends[0]);
  Channel b(pair.ends[1]);
  const std::string large(300'000, 'x');
  std::thread writer([&] {
    EXPECT_TRUE(a.write_line("one"));
    EXPECT_TRUE(a.write_line(""));
    EXPECT_TRUE(a.write_line(large));
  });
  EXPECT_EQ(*b.read_line(steady_clock::now() + 10s), "one");
  EXPECT_EQ(*b.read_line(steady_clock::now() + 10s), "");
  EXPECT_EQ(*b.read_line(steady_clock::now() + 10s), large);
  writer.join();
}

TEST(ChannelOfLines, tells_a_closed_peer_from_a_silent_one) {
  const Pair pair;
  Channel a(pair.ends[0]);
  {
    const Channel b(pair.ends[1]);
    const auto silent = a.read_line(steady_clock::now() + 10ms);
    ASSERT_FALSE(silent);
    EXPECT_EQ(silent.error().problem, ChannelProblem::timed_out);
  }
  const auto gone = a.read_line(steady_clock::now() + 10s);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().problem, ChannelProblem::closed);
  EXPECT_EQ(a.write_line("hello?").error().problem, ChannelProblem::closed);
}

TEST(ChannelOfLines, refuses_a_line_without_end) {
  const Pair pair;
  Channel a(pair.ends[0], 1000);
  Channel b(pair.ends[1]);
  EXPECT_TRUE(b.write_line(std::string(500, 'x')));
  EXPECT_TRUE(a.read_line(steady_clock::now() + 10s));
  ASSERT_EQ(::send(pair.ends[1], std::string(5000, 'x').data(), 5000, 0), 5000);
  EXPECT_EQ(a.read_line(steady_clock::now() + 10s).error().problem, ChannelProblem::too_long);
}

TEST(ChannelOfLines, stops_when_cancelled) {
  const Pair pair;
  Channel a(pair.ends[0]);
  const Channel b(pair.ends[1]);
  const std::atomic<bool> cancelled{true};
  EXPECT_EQ(a.read_line(steady_clock::now() + 1000s, &cancelled).error().problem, ChannelProblem::cancelled);
}

TEST(ChannelOfLines, watches_a_second_descriptor_meanwhile) {
  const Pair pair;
  const Pair other;
  Channel a(pair.ends[0]);
  Channel b(pair.ends[1]);
  ASSERT_EQ(::write(other.ends[1], "x", 1), 1);
  int calls = 0;
  const auto on_also = [&] {
    ++calls;
    char byte = 0;
    EXPECT_EQ(::read(other.ends[0], &byte, 1), 1);
    EXPECT_TRUE(b.write_line("answer"));
    return false;
  };
  EXPECT_EQ(*a.read_line(steady_clock::now() + 10s, nullptr, other.ends[0], on_also), "answer");
  EXPECT_EQ(calls, 1);
  ::close(other.ends[0]);
  ::close(other.ends[1]);
}

}  // namespace
}  // namespace tare
