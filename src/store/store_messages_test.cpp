// What every store promises about messages.
#include <gtest/gtest.h>

#include "core/every_part_testing.h"
#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

class StoreMessages : public StoreSuite {};
INSTANTIATE_TEST_SUITE_P(Every, StoreMessages, kEveryStore, name_of_kind);

TEST_P(StoreMessages, gives_every_field_of_every_part_back) {
  const SessionId id = new_session();
  const std::vector<Message> messages = testing::every_part();
  for (const Message& message : messages) {
    (void)value_of(store().apply_one(AppendMessage{.session_id = id, .message = message}));
  }
  const CallId call = value_of(store().get_tool_calls(id)).at(0).id;
  const auto& result = std::get<ToolResult>(messages.at(2).parts.at(0));
  (void)value_of(store().apply_one(
      UpdateCall{.call_id = call, .status = CallStatus::failed, .result = result}));
  const SessionId fork =
      value_of(store().fork_session(id, value_of(store().get_messages(id)).back().id));
  for (const SessionId each : {id, fork}) {
    const auto stored = value_of(store().get_messages(each));
    ASSERT_EQ(stored.size(), messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) EXPECT_EQ(stored[i].message, messages[i]);
    EXPECT_EQ(value_of(store().get_tool_calls(each)).at(0).result, result);
  }
}

TEST_P(StoreMessages, gives_messages_back_in_order_and_unchanged) {
  const SessionId id = new_session();
  const std::vector<Message> messages{
      Message::system("You help."),
      Message::user("Look."),
      {Role::assistant,
       {Reasoning{"hm", R"({"signature":"x"})"}, Text{"I look."},
        ToolCall{"c1", "grep", R"({"pattern":"x"})"}, ToolCall{"c2", "list_files", "{"}}},
      Message::tool({"c1", "grep", "3 matches", false}),
      Message::tool({"c2", "list_files", "broken arguments", true}),
      {Role::user, {Text{"See:"}, Image{"image/png", "iVBORw0K"}}},
      Message::assistant(""),
      {Role::assistant, {Text{"Done.", Text::Phase::final_answer}}},
      {Role::assistant,
       {Text{"I look.", Text::Phase::commentary}, Text{"It is.", Text::Phase::final_answer}}},
  };
  std::vector<Write> writes;
  for (const Message& message : messages) writes.push_back(AppendMessage{id, message});
  const BatchIds ids = value_of(store().apply(writes));
  const auto stored = value_of(store().get_messages(id));
  ASSERT_EQ(stored.size(), messages.size());
  ASSERT_EQ(ids.messages.size(), messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    EXPECT_EQ(stored[i].id, ids.messages[i]);
    EXPECT_EQ(stored[i].session_id, id);
    EXPECT_EQ(stored[i].message, messages[i]);
    EXPECT_EQ(stored[i].content, display_text(messages[i]));
    EXPECT_EQ(stored[i].created_at, now_);
  }
}

TEST_P(StoreMessages, orders_messages_by_id_when_the_clock_goes_backwards) {
  const SessionId id = new_session();
  value_of(store().create_message(id, Role::user, "first"));
  now_ -= 5000;
  value_of(store().create_message(id, Role::assistant, "second"));
  now_ += 1;
  value_of(store().create_message(id, Role::user, "third"));
  std::string order;
  for (const auto& message : value_of(store().get_messages(id))) order += message.content + " ";
  EXPECT_EQ(order, "first second third ");
}

TEST_P(StoreMessages, creates_plain_messages_of_every_role) {
  const SessionId id = new_session();
  for (const Role role : {Role::user, Role::assistant, Role::system, Role::tool}) {
    const MessageId message = value_of(store().create_message(id, role, "Tool x result:\nfoo"));
    const auto stored = value_of(store().get_messages(id)).back();
    EXPECT_EQ(stored.id, message);
    EXPECT_EQ(stored.message, (Message{role, {Text{"Tool x result:\nfoo"}}}));
  }
}

TEST_P(StoreMessages, keeps_sessions_apart) {
  const SessionId one = new_session();
  const SessionId two = new_session();
  value_of(store().create_message(one, Role::user, "for one"));
  new_call(one);
  EXPECT_EQ(value_of(store().get_messages(one)).size(), 1U);
  EXPECT_TRUE(value_of(store().get_messages(two)).empty());
  EXPECT_TRUE(value_of(store().get_tool_calls(two)).empty());
  EXPECT_TRUE(value_of(store().get_pending_tool_calls(two)).empty());
}

TEST_P(StoreMessages, repairs_text_that_is_not_utf8) {
  const std::string broken = "a\xFF\xC0z";
  const std::string repaired = "a\xEF\xBF\xBD\xEF\xBF\xBDz";
  NewSession session = session_named(broken, broken);
  session.system_prompt = broken;
  session.config = {{"key", broken}};
  const SessionId id = value_of(store().create_session(session));
  EXPECT_EQ(value_of(store().get_session(id)).agent_name, repaired);
  EXPECT_EQ(value_of(store().get_session(id)).system_prompt, repaired);
  EXPECT_EQ(value_of(store().get_session(id)).config.at("key").as_string(), repaired);
  EXPECT_EQ(value_of(store().list_sessions({.agent_name = broken, .text = broken})).size(), 1U);

  value_of(store().create_message(id, Role::user, broken));
  value_of(apply_one(store(), AppendMessage{id, Message::tool({broken, broken, broken, true})}));
  value_of(
      apply_one(store(), AppendMessage{id, {Role::assistant, {ToolCall{broken, broken, broken}}}}));
  const auto messages = value_of(store().get_messages(id));
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].message, Message::user(repaired));
  EXPECT_EQ(messages[1].message, Message::tool({repaired, repaired, repaired, true}));
  EXPECT_EQ(messages[2].message,
            (Message{Role::assistant, {ToolCall{repaired, repaired, repaired}}}));

  const auto call = value_of(store().get_tool_calls(id)).front();
  EXPECT_EQ(call.tool_call_id, repaired);
  EXPECT_EQ(call.tool_name, repaired);
  EXPECT_EQ(call.request, repaired);
  expect_ok(store().fail_tool_call(call.id, broken));
  EXPECT_EQ(call_of(id, call.id).error_details, repaired);
  expect_ok(store().fail_session(id, broken));
  EXPECT_EQ(value_of(store().get_session(id)).error, repaired);
  expect_ok(store().complete_session(id, broken));
  EXPECT_EQ(value_of(store().get_session(id)).result, repaired);
}

}  // namespace

}  // namespace wright::store
