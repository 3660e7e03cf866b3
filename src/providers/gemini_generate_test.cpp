#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "providers/codec_testing.h"

namespace wright::providers {
namespace {

using namespace testing;

std::string url_of(std::string_view model, Delivery delivery) {
  const Asked asked;
  Endpoint endpoint = endpoint_of("gemini:gemini-2.5-pro");
  endpoint.model.name = model;
  const auto request =
      providers::testing::encoded(kGeminiGenerate, endpoint, asked.request(), delivery);
  return request ? request->url : request.error().message;
}

TEST(GeminiGenerate, puts_the_model_into_the_path_and_nothing_beside_it) {
  const std::string base = "https://generativelanguage.googleapis.com/v1beta/models/";
  EXPECT_EQ(url_of("gemini-2.5-pro", Delivery::whole), base + "gemini-2.5-pro:generateContent");
  EXPECT_EQ(url_of("models/gemini-2.5-pro", Delivery::streamed),
            base + "gemini-2.5-pro:streamGenerateContent?alt=sse");
  EXPECT_EQ(url_of("../../evil?key=1#x", Delivery::whole),
            base + "..%2F..%2Fevil%3Fkey%3D1%23x:generateContent");
}

TEST(GeminiGenerate, never_puts_the_key_into_the_address) {
  Endpoint endpoint = endpoint_of("gemini:gemini-2.5-pro");
  endpoint.key = "hush";
  const Asked asked;
  const auto request =
      providers::testing::encoded(kGeminiGenerate, endpoint, asked.request(), Delivery::streamed);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->url.find("hush"), std::string::npos);
  EXPECT_EQ(find_header(request->headers, "x-goog-api-key"), "hush");
  for (const HttpHeader& header : request->headers) {
    EXPECT_EQ(header.is_secret, header.value == "hush") << header.name;
  }
}

TEST(GeminiGenerate, sends_valid_text_whatever_it_is_given) {
  const Json body =
      body_of(kGeminiGenerate, endpoint_of("gemini:new"), with_bytes_that_are_no_text());
  EXPECT_EQ(body.at("contents").as_array().size(), 3U);
}

TEST(GeminiGenerate, answers_every_call_once_even_when_results_were_lost) {
  const Asked asked{
      .messages = {Message::user("Hi"),
                   {Role::assistant, {ToolCall{"1", "look", "{}"}, ToolCall{"2", "look", "{}"}}},
                   Message::tool({.call_id = "2", .name = "look"}),
                   Message::user("And?")}};
  const Json body = body_of(kGeminiGenerate, endpoint_of("gemini:new"), asked);
  EXPECT_EQ(count_of(body, "functionCall"), 2);
  EXPECT_EQ(count_of(body, "functionResponse"), 2);
  EXPECT_EQ(count_of(body, "thoughtSignature"), 1);  // on the first call of a turn only
}

TEST(GeminiGenerate, leaves_the_stand_in_for_a_signature_to_models_that_want_one) {
  const Asked asked{.messages = {Message::user("Hi"),
                                 {Role::assistant, {ToolCall{"1", "look", "{}"}}},
                                 Message::tool({.call_id = "1", .name = "look"})}};
  EXPECT_EQ(count_of(body_of(kGeminiGenerate, endpoint_of("gemini:gemini-2.5-pro"), asked),
                     "thoughtSignature"),
            0);
}

TEST(GeminiGenerate, says_every_effort_as_the_model_wants_it) {
  const auto thinking = [](std::string_view id, ReasoningEffort effort) {
    Asked asked;
    asked.sampling.reasoning = effort;
    const Json body = body_of(kGeminiGenerate, endpoint_of(id), asked);
    const Json* config = body.at("generationConfig").as_object().if_contains("thinkingConfig");
    return config == nullptr ? "none" : to_text(*config);
  };
  EXPECT_EQ(thinking("gemini:gemini-2.5-flash", ReasoningEffort::none), R"({"thinkingBudget":0})");
  EXPECT_EQ(thinking("gemini:gemini-2.5-pro", ReasoningEffort::none), R"({"thinkingBudget":128})");
  EXPECT_EQ(thinking("gemini:gemini-2.5-pro", ReasoningEffort::low),
            R"({"thinkingBudget":2048,"includeThoughts":true})");
  EXPECT_EQ(thinking("gemini:gemini-3.6-flash", ReasoningEffort::none),
            R"({"thinkingLevel":"MINIMAL"})");
  EXPECT_EQ(thinking("gemini:gemini-3.1-pro-preview", ReasoningEffort::none),
            R"({"thinkingLevel":"LOW"})");
  EXPECT_EQ(thinking("gemini:gemini-3.1-pro-preview", ReasoningEffort::medium),
            R"({"thinkingLevel":"MEDIUM","includeThoughts":true})");
  EXPECT_EQ(thinking("gemini:gemini-2.0-flash", ReasoningEffort::high), "none");
}

TEST(GeminiAnswer, takes_every_reason_to_stop_for_what_it_means) {
  const auto stop = [](std::string_view reason) -> std::string {
    const auto response =
        decoded(kGeminiGenerate, endpoint_of("gemini:new"), {},
                "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]},"
                "\"finishReason\":\"" +
                    std::string(reason) + "\"}]}\n\n");
    return std::string(response ? to_string(response->stop_reason)
                                : to_string(response.error().code));
  };
  EXPECT_EQ(stop("STOP"), "end_turn");
  EXPECT_EQ(stop("MAX_TOKENS"), "max_tokens");
  for (const std::string_view reason :
       {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"}) {
    EXPECT_EQ(stop(reason), "content_filter") << reason;
  }
  EXPECT_EQ(stop("MALFORMED_FUNCTION_CALL"), "answer_cut");
  EXPECT_EQ(stop("MISSING_THOUGHT_SIGNATURE"), "protocol");
  EXPECT_EQ(stop("OTHER"), "other");
  EXPECT_EQ(stop("A_REASON_YET_TO_COME"), "other");
  EXPECT_EQ(stop("FINISH_REASON_UNSPECIFIED"), "answer_cut");
}

}  // namespace
}  // namespace wright::providers
