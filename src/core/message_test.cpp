#include "wright/message.h"

#include <gtest/gtest.h>

#include <limits>

#include "wright/testing.h"
#include "wright/tool.h"

namespace wright {
namespace {

Message message_with_every_part() {
  return {Role::assistant,
          {Reasoning{"think", R"({"signature":"s"})"}, Text{"Hello "}, Image{"image/png", "AAAA"},
           ToolCall{"1", "grep", "{\"broken"}, Text{"there"}, ToolResult{"0", "x", "y", true}}};
}

TEST(Message, round_trips_every_kind_of_part) {
  const Message message = message_with_every_part();
  const auto copy = message_from_json(*parse_json(to_text(to_json(message))));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(*copy, message);
}

TEST(Message, joins_its_text_and_lists_its_calls) {
  const Message message = message_with_every_part();
  EXPECT_EQ(message.text(), "Hello there");
  ASSERT_EQ(message.tool_calls().size(), 1U);
  EXPECT_EQ(message.tool_calls()[0].name, "grep");
  const Response response = testing::calls({testing::call("a")}, "Hm");
  EXPECT_EQ(response.text(), "Hm");
  EXPECT_EQ(response.tool_calls().size(), 1U);
}

TEST(Message, keeps_remarks_apart_from_the_answer) {
  const Text remark{"I look.", Text::Phase::commentary};
  const Text answer{"Empty.", Text::Phase::final_answer};
  const Message both{Role::assistant, {remark, answer}};
  EXPECT_EQ(both.text(), "I look.\n\nEmpty.");
  EXPECT_EQ(both.answer(), "Empty.");
  EXPECT_EQ(display_text(both), "I look.\n\nEmpty.");
  EXPECT_EQ((Message{Role::assistant, {remark}}.answer()), "I look.");  // there is nothing else
  EXPECT_EQ((Message{Role::assistant, {Text{"a"}, Text{""}, Text{"b"}}}.answer()), "ab");
  EXPECT_EQ((Message{Role::assistant, {Text{"a"}, Text{}, answer, Text{"b"}}}.text()),
            "a\n\nEmpty.\n\nb");
  const auto copy = message_from_json(*parse_json(to_text(to_json(both))));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(*copy, both);
  Response response;
  response.content = both.parts;
  EXPECT_EQ(response.answer(), "Empty.");
  EXPECT_EQ(response.commentary(), "I look.");
  response.content = {remark};
  EXPECT_EQ(response.commentary(), "");
}

TEST(ToolResult, keeps_its_origin_whatever_its_words_are) {
  using Origin = ToolResult::Origin;
  for (const Origin origin : {Origin::tool, Origin::not_run, Origin::refused}) {
    for (const char* words : {"Not run: the disk is full", "A person refused to pay", "Oops"}) {
      for (const bool is_error : {true, false}) {
        const Message message = Message::tool({.call_id = "1",
                                               .name = "pay",
                                               .content = words,
                                               .is_error = is_error,
                                               .origin = origin});
        const auto copy = message_from_json(*parse_json(to_text(to_json(message))));
        ASSERT_TRUE(copy) << copy.error().message;
        EXPECT_EQ(*copy, message) << words;
      }
    }
  }
}

TEST(Usage, stops_at_the_largest_number) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  Usage usage{.input_tokens = kLargest, .output_tokens = 1};
  usage += Usage{.input_tokens = kLargest, .output_tokens = 2};
  EXPECT_EQ(usage.input_tokens, kLargest);
  EXPECT_EQ(usage.output_tokens, 3);
}

TEST(ToolResult, has_the_origin_that_its_words_said_in_older_versions) {
  const auto origin_of = [](const std::string& words) {
    const auto message = message_from_json(*parse_json(
        R"({"role":"tool","parts":[{"type":"tool_result","call_id":"1","name":"a","content":")" +
        words + R"(","is_error":true}]})"));
    return std::get<ToolResult>(message.value().parts.front()).origin;
  };
  EXPECT_EQ(origin_of("Not run: the limit of 2 tool calls was reached"),
            ToolResult::Origin::not_run);
  EXPECT_EQ(origin_of("A person refused this call of a"), ToolResult::Origin::refused);
  EXPECT_EQ(origin_of("The file is not there"), ToolResult::Origin::tool);
}

TEST(Message, refuses_a_phase_that_it_does_not_know) {
  for (const std::string_view phase : {R"("musing")", "1", "null"}) {
    const std::string part = R"({"type":"text","text":"a","phase":)" + std::string(phase) + "}";
    EXPECT_FALSE(message_from_json(*parse_json(R"({"role":"assistant","parts":[)" + part + "]}")))
        << phase;
  }
}

TEST(Message, keeps_and_shows_what_its_text_cites) {
  const Citation page{"https://a.example/x", "A page", "It is.", R"({"block":{}})"};
  const Citation untitled{.url = "https://b.example"};
  const Message message{Role::assistant,
                        {Text{"It is so.", {}, {page, page}}, Text{" Or not.", {}, {untitled}}}};
  EXPECT_EQ(message.text(), "It is so. Or not.");
  EXPECT_EQ(display_text(message),
            "It is so. Or not.\n\nSources:\n[1] A page <https://a.example/x>\n[2] "
            "https://b.example");
  const auto copy = message_from_json(*parse_json(to_text(to_json(message))));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(*copy, message);
  for (const std::string_view cited : {"1", "[1]", R"([{"url":1}])", R"({"url":""})"}) {
    EXPECT_FALSE(message_from_json(
        *parse_json(R"({"role":"assistant","parts":[{"type":"text","text":"a","citations":)" +
                    std::string(cited) + "}]}")))
        << cited;
  }
}

TEST(Message, is_shown_with_the_words_people_know) {
  EXPECT_EQ(display_text(Message::user("Hi")), "Hi");
  EXPECT_EQ(display_text(Message::assistant("")), "");
  EXPECT_EQ(display_text({Role::assistant, {ToolCall{"1", "a", "{}"}}}), "[Using tools]");
  EXPECT_EQ(display_text({Role::assistant, {Text{"Hm"}, ToolCall{"1", "a", "{}"}}}), "Hm");
  EXPECT_EQ(display_text(Message::tool({"1", "grep", "{}", false})), "Tool grep result:\n{}");
  EXPECT_EQ(display_text(Message::tool({"1", "grep", "bad", true})), "Tool grep failed: bad");
  EXPECT_EQ(display_text({Role::user, {Image{"image/png", ""}}}), "[image]");
  EXPECT_EQ(display_text(
                {Role::tool, {ToolResult{"1", "a", "x", false}, ToolResult{"2", "b", "y", true}}}),
            "Tool a result:\nx\nTool b failed: y");
}

TEST(Message, refuses_broken_json) {
  for (
      const std::string text :
      {R"([])", R"({"role":"user"})", R"({"role":1,"parts":[]})", R"({"role":"king","parts":[]})",
       R"({"role":"user","parts":{}})", R"({"role":"user","parts":[1]})",
       R"({"role":"user","parts":[{"type":"song"}]})",
       R"({"role":"user","parts":[{"type":"text"}]})",
       R"({"role":"user","parts":[{"type":"tool_call","id":"1","name":2,"arguments":""}]})",
       R"({"role":"tool","parts":[{"type":"tool_result","call_id":"","name":"","content":"","is_error":1}]})"}) {
    EXPECT_FALSE(message_from_json(*parse_json(text))) << text;
  }
}

TEST(Names, round_trip) {
  for (const Role role : {Role::user, Role::assistant, Role::system, Role::tool}) {
    EXPECT_EQ(role_from(to_string(role)), role);
  }
  EXPECT_FALSE(role_from("king"));
  EXPECT_EQ(to_string(StopReason::max_tokens), "max_tokens");
  EXPECT_EQ(to_string(StopReason::content_filter), "content_filter");
  EXPECT_EQ(to_string(Effect::read), "read");
  EXPECT_EQ(to_string(Effect::idempotent), "idempotent");
  EXPECT_EQ(to_string(Effect::write), "write");
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    EXPECT_EQ(error_code_from(to_string(static_cast<ErrorCode>(code))),
              static_cast<ErrorCode>(code));
  }
  EXPECT_FALSE(error_code_from("odd"));
}

TEST(Usage, adds_up_and_round_trips) {
  Usage usage{1, 2, 3, 4};
  usage += Usage{10, 20, 30, 40};
  EXPECT_EQ(usage, (Usage{11, 22, 33, 44}));
  EXPECT_EQ(usage_from_json(to_json(usage)), usage);
  EXPECT_EQ(usage_from_json(JsonObject{}), Usage{});
  EXPECT_FALSE(usage_from_json(Json(1)));
  EXPECT_FALSE(usage_from_json(JsonObject{{"output_tokens", 1.5}}));
}

TEST(ScriptedModel, tells_remarks_from_the_answer_as_it_speaks) {
  Response turn;
  turn.content = {Text{"I look.", Text::Phase::commentary}, ToolCall{"1", "look", "{}"},
                  Text{"It is", Text::Phase::final_answer}, Text{}, Text{"so."}};
  testing::ScriptedModel script({turn});
  std::vector<std::pair<std::string, Text::Phase>> told;
  const ModelCall call{
      .on_text = [&](TextPiece piece) { told.emplace_back(piece.text, piece.phase); }};
  const auto response = script.model().complete({}, call);
  ASSERT_TRUE(response);
  EXPECT_EQ(told,
            (std::vector<std::pair<std::string, Text::Phase>>{{"I look.", Text::Phase::commentary},
                                                              {"\n\n", Text::Phase::commentary},
                                                              {"It is", Text::Phase::final_answer},
                                                              {"\n\n", Text::Phase::final_answer},
                                                              {"so.", Text::Phase::unmarked}}));
  std::string all;
  for (const auto& [words, phase] : told) all += words;
  EXPECT_EQ(all, response->text());
}

TEST(ScriptedModel, follows_its_script_and_keeps_what_it_was_asked) {
  testing::ScriptedModel script({testing::says("one"), fail(ErrorCode::timeout, "slow")});
  const std::vector<Message> messages{Message::user("Hi")};
  std::string streamed;
  const ModelCall call{.on_text = [&](std::string_view text) { streamed += text; }};
  EXPECT_EQ(script.model().complete({.messages = messages}, call)->text(), "one");
  EXPECT_EQ(streamed, "one");
  EXPECT_EQ(script.turns_left(), 1U);
  EXPECT_EQ(script.model().complete({}).error().code, ErrorCode::timeout);
  EXPECT_NE(script.model().complete({}).error().message.find("request 3"), std::string::npos);
  EXPECT_EQ(script.turns_left(), 0U);
  EXPECT_EQ(script.requests()[0], messages);
}

}  // namespace
}  // namespace wright
