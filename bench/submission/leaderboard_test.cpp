#include "bench/submission/leaderboard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/submission/invented_submission.hpp"
#include "bench/support/json.hpp"

namespace tare {
namespace {

using testing::HasSubstr;
using testing::Not;

Entry entry(const std::string& athlete, double speed_up, const std::string& event = "latency_sprint") {
  auto s = invented_submission(speed_up, athlete);
  s.event = event;
  s.signer = "key of " + athlete;
  Entry e{athlete + ".tare", s, {}, {}};
  e.validation = validate(e.submission, invented_rules());
  return e;
}

std::vector<std::pair<std::size_t, std::string>> places(const Leaderboard& board, std::size_t list = 0) {
  std::vector<std::pair<std::size_t, std::string>> all;
  for (const auto& place : board.standings.at(list).places) all.emplace_back(place.rank, place.athlete);
  return all;
}

TEST(Leaderboard, ranks_by_score_and_shares_places_that_cannot_be_told_apart) {
  const auto board = rank({entry("Bob", 2), entry("Ada", 4), entry("Eve", 4.0001), entry("Dan", 3)});
  using P = std::pair<std::size_t, std::string>;
  EXPECT_EQ(places(board), (std::vector<P>{{1, "Eve"}, {1, "Ada"}, {3, "Dan"}, {4, "Bob"}}));
}

TEST(Leaderboard, gives_an_athlete_one_place) {
  auto again = entry("Ada", 2);
  again.submission.athlete = "Ada's other name";
  again.submission.signer = "key of Ada";
  const auto board = rank({again, entry("Ada", 4)});
  ASSERT_EQ(board.standings[0].places.size(), 1U);
  EXPECT_EQ(board.standings[0].places[0].score.point > 3.9, true);
}

TEST(Leaderboard, keeps_events_divisions_and_baselines_apart) {
  auto open = entry("Ada", 4);
  open.submission.division = "open";
  auto other = entry("Bob", 4);
  other.submission.run.results[0].id.parameters[1].second = "64";
  const auto board = rank({entry("Ada", 4), open, other, entry("Bob", 3, "memory_challenge")});
  EXPECT_EQ(board.standings.size(), 4U);
}

TEST(Leaderboard, every_event_has_its_own_score) {
  const auto score = [](const char* event) {
    return rank({entry("Ada", 3, event)}).standings.at(0).places.at(0).score.point;
  };
  EXPECT_NEAR(score("latency_sprint"), 3, 1e-6);
  EXPECT_NEAR(score("memory_challenge"), 3.9, 1e-9);
  EXPECT_NEAR(score("accuracy_contest"), 443.0 / 449, 1e-9);
  EXPECT_NEAR(score("all_around"), 3 * 3.9 / (1 + 1.0 / 449), 1e-6);
  EXPECT_NEAR(score("extreme_push"), 3 * 3.9, 1e-6);
}

TEST(Leaderboard, names_what_it_rejects) {
  auto wrong = entry("Eve", 4);
  wrong.submission.figures.optimised_ns /= 2;
  wrong.validation = validate(wrong.submission, invented_rules());
  Entry broken{"noise.tare", {}, {}, Refusal{"format", "this is no submission"}};
  const auto board = rank({wrong, broken, entry("Ada", 2)});
  EXPECT_EQ(board.rejected.size(), 2U);
  EXPECT_EQ(board.standings.at(0).places.size(), 1U);
  EXPECT_THAT(leaderboard_text(board), HasSubstr("rejected: Eve.tare: figures: the optimised time"));
  EXPECT_THAT(leaderboard_text({}), HasSubstr("no submissions"));
}

TEST(Leaderboard, is_safe_in_every_format) {
  const auto board = rank({entry("<script>|\x1b[31m", 3)});
  EXPECT_THAT(leaderboard_html(board), Not(HasSubstr("<script>")));
  EXPECT_THAT(leaderboard_html(board), HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(leaderboard_text(board), Not(HasSubstr("\x1b")));
  EXPECT_THAT(leaderboard_markdown(board), Not(HasSubstr("<script>")));
  const auto json = parse_json(leaderboard_json(board)).value();
  EXPECT_EQ(json["standings"][0]["places"][0]["rank"], 1);
}

}  // namespace
}  // namespace tare
