#include "app/commands/acp_turns.h"

#include <gtest/gtest.h>
#include <boost/json/object.hpp>

#include <future>

namespace wright::app {
namespace {

using Entered = AcpTurns::Entered;

// A prompt, and what it is answered.
struct Asked {
  explicit Asked(AcpTurns& turns)
      : turn(turns.add([this](const Result<JsonObject>& result) {
          ++answers;
          reason =
              result ? std::string(result->at("stopReason").as_string()) : result.error().message;
        })) {}
  int answers = 0;
  std::string reason;
  AcpTurns::Turn turn;
};

AcpTurns::Speech speech(std::string text) {
  return {.text = std::move(text), .say = [] { return Result<void>(); }};
}
JsonObject stopped(std::string_view reason) {
  return {{"stopReason", reason}};
}

TEST(AcpTurns, go_to_the_prompt_that_was_read) {
  AcpTurns turns;
  Asked first(turns);
  Asked second(turns);
  Asked third(turns);
  ASSERT_EQ(turns.enter(first.turn, {}), Entered::runs);
  ASSERT_EQ(turns.enter(second.turn, speech("faster")), Entered::spoken);
  ASSERT_EQ(turns.enter(third.turn, speech("and louder")), Entered::spoken);
  EXPECT_EQ(first.answers + second.answers + third.answers, 0);

  turns.taken("faster\n\nand louder");
  EXPECT_EQ(first.reason, "end_turn");
  EXPECT_EQ(second.reason, "end_turn");
  EXPECT_EQ(third.answers, 0);
  const auto ended = turns.end();
  EXPECT_EQ(ended.owner, third.turn);
  EXPECT_TRUE(ended.unheard.empty());
  turns.answer(third.turn, stopped("max_tokens"));
  turns.answer(third.turn, stopped("end_turn"));
  EXPECT_EQ(third.reason, "max_tokens");
  EXPECT_EQ(first.answers + second.answers + third.answers, 3);
}

TEST(AcpTurns, stay_where_they_are_while_nothing_is_read) {
  AcpTurns turns;
  Asked first(turns);
  Asked second(turns);
  ASSERT_EQ(turns.enter(first.turn, {}), Entered::runs);
  ASSERT_EQ(turns.enter(second.turn, speech("faster")), Entered::spoken);
  turns.taken("something that somebody else said");
  const auto ended = turns.end();
  EXPECT_EQ(ended.owner, first.turn);
  EXPECT_EQ(ended.unheard, std::vector{second.turn});
}

TEST(AcpTurns, are_stopped_by_whoever_has_them) {
  AcpTurns turns;
  Asked first(turns);
  Asked second(turns);
  ASSERT_EQ(turns.enter(first.turn, {}), Entered::runs);
  ASSERT_EQ(turns.enter(second.turn, speech("faster")), Entered::spoken);
  second.turn->stop.request_stop();
  EXPECT_FALSE(turns.stop().stop_requested());
  turns.taken("faster");
  EXPECT_TRUE(turns.stop().stop_requested());
}

TEST(AcpTurns, that_are_being_cancelled_are_not_spoken_to) {
  AcpTurns turns;
  Asked first(turns);
  ASSERT_EQ(turns.enter(first.turn, {}), Entered::runs);
  turns.cancel_all();
  EXPECT_TRUE(turns.stop().stop_requested());
  Asked second(turns);
  auto entered = std::async(std::launch::async,
                            [&] { return turns.enter(second.turn, speech("never said")); });
  turns.answer(turns.end().owner, stopped("cancelled"));
  EXPECT_EQ(entered.get(), Entered::runs);
  EXPECT_EQ(first.reason, "cancelled");
}

TEST(AcpTurns, are_taken_in_the_order_in_which_prompts_came) {
  AcpTurns turns;
  Asked first(turns);
  Asked second(turns);
  Asked third(turns);
  ASSERT_EQ(turns.enter(first.turn, {}), Entered::runs);
  // It could be said at once, but for the one before it.
  auto last =
      std::async(std::launch::async, [&] { return turns.enter(third.turn, speech("third")); });
  auto middle = std::async(std::launch::async, [&] { return turns.enter(second.turn, {}); });
  turns.end();
  EXPECT_EQ(middle.get(), Entered::runs);
  EXPECT_EQ(last.get(), Entered::spoken);
}

TEST(AcpTurns, of_prompts_that_cannot_be_said_yet_wait) {
  AcpTurns turns;
  Asked first(turns);
  Asked second(turns);
  ASSERT_EQ(turns.enter(first.turn, {}), Entered::runs);
  int tries = 0;
  const AcpTurns::Speech hard{.text = "x", .say = [&]() -> Result<void> {
                                if (++tries < 3) return fail(ErrorCode::unavailable, "not yet");
                                return {};
                              }};
  EXPECT_EQ(turns.enter(second.turn, hard), Entered::spoken);
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(turns.end().unheard, std::vector{second.turn});
}

TEST(AcpTurns, of_prompts_that_are_refused_are_answered_so) {
  AcpTurns turns;
  Asked first(turns);
  Asked second(turns);
  ASSERT_EQ(turns.enter(first.turn, {}), Entered::runs);
  const AcpTurns::Speech refused{.text = "x", .say = []() -> Result<void> {
                                   return fail(ErrorCode::invalid_argument, "too long");
                                 }};
  EXPECT_EQ(turns.enter(second.turn, refused), Entered::spoken);
  EXPECT_EQ(second.reason, "too long");
  EXPECT_TRUE(turns.end().unheard.empty());
}

TEST(AcpTurns, of_prompts_that_are_cancelled_in_the_line_are_over) {
  AcpTurns turns;
  Asked first(turns);
  Asked second(turns);
  ASSERT_EQ(turns.enter(first.turn, {}), Entered::runs);
  second.turn->stop.request_stop();
  EXPECT_EQ(turns.enter(second.turn, {}), Entered::cancelled);
}

}  // namespace
}  // namespace wright::app
