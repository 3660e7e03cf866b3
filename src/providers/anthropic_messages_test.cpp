#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "providers/codec_testing.h"
#include "providers/opaque_block.h"
#include "providers/wire_ids.h"

namespace wright::providers {
namespace {

using namespace testing;

const Tool kTool{{.name = "look", .description = "Looks"}, {}};

Json body_of(std::string_view id, const Asked& asked) {
  return testing::body_of(kAnthropicMessages, endpoint_of(id), asked);
}

TEST(AnthropicMessages, never_sets_more_than_four_marks_for_the_cache) {
  Asked asked{.system = "Be kind.", .tools = {kTool, kTool.as("see")}};
  for (int i = 0; i < 30; ++i) {
    const std::string id = "call_" + std::to_string(i);
    asked.messages.push_back({Role::assistant, {ToolCall{id, "look", "{}"}}});
    asked.messages.push_back(Message::tool({.call_id = id, .name = "look", .content = "x"}));
  }
  EXPECT_EQ(count_of(body_of("anthropic:claude-sonnet-4-5", asked), "cache_control"), 4);
}

// What the vendor's document forbids, for every model, effort and choice.
TEST(AnthropicMessages, asks_no_model_for_what_it_refuses) {
  for (const ModelInfo& model : Catalogue::built_in().models()) {
    if (model.vendor != "anthropic") continue;
    for (const int effort : {-1, 0, 1, 2, 3}) {
      for (const ToolChoice& choice : {ToolChoice::automatic(), ToolChoice::required(),
                                       ToolChoice::none(), ToolChoice::one("look")}) {
        Asked asked{.tools = {kTool}};
        asked.sampling.temperature = 0.5;
        asked.sampling.tool_choice = choice;
        if (effort >= 0) asked.sampling.reasoning = static_cast<ReasoningEffort>(effort);
        const JsonObject body = body_of("anthropic:" + model.name, asked).as_object();
        const std::int64_t max_tokens = body.at("max_tokens").as_int64();
        EXPECT_LE(max_tokens, model.max_output_tokens) << model.name;
        std::string thinking;
        if (const Json* config = body.if_contains("thinking")) {
          thinking = config->at("type").as_string();
          EXPECT_EQ(thinking == "enabled", model.quirks.reasoning_request == "thinking");
          if (thinking == "enabled") {
            EXPECT_GE(config->at("budget_tokens").as_int64(), 1024);
            EXPECT_LT(config->at("budget_tokens").as_int64(), max_tokens);
          }
        }
        const bool is_thinking = thinking == "enabled" || thinking == "adaptive";
        const Json* chosen = body.if_contains("tool_choice");
        const bool is_forced =
            chosen != nullptr && (chosen->at("type") == "any" || chosen->at("type") == "tool");
        EXPECT_FALSE(is_thinking && is_forced) << model.name;
        EXPECT_FALSE(is_thinking && body.contains("temperature")) << model.name;
        EXPECT_FALSE(!model.quirks.supports_temperature && body.contains("temperature"));
      }
    }
  }
}

TEST(AnthropicMessages, thinks_only_where_there_is_room_for_it) {
  Endpoint endpoint = endpoint_of("anthropic:claude-sonnet-4-5");
  Asked asked;
  asked.sampling.reasoning = ReasoningEffort::high;
  endpoint.model.max_output_tokens = 3000;
  const Json narrow = testing::body_of(kAnthropicMessages, endpoint, asked);
  EXPECT_EQ(narrow.at("max_tokens"), 3000);
  EXPECT_EQ(narrow.at("thinking").at("budget_tokens"), 2999);
  endpoint.model.max_output_tokens = 1024;
  const Json none = testing::body_of(kAnthropicMessages, endpoint, asked);
  EXPECT_EQ(none.at("max_tokens"), 1024);
  EXPECT_FALSE(none.as_object().contains("thinking"));
}

TEST(AnthropicMessages, sends_valid_text_whatever_it_is_given) {
  const Json body = body_of("anthropic:claude-opus-5-5", with_bytes_that_are_no_text());
  EXPECT_EQ(body.at("messages").as_array().size(), 3U);
}

TEST(AnthropicMessages, asks_a_model_to_go_on_that_refuses_to_be_led) {
  const Json body = body_of("anthropic:claude-opus-5-5",
                            {.messages = {Message::user("Hi"), Message::assistant("Well ")}});
  EXPECT_EQ(body.at("messages").as_array().back().at("role"), "user");
}

TEST(AnthropicMessages, refuses_images_for_a_model_without_eyes) {
  Endpoint endpoint = endpoint_of("anthropic:claude-sonnet-4-5");
  endpoint.model.quirks.supports_images = false;
  const Asked asked{.messages = {{Role::user, {Image{"image/png", "AA=="}}}}};
  const auto request = encode(endpoint, asked.request(), Delivery::whole);
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, ErrorCode::unsupported);
}

TEST(AnthropicMessages, tells_a_model_without_eyes_that_a_result_had_an_image) {
  Endpoint endpoint = endpoint_of("anthropic:claude-sonnet-4-5");
  endpoint.model.quirks.supports_images = false;
  const Asked asked{
      .messages = {
          Message::user("Hi"),
          {Role::assistant, {ToolCall{"1", "look", "{}"}}},
          Message::tool({.call_id = "1", .name = "look", .images = {Image{"image/png", "AA=="}}})}};
  const Json body = testing::body_of(kAnthropicMessages, endpoint, asked);
  EXPECT_EQ(body.at("messages").at(2).at("content").at(0).at("content"),
            "\n[An image was left out: this model reads no images]");
}

TEST(AnthropicMessages, marks_its_key_as_secret_and_sends_none_where_there_is_none) {
  Endpoint endpoint = endpoint_of("anthropic:claude-sonnet-4-5");
  const Asked asked;
  auto request =
      providers::testing::encoded(kAnthropicMessages, endpoint, asked.request(), Delivery::whole);
  ASSERT_TRUE(request);
  EXPECT_EQ(find_header(request->headers, "x-api-key"), "");
  endpoint.key = "hush";
  request =
      providers::testing::encoded(kAnthropicMessages, endpoint, asked.request(), Delivery::whole);
  ASSERT_TRUE(request);
  for (const HttpHeader& header : request->headers) {
    EXPECT_EQ(header.is_secret, header.value == "hush") << header.name;
  }
  EXPECT_EQ(request->body.find("hush"), std::string::npos);
}

TEST(AnthropicAnswer, refuses_events_that_cannot_be_put_together) {
  const auto response =
      decoded(kAnthropicMessages, endpoint_of("anthropic:claude-sonnet-4-5"), {},
              "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":"
              "\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n");
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::protocol);
}

TEST(AnthropicAnswer, is_not_complete_while_a_block_is_open) {
  const auto response =
      decoded(kAnthropicMessages, endpoint_of("anthropic:claude-sonnet-4-5"), {},
              "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
              "\"tool_use\",\"id\":\"a\",\"name\":\"look\",\"input\":{}}}\n\n"
              "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n"
              "data: {\"type\":\"message_stop\"}\n\n");
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::answer_cut);
}

TEST(WireIds, are_allowed_unlike_each_other_and_the_same_for_call_and_result) {
  WireIds ids;
  EXPECT_EQ(ids.of_call("toolu_1"), "toolu_1");
  EXPECT_EQ(ids.of_call("a|b"), "a_b");
  EXPECT_EQ(ids.of_call("a:b"), "a_b_2");
  EXPECT_EQ(ids.of_call(""), "call");
  EXPECT_EQ(ids.of_result("a|b"), "a_b");
  EXPECT_EQ(ids.of_result("a:b"), "a_b_2");
  EXPECT_EQ(ids.of_result("größe"), "gr____e");
  EXPECT_EQ(ids.of_call("toolu_1"), "toolu_1_2");  // said again: the later one counts
  EXPECT_EQ(ids.of_result("toolu_1"), "toolu_1_2");
}

TEST(OpaqueBlock, goes_back_to_where_it_came_from_only) {
  const Json block = JsonObject{{"type", "thinking"}};
  const Reasoning reasoning{"", opaque_text(Protocol::anthropic_messages, "a", block)};
  EXPECT_EQ(opaque_block(reasoning, Protocol::anthropic_messages, "a"), block);
  EXPECT_FALSE(opaque_block(reasoning, Protocol::anthropic_messages, "b"));
  EXPECT_FALSE(opaque_block(reasoning, Protocol::gemini_generate, "a"));
  for (const std::string_view broken :
       {"", "{", "[]", "null", R"({"protocol":"anthropic-messages","model":"a","block":3})",
        R"({"protocol":"anthropic-messages","model":"a"})", "\xFF"}) {
    EXPECT_FALSE(opaque_block({"", std::string(broken)}, Protocol::anthropic_messages, "a"));
  }
}

}  // namespace
}  // namespace wright::providers
