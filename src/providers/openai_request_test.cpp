// What holds for the requests of both of OpenAI's protocols; the bytes themselves are compared by
// the golden exchanges.
#include "providers/openai_request.h"

#include <gtest/gtest.h>

#include "wright/tool.h"

namespace wright::providers {
namespace {

Endpoint endpoint(Protocol protocol) {
  Endpoint endpoint;
  endpoint.vendor.protocol = protocol;
  endpoint.vendor.base_url = "http://localhost/v1";
  endpoint.model.name = "m";
  endpoint.model.quirks.strict_schemas = true;
  endpoint.model.quirks.return_reasoning = Quirks::ReturnReasoning::always;
  return endpoint;
}

std::vector<Message> long_history() {
  std::vector<Message> messages;
  for (int i = 0; i < 5; ++i) {
    const std::string id = "call_" + std::to_string(i);
    messages.push_back(Message::user("Question " + std::to_string(i)));
    messages.push_back(
        {Role::assistant,
         {Reasoning{"Hm.", ""}, Text{"I look."}, ToolCall{id, "a.b", "{\"x\": 1}"}}});
    messages.push_back(Message::tool({.call_id = id, .name = "a.b", .content = "found"}));
    messages.push_back(Message::assistant("Answer"));
  }
  return messages;
}

// The request up to the end of its messages, without the bracket.
std::string beginning(const Endpoint& endpoint, std::span<const Message> messages,
                      std::span<const Tool> tools) {
  const Sampling sampling;
  const auto request =
      encode(endpoint, {.messages = messages, .system = "S", .tools = tools, .sampling = &sampling},
             Delivery::streamed);
  EXPECT_TRUE(request);
  const std::string body = request ? request->body : "";
  const std::size_t end = body.find("],\"tools\":");
  EXPECT_NE(end, std::string::npos) << body;
  return body.substr(0, end);
}

TEST(OpenAiRequests, leave_out_an_answer_that_says_nothing) {
  const std::vector<Message> messages{
      Message::user("Hi"), {Role::assistant, {}}, Message::user("Are you there?")};
  for (const Protocol protocol : {Protocol::openai_chat, Protocol::openai_responses}) {
    const auto request = encode(endpoint(protocol), {.messages = messages}, Delivery::whole);
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_TRUE(request->body.contains("Are you there?"));
    EXPECT_FALSE(request->body.contains("assistant")) << request->body;
  }
}

TEST(OpenAiRequests, begin_with_the_bytes_of_the_turn_before) {
  const std::vector<Tool> tools{{{.name = "a.b"}, {}}, {{.name = "c"}, {}}};
  const std::vector<Message> messages = long_history();
  for (const Protocol protocol : {Protocol::openai_chat, Protocol::openai_responses}) {
    std::string before = beginning(endpoint(protocol), std::span(messages).first(1), tools);
    for (std::size_t count = 2; count <= messages.size(); ++count) {
      // Calls are answered before the model is asked again; here they would be answered for it.
      if (!messages[count - 1].tool_calls().empty()) continue;
      std::string now = beginning(endpoint(protocol), std::span(messages).first(count), tools);
      EXPECT_GT(now.size(), before.size());
      EXPECT_TRUE(now.starts_with(before)) << now << "\n" << before;
      before = std::move(now);
    }
  }
}

TEST(OpenAiRequests, are_json_whatever_the_text_is) {
  const std::vector<Message> messages{
      Message::user(std::string("\xff\xfe\0\"\\\n", 6)),
      {Role::assistant, {ToolCall{"\xff", "\xff\"", "\xff"}}},
      Message::tool(
          {.call_id = "\xff", .name = "\xff\"", .content = "\xff", .images = {{"\xff", "\""}}}),
      {Role::assistant, {}},
      {Role::user, {}}};
  for (const Protocol protocol : {Protocol::openai_chat, Protocol::openai_responses}) {
    const auto request =
        encode(endpoint(protocol), {.messages = messages, .system = "\xff"}, Delivery::whole);
    ASSERT_TRUE(request);
    EXPECT_TRUE(parse_json(request->body)) << request->body;
  }
}

TEST(OpenAiRequests, refuse_tools_where_the_model_can_call_none) {
  Endpoint blunt = endpoint(Protocol::openai_chat);
  blunt.model.quirks.supports_tools = false;
  const std::vector<Tool> tools{{{.name = "a"}, {}}};
  const auto refused = encode(blunt, {.tools = tools}, Delivery::whole);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  Sampling no_calls;
  no_calls.tool_choice = ToolChoice::none();
  const auto sent = encode(blunt, {.tools = tools, .sampling = &no_calls}, Delivery::whole);
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->body.find("tools"), std::string::npos);
}

TEST(WireCallIds, are_left_alone_where_they_are_allowed) {
  constexpr CallIdRule kNine{Quirks::CallIds::nine_alphanumeric, kLongestChatCallId};
  constexpr CallIdRule kAny{Quirks::CallIds::any, kLongestChatCallId};
  EXPECT_EQ(wire_call_id("call_1", kAny), "call_1");
  EXPECT_EQ(wire_call_id("D681PevKs", kNine), "D681PevKs");
  const std::string mapped = wire_call_id("call_1", kNine);
  EXPECT_EQ(mapped.size(), 9U);
  EXPECT_EQ(mapped, wire_call_id("call_1", kNine));
  EXPECT_NE(mapped, wire_call_id("call_2", kNine));
  EXPECT_EQ(wire_call_id(std::string(41, 'x'), kAny).size(), 9U);
  const std::string long_id(kLongestResponsesCallId, 'x');
  constexpr CallIdRule kResponses{Quirks::CallIds::any, kLongestResponsesCallId};
  EXPECT_EQ(wire_call_id(long_id, kResponses), long_id);
  EXPECT_EQ(wire_call_id(long_id + "x", kResponses).size(), 9U);
}

}  // namespace
}  // namespace wright::providers
