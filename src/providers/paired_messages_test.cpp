#include "providers/paired_messages.h"

#include <gtest/gtest.h>

namespace wright::providers {
namespace {

Message calls(std::vector<std::string> ids) {
  Message message{Role::assistant, {}};
  for (std::string& id : ids) message.parts.emplace_back(ToolCall{std::move(id), "look", "{}"});
  return message;
}

Message result_message(std::string id) {
  return Message::tool({.call_id = std::move(id), .name = "look", .content = "seen"});
}

Message unknown(std::string id) {
  return Message::tool({.call_id = std::move(id),
                        .name = "look",
                        .content = std::string(kNoResultIsKnown),
                        .is_error = true});
}

std::vector<Message> paired(const std::vector<Message>& messages) {
  const PairedMessages pairs(messages);
  std::vector<Message> copies;
  for (const Message* message : pairs.messages()) copies.push_back(*message);
  return copies;
}

TEST(PairedMessages, leave_alone_what_is_in_order) {
  const std::vector<Message> messages{
      Message::user("a"), calls({"1", "2"}),       result_message("2"), result_message("1"),
      Message::user("b"), Message::assistant("c"), calls({"3"}),        result_message("3")};
  const PairedMessages pairs(messages);
  ASSERT_EQ(pairs.messages().size(), messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    EXPECT_EQ(pairs.messages()[i], &messages[i]) << i;  // the very same, not a copy
  }
  EXPECT_TRUE(paired({}).empty());
}

TEST(PairedMessages, answer_calls_that_have_no_result) {
  EXPECT_EQ(
      paired({Message::user("a"), calls({"1", "2"}), result_message("2"), Message::user("b")}),
      (std::vector<Message>{Message::user("a"), calls({"1", "2"}), unknown("1"),
                            result_message("2"), Message::user("b")}));
  EXPECT_EQ(paired({calls({"1"}), calls({"2"})}),
            (std::vector<Message>{calls({"1"}), unknown("1"), calls({"2"}), unknown("2")}));
}

TEST(PairedMessages, put_results_before_what_was_said_meanwhile) {
  EXPECT_EQ(paired({calls({"1"}), Message::user("wait"), result_message("1")}),
            (std::vector<Message>{calls({"1"}), result_message("1"), Message::user("wait")}));
}

TEST(PairedMessages, make_text_of_results_without_their_call) {
  const Message told = Message::user("Tool look result:\nseen");
  EXPECT_EQ(paired({result_message("0"), Message::assistant("c")}),
            (std::vector<Message>{told, Message::assistant("c")}));
  EXPECT_EQ(paired({calls({"1"}), result_message("1"), result_message("1")}),
            (std::vector<Message>{calls({"1"}), result_message("1"), told}));
  EXPECT_EQ(
      paired({calls({"1"}), result_message("1"), Message::assistant("c"), result_message("1")}),
      (std::vector<Message>{calls({"1"}), result_message("1"), Message::assistant("c"), told}));
}

TEST(PairedMessages, keep_what_stands_beside_a_result) {
  const Message mixed{Role::user, {Text{"and"}, result_message("1").parts.front()}};
  EXPECT_EQ(paired({calls({"1"}), mixed}),
            (std::vector<Message>{calls({"1"}), result_message("1"), Message::user("and")}));
}

}  // namespace
}  // namespace wright::providers
