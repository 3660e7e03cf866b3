#include "offline/transcript.h"

#include <gtest/gtest.h>

#include "wright/tool.h"

namespace wright::offline {
namespace {

Message calls(std::vector<ToolCall> wanted) {
  Message message{Role::assistant, {}};
  for (ToolCall& call : wanted) message.parts.emplace_back(std::move(call));
  return message;
}

Transcript read(const std::vector<Message>& messages) {
  Request request;
  request.messages = messages;
  return read_transcript(request);
}

TEST(Transcript, knows_the_calls_since_the_last_user_message_only) {
  const std::vector<Message> messages{
      Message::user("first"),
      calls({{"1", "grep", R"({"pattern":"a"})"}}),
      Message::tool({"1", "grep", "{}", false}),
      Message::assistant("answer"),
      Message::user("second"),
      calls({{"2", "grep", R"({"pattern":"b"})"}, {"3", "read_file", R"({"file_path":"x"})"}}),
      Message::tool({"2", "grep", "{\"n\":1}", false}),
      Message::tool({"3", "read_file", "no", true}),
  };
  const Transcript transcript = read(messages);
  EXPECT_EQ(transcript.prompt, "second");
  EXPECT_EQ(transcript.earlier, std::vector<std::string>{"first"});
  EXPECT_EQ(transcript.rounds, 1);
  ASSERT_EQ(transcript.exchanges.size(), 2U);
  EXPECT_EQ(transcript.find("grep", JsonObject{{"pattern", "a"}}), nullptr);
  const Exchange* known = transcript.find("grep", JsonObject{{"pattern", "b"}});
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->content, "{\"n\":1}");
  EXPECT_TRUE(transcript.find("read_file", JsonObject{{"file_path", "x"}})->is_error);
}

TEST(Transcript, is_empty_without_a_user_message) {
  const Transcript transcript = read({Message::assistant("hello")});
  EXPECT_EQ(transcript.prompt, "");
  EXPECT_EQ(transcript.rounds, 0);
}

TEST(ParseLeniently, gives_what_was_whole_before_a_cut) {
  const auto whole = parse_leniently(R"({"files":["a","b"]})");
  ASSERT_TRUE(whole);
  EXPECT_EQ(to_text(*whole), R"({"files":["a","b"]})");
  const auto cut = parse_leniently(R"({"matches":[{"line":1,"text":"x{"},{"line":2,"te)");
  ASSERT_TRUE(cut);
  EXPECT_EQ(to_text(*cut), R"({"matches":[{"line":1,"text":"x{"},{"line":2}]})");
}

TEST(ParseLeniently, gives_nothing_for_text_that_is_no_json) {
  EXPECT_FALSE(parse_leniently("plain words"));
  EXPECT_FALSE(parse_leniently(""));
  EXPECT_FALSE(parse_leniently("}}}]]]"));
  EXPECT_FALSE(parse_leniently(std::string(100'000, '[')));
}

}  // namespace
}  // namespace wright::offline
