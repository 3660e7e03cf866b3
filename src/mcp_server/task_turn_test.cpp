#include "mcp_server/task_turn.h"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace wright::mcp_server {
namespace {

// A session that others have taken since the task began it.
class McpTaskTurn : public ::testing::Test {
 protected:
  void SetUp() override {
    session_ = store_->create_session({.agent_name = "worker", .user_prompt = "Go"}).value();
    task_ = {.id = "t", .session = session_, .epoch = 7};
    say(Message::user("Go"));
  }

  MessageId say(Message message) {
    ++now_;
    const auto ids = store_->apply_one(
        AppendMessage{.session_id = session_, .message = std::move(message), .is_told = true});
    EXPECT_TRUE(ids) << ids.error().message;
    return ids ? ids->messages.at(0) : 0;
  }
  void calls_a_tool() {
    say({Role::assistant, {ToolCall{"c1", "look", "{}"}}});
    say(Message::tool({.call_id = "c1", .name = "look", .content = "seen"}));
  }
  void happens(std::string type, Json data) {
    ++now_;
    ASSERT_TRUE(store_->apply_one(AppendEvents{
        .session_id = session_, .events = {{.type = std::move(type), .data = std::move(data)}}}));
  }
  void ends(UpdateSession how) {
    how.session_id = session_;
    ASSERT_TRUE(store_->apply_one(std::move(how)));
  }

  std::optional<TurnEnd> end() {
    auto found = end_of_turn(*store_, task_, store_->get_session(session_).value());
    EXPECT_TRUE(found) << found.error().message;
    return found ? std::move(*found) : std::nullopt;
  }
  static std::string text_of(const std::optional<TurnEnd>& end) {
    return end ? std::string(end->result.at("content").at(0).at("text").as_string()) : "goes on";
  }
  static bool is_failure(const std::optional<TurnEnd>& end) {
    return end && end->result.contains("isError");
  }

  std::int64_t now_ = 1'000;
  std::unique_ptr<Store> store_ = open_memory_store([this] { return now_; });
  SessionId session_ = 0;
  StoredTask task_;
};

TEST_F(McpTaskTurn, goes_on_as_long_as_nobody_else_says_anything) {
  EXPECT_FALSE(end());
  calls_a_tool();
  EXPECT_FALSE(end());
  say(Message::assistant("seen"));
  ends({.status = SessionStatus::completed, .result = "seen"});
  EXPECT_EQ(text_of(end()), "seen");
  EXPECT_FALSE(is_failure(end()));
}

TEST_F(McpTaskTurn, is_over_with_its_answer_while_the_next_one_goes_on) {
  say(Message::assistant("first answer"));
  say(Message::user("And?"));
  EXPECT_EQ(text_of(end()), "first answer");
  say(Message::assistant("second answer"));
  ends({.status = SessionStatus::failed, .error = "later"});
  EXPECT_EQ(text_of(end()), "first answer");
  EXPECT_EQ(end()->status, mcp::TaskStatus::completed);
}

TEST_F(McpTaskTurn, that_failed_does_not_get_the_words_of_the_next_one) {
  for (const bool has_called : {false, true}) {
    SetUp();
    if (has_called) calls_a_tool();
    say(Message::user("a person goes on"));
    say(Message::assistant("SECRET"));
    ends({.status = SessionStatus::completed, .result = "SECRET"});
    EXPECT_TRUE(is_failure(end()));
    EXPECT_EQ(text_of(end()).find("SECRET"), std::string::npos) << text_of(end());
    EXPECT_NE(text_of(end()).find("without an answer"), std::string::npos) << text_of(end());
  }
}

TEST_F(McpTaskTurn, ends_as_the_events_of_the_session_say) {
  happens("run_ended", {{"phase", "failed"},
                        {"text", "half of it"},
                        {"error", {{"code", "model"}, {"message", "the vendor says 400"}}}});
  say(Message::user("a person goes on"));
  say(Message::assistant("SECRET"));
  happens("run_ended", {{"phase", "done"}, {"text", "SECRET"}, {"error", nullptr}});
  ends({.status = SessionStatus::completed, .result = "SECRET"});
  EXPECT_TRUE(is_failure(end()));
  EXPECT_NE(text_of(end()).find("the vendor says 400"), std::string::npos) << text_of(end());
  EXPECT_NE(text_of(end()).find("half of it"), std::string::npos);
  EXPECT_EQ(text_of(end()).find("SECRET"), std::string::npos);
}

TEST_F(McpTaskTurn, that_was_cancelled_stays_so) {
  happens("run_ended", {{"phase", "cancelled"}, {"text", ""}, {"error", {{"message", "stop"}}}});
  say(Message::user("a person goes on"));
  ASSERT_TRUE(end());
  EXPECT_EQ(end()->status, mcp::TaskStatus::cancelled);
}

TEST_F(McpTaskTurn, takes_what_is_said_while_it_works) {
  calls_a_tool();
  happens("message_taken", {{"text", "rather this"}});
  say(Message::user("rather this"));
  EXPECT_FALSE(end());
  say(Message::assistant("this"));
  ends({.status = SessionStatus::completed, .result = "this"});
  EXPECT_EQ(text_of(end()), "this");
  // By whoever still has the session, there is nothing to find out.
  SetUp();
  calls_a_tool();
  say(Message::user("rather this"));
  task_.epoch = store_->get_session(session_)->lease_epoch;
  EXPECT_FALSE(end());
  // What was said before it went on after a wait belongs to it, too.
  task_.epoch = 7;
  task_.said_until = store_->get_messages(session_)->back().id;
  EXPECT_FALSE(end());
}

TEST_F(McpTaskTurn, is_over_when_the_next_one_is_in_the_queue) {
  say(Message::assistant("first answer"));
  ends({.status = SessionStatus::completed, .result = "first answer"});
  task_.epoch = store_->get_session(session_)->lease_epoch;
  ASSERT_TRUE(store_->apply_one(Enqueue{.session_id = session_, .message = Message::user("And?")}));
  EXPECT_EQ(text_of(end()), "first answer");
}

}  // namespace
}  // namespace wright::mcp_server
