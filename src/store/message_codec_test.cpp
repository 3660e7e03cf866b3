#include "store/message_codec.h"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "store/json_columns.h"
#include "store/store_testing.h"

namespace wright::store {
namespace {

using namespace std::string_literals;

void expect_round_trip(const Message& message) {
  const MessageColumns columns = to_columns(message);
  EXPECT_EQ(columns.content, display_text(message));
  EXPECT_EQ(value_of(message_from(message.role, columns)), message) << columns.content;
}

TEST(MessageCodec, a_plain_text_is_its_content_and_nothing_else) {
  for (const std::string& text :
       {""s, "hello"s, "[Using tools]"s, "Tool x result:\ny"s, "Tool x failed: y"s, "nul\0byte"s,
        R"([{"type":"text"}])"s, "[image]"s}) {
    for (const Role role : {Role::user, Role::assistant, Role::system, Role::tool}) {
      const Message message{role, {Text{text}}};
      const MessageColumns columns = to_columns(message);
      EXPECT_EQ(columns.content, text);
      EXPECT_EQ(columns.parts, std::nullopt);
      EXPECT_EQ(columns.tool_call_id, std::nullopt);
      expect_round_trip(message);
    }
  }
}

TEST(MessageCodec, reads_results_and_notices_as_earlier_versions_stored_them) {
  const MessageColumns good{
      "Tool grep result:\nfound\n" + notice(Notice::Kind::same_result).text, {}, "c1"};
  const auto result = message_from(Role::tool, good);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, Message::tool({.call_id = "c1",
                                    .name = "grep",
                                    .content = "found",
                                    .notices = {notice(Notice::Kind::same_result)}}));
  const MessageColumns bad{"Tool grep failed: no such folder", {}, "c2"};
  EXPECT_EQ(message_from(Role::tool, bad), Message::tool({"c2", "grep", "no such folder", true}));
  const MessageColumns cut{notice(Notice::Kind::answer_cut).text, {}, {}};
  EXPECT_EQ(message_from(Role::user, cut), Message::notice(Notice::Kind::answer_cut));
}

TEST(MessageCodec, keeps_every_part_and_every_field) {
  const ToolResult result{.call_id = "c1",
                          .name = "see failed: ",
                          .content = "é\n",
                          .is_error = true,
                          .images = {{"image/png", "AAAA"}, {"image/jpeg", "BBBB"}},
                          .notices = {notice(Notice::Kind::same_result)},
                          .fingerprint = 0xFEDCBA9876543210U};
  expect_round_trip(Message::tool(result));
  expect_round_trip(Message::notice(Notice::Kind::answer_cut));
  expect_round_trip({Role::assistant,
                     {Text{"a"}, Reasoning{"b", "{}"}, Image{"image/png", "CC"},
                      ToolCall{"c", "d", "{broken"}, result, notice(Notice::Kind::summarise)}});
  const auto column = result_column(result);
  EXPECT_EQ(result_from(column).value(), result);
}

TEST(MessageCodec, writes_parts_as_their_json_says) {
  const std::string odd = "\"\\/\b\f\n\r\t\x01\x7F é\xF0\x9F\x98\x80 \xFF "s + '\0';
  for (const std::vector<Part>& parts :
       {std::vector<Part>{}, std::vector<Part>{ToolCall{"c1", "grep", R"({"a":"\"b\""})"}},
        std::vector<Part>{Text{odd}, ToolCall{odd, odd, odd}, ToolCall{}, Text{}},
        std::vector<Part>{ToolCall{"c", "t", "{}"}, Reasoning{"why", ""}}}) {
    const Message message{Role::assistant, parts};
    const auto columns = to_columns(message);
    ASSERT_TRUE(columns.parts);
    EXPECT_EQ(*columns.parts, to_text(to_json(message).at("parts")));
  }
  ToolResult result{.call_id = odd, .name = "t", .content = "x", .fingerprint = 7};
  JsonObject expected = to_json(Message::tool(result)).at("parts").at(0).as_object();
  const auto columns = to_columns(Message::tool(result));
  JsonObject stored = value_of(parse_json(columns.parts.value_or(""))).at(0).as_object();
  for (const char* key : {"type", "name", "is_error", "fingerprint"}) {
    EXPECT_EQ(stored.at(key), expected.at(key)) << key;
  }
  EXPECT_EQ(stored.size(), 7U) << columns.parts.value_or("");
}

TEST(MessageCodec, a_single_result_is_stored_once_in_its_content) {
  const Message good = Message::tool({"c1", "grep", std::string(100'000, 'x'), false});
  const Message bad = Message::tool({"c1", "grep", "no such folder", true});
  EXPECT_EQ(to_columns(good).content, "Tool grep result:\n" + std::string(100'000, 'x'));
  EXPECT_EQ(to_columns(bad).content, "Tool grep failed: no such folder");
  for (const Message& message : {good, bad}) {
    EXPECT_LT(to_columns(message).parts.value().size(), 200U);
    EXPECT_EQ(to_columns(message).tool_call_id, "c1");
    expect_round_trip(message);
  }
}

TEST(MessageCodec, a_result_comes_back_whatever_its_texts_look_like) {
  const std::vector<std::string> texts{
      "",          "grep",         " result:\n",       " failed: ",  "x failed:",
      "x result:", "x result:\ny", "Tool x failed: y", "nul\0byte"s, "\n"};
  for (const std::string& name : texts) {
    for (const std::string& content : texts) {
      for (const std::string& call_id : {""s, "call_1"s}) {
        expect_round_trip(Message::tool({call_id, name, content, false}));
        expect_round_trip(Message::tool({call_id, name, content, true}));
      }
    }
  }
}

TEST(MessageCodec, every_other_message_keeps_its_parts) {
  const std::vector<Message> messages{
      {Role::assistant, {}},
      {Role::assistant, {Text{"a"}, Text{"b"}}},
      {Role::assistant, {Text{""}, Text{""}}},
      {Role::assistant, {ToolCall{"c", "grep", "{}"}}},
      {Role::assistant, {ToolCall{"c", "grep", "{\"broken"}, ToolCall{"", "", "nul\0byte"s}}},
      {Role::assistant, {Text{"[Using tools]"}, ToolCall{"c", "grep", "\"quoted\""}}},
      {Role::assistant, {Reasoning{"thought", ""}, Text{"said"}}},
      {Role::assistant, {Reasoning{"", R"({"encrypted":"…"})"}}},
      {Role::user, {Image{"image/png", "aGVsbG8="}}},
      {Role::user, {Text{"look"}, Image{"image/jpeg", ""}}},
      {Role::user, {ToolResult{"c", "grep", "as a user", false}}},
      {Role::tool, {ToolResult{"c", "grep", "one", false}, ToolResult{"d", "ls", "two", true}}},
      {Role::tool, {ToolResult{"c", "grep", "one", false}, Text{"and"}}},
      {Role::assistant, {Text{"one", Text::Phase::final_answer}}},
      {Role::assistant, {Text{"one", {}, {{"https://a.example", "A", "quote", "{}"}}}}},
      {Role::user, {Notice{Notice::Kind::turn_paused, "[Go on.]"}}},
      {Role::assistant, {Text{"", Text::Phase::commentary}, Text{"b", Text::Phase::final_answer}}},
  };
  for (const Message& message : messages) {
    const MessageColumns columns = to_columns(message);
    ASSERT_TRUE(columns.parts.has_value()) << columns.content;
    EXPECT_TRUE(parse_json(*columns.parts).has_value());
    EXPECT_EQ(columns.tool_call_id, std::nullopt);
    expect_round_trip(message);
  }
  EXPECT_EQ(to_columns(messages[3]).content, kUsingTools);
}

TEST(MessageCodec, reads_a_tool_message_without_call_id_as_text) {
  const MessageColumns columns{"Tool grep result:\nfound", {}, {}};
  EXPECT_EQ(value_of(message_from(Role::tool, columns)),
            (Message{Role::tool, {Text{"Tool grep result:\nfound"}}}));
}

TEST(MessageCodec, reads_a_call_id_beside_other_content_as_text) {
  for (const std::string& content : {"changed by hand"s, "Tool without a marker"s}) {
    EXPECT_EQ(value_of(message_from(Role::tool, {content, {}, "c1"})),
              (Message{Role::tool, {Text{content}}}));
  }
}

TEST(MessageCodec, refuses_parts_that_are_broken) {
  for (const std::string& parts : {"["s, "{}"s, "[1]"s, R"([{"type":"song"}])"s}) {
    EXPECT_EQ(code_of(message_from(Role::user, {"x", parts, {}})), ErrorCode::invalid_json);
  }
}

TEST(JsonColumns, a_request_is_always_valid_json) {
  EXPECT_EQ(request_column(R"({ "a": 1.50 })"), R"({ "a": 1.50 })");
  EXPECT_EQ(request_column("{broken"), R"("{broken")");
  EXPECT_EQ(request_column(""), R"("")");
  EXPECT_EQ(request_column(R"("text")"), R"("\"text\"")");
  for (const std::string& arguments : {"{}"s, "{"s, "\xFF"s, "\0"s, "\"x\""s, "1 2"s}) {
    EXPECT_TRUE(parse_json(request_column(arguments)).has_value());
  }
}

TEST(JsonColumns, a_request_with_a_broken_string_is_an_error) {
  EXPECT_EQ(code_of(arguments_from("\"half")), ErrorCode::invalid_json);
}

}  // namespace
}  // namespace wright::store
