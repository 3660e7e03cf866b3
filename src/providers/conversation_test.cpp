#include "providers/conversation.h"

#include <gtest/gtest.h>

namespace wright::providers {
namespace {

// "user: text:Hi | model: call:a result…": what a test has to say about turns.
std::string shown(const Conversation& conversation) {
  std::string text;
  for (const Turn& turn : conversation.turns()) {
    if (!text.empty()) text += " | ";
    text += turn.speaker == Turn::Speaker::user ? "user" : "model";
    for (const Part* part : turn.parts) {
      if (const auto* said = std::get_if<Text>(part)) text += " '" + said->text + "'";
      if (const auto* call = std::get_if<ToolCall>(part)) text += " call:" + call->id;
      if (const auto* result = std::get_if<ToolResult>(part)) {
        text += (result->is_error ? " failed:" : " result:") + result->call_id;
      }
      if (std::holds_alternative<Reasoning>(*part)) text += " thought";
    }
  }
  return text;
}

std::string turns_of(const std::vector<Message>& messages) {
  return shown(Conversation(Request{.messages = messages}));
}

ToolResult result(std::string id) {
  return {.call_id = std::move(id), .name = "look", .content = "seen"};
}

TEST(Conversation, joins_messages_of_the_same_side) {
  EXPECT_EQ(turns_of({Message::user("a"), Message::user("b"), Message::assistant("c"),
                      Message::assistant("d"), Message::user("e")}),
            "user 'a' 'b' | model 'c' 'd' | user 'e'");
}

TEST(Conversation, puts_the_results_of_a_turn_together_and_first_in_the_order_of_the_calls) {
  EXPECT_EQ(turns_of({Message::user("a"),
                      {Role::assistant, {ToolCall{"1", "look", "{}"}, ToolCall{"2", "look", "{}"}}},
                      Message::tool(result("2")),
                      Message::user("hurry"),
                      Message::tool(result("1"))}),
            "user 'a' | model call:1 call:2 | user result:1 result:2 'hurry'");
}

TEST(Conversation, answers_calls_that_have_no_result) {
  EXPECT_EQ(turns_of({Message::user("a"), {Role::assistant, {ToolCall{"1", "look", "{}"}}}}),
            "user 'a' | model call:1 | user failed:1");
  EXPECT_EQ(turns_of({Message::user("a"),
                      {Role::assistant, {ToolCall{"1", "look", "{}"}}},
                      Message::user("b")}),
            "user 'a' | model call:1 | user failed:1 'b'");
}

TEST(Conversation, turns_results_without_a_call_into_text) {
  EXPECT_EQ(turns_of({Message::user("a"), Message::tool(result("lost"))}),
            "user 'a' 'Tool look result:\nseen'");
  EXPECT_EQ(turns_of({{Role::assistant, {ToolCall{"1", "look", "{}"}}},
                      Message::tool(result("1")),
                      Message::tool(result("1"))}),
            "user '(The conversation goes on.)' | model call:1 | user result:1 'Tool look "
            "result:\nseen'");
}

TEST(Conversation, leaves_out_what_is_blank) {
  EXPECT_EQ(turns_of({Message::user("a"), Message::assistant(" \n"), Message::user("b")}),
            "user 'a' 'b'");
  EXPECT_EQ(turns_of({}), "user '(The conversation goes on.)'");
}

TEST(Conversation, gathers_what_the_system_says) {
  const std::vector<Message> messages{Message::user("a"), Message::system("Be kind."),
                                      Message::system(" ")};
  EXPECT_EQ(Conversation(Request{.messages = messages, .system = "Be brief."}).system(),
            "Be brief.\n\nBe kind.");
}

}  // namespace
}  // namespace wright::providers
