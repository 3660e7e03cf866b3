// Tiers, caches, budgets and files in the requests of every protocol.
#include <gtest/gtest.h>

#include "providers/attachment.h"
#include "providers/codec_testing.h"

namespace wright::providers {
namespace {

Endpoint with(std::string_view id, const std::function<void(Quirks&)>& change) {
  Endpoint endpoint = testing::endpoint_of(id);
  change(endpoint.model.quirks);
  return endpoint;
}

std::string body_text(const Endpoint& endpoint, const testing::Asked& asked) {
  const auto request = encode(endpoint, asked.request(), Delivery::whole);
  EXPECT_TRUE(request) << request.error().message;
  return request ? request->body : "";
}

constexpr std::array kIds{"openai:gpt-4o", "openai:gpt-5", "anthropic:claude-sonnet-4-5",
                          "bedrock:anthropic.claude-sonnet-4-5-20250929-v1:0"};

TEST(ServiceTier, is_sent_where_the_row_names_one_and_only_there) {
  const std::array expected{R"("service_tier":"flex")", R"("service_tier":"flex")",
                            R"("service_tier":"flex")", R"("serviceTier":{"type":"flex"})"};
  for (std::size_t i = 0; i < kIds.size(); ++i) {
    const auto tier = [](Quirks& quirks) { quirks.service_tier = "flex"; };
    EXPECT_TRUE(body_text(with(kIds[i], tier), {}).contains(expected[i])) << kIds[i];
    EXPECT_FALSE(body_text(with(kIds[i], [](Quirks&) {}), {}).contains("ier\"")) << kIds[i];
  }
}

TEST(PromptCache, lasts_as_long_as_the_row_says_or_is_off) {
  const testing::Asked asked{.system = "Be brief.", .tools = {Tool{{.name = "t"}, {}}}};
  const auto body = [&](std::string_view id, std::string_view time) {
    return body_text(with(id, [&](Quirks& quirks) { quirks.prompt_cache = time; }), asked);
  };
  EXPECT_TRUE(body(kIds[0], "24h").contains(R"("prompt_cache_retention":"24h")"));
  EXPECT_TRUE(body(kIds[1], "24h").contains(R"("prompt_cache_retention":"24h")"));
  EXPECT_TRUE(body(kIds[2], "1h").contains(R"({"type":"ephemeral","ttl":"1h"})"));
  EXPECT_TRUE(body(kIds[2], "").contains(R"({"type":"ephemeral"})"));
  EXPECT_FALSE(body(kIds[2], "off").contains("cache_control"));
  EXPECT_TRUE(body(kIds[3], "1h").contains(R"({"type":"default","ttl":"1h"})"));
  EXPECT_FALSE(body(kIds[3], "off").contains("cachePoint"));
}

TEST(ReasoningTokens, are_the_budget_in_place_of_the_efforts) {
  testing::Asked asked;
  asked.sampling.reasoning = ReasoningEffort::low;
  const auto body = [&](std::string_view id, std::string_view way, int tokens) {
    return body_text(with(id,
                          [&](Quirks& quirks) {
                            quirks.reasoning_request = way;
                            quirks.reasoning_tokens = tokens;
                          }),
                     asked);
  };
  EXPECT_TRUE(body(kIds[2], "thinking", 5000).contains(R"("budget_tokens":5000)"));
  EXPECT_TRUE(body(kIds[2], "thinking", 10).contains(R"("budget_tokens":1024)"));
  EXPECT_TRUE(body(kIds[3], "thinking", 5000).contains(R"("budget_tokens":5000)"));
  EXPECT_TRUE(body("gemini:gemini-2.5-pro", "thinking", 5000).contains(R"("thinkingBudget":5000)"));
}

TEST(Catalogue, refuses_a_time_for_the_cache_that_no_vendor_has) {
  Catalogue catalogue = Catalogue::built_in();
  EXPECT_TRUE(catalogue.add("[vendors.openai]\nprompt_cache = \"24h\"\n", "test"));
  EXPECT_FALSE(catalogue.add("[vendors.openai]\nprompt_cache = \"2 days\"\n", "test"));
  EXPECT_EQ(catalogue.find("openai:gpt-5")->model.quirks.prompt_cache, "24h");
  EXPECT_FALSE(catalogue.add("[vendors.zai]\npreserve_thinking = \"true\"\n", "test"));
}

testing::Asked with_file(std::string type) {
  return {.messages = {{Role::user, {Text{"Read this."}, Image{std::move(type), "QUJD"}}}}};
}

TEST(Files, a_pdf_is_written_as_each_protocol_wants_it) {
  const testing::Asked asked = with_file("application/pdf");
  const auto body = [&](std::string_view id) { return body_text(testing::endpoint_of(id), asked); };
  EXPECT_TRUE(body(kIds[0]).contains(
      R"({"type":"file","file":{"filename":"document.pdf","file_data":"data:application/pdf;base64,QUJD"}})"));
  EXPECT_TRUE(body(kIds[1]).contains(
      R"({"type":"input_file","filename":"document.pdf","file_data":"data:application/pdf;base64,QUJD"})"));
  EXPECT_TRUE(body(kIds[2]).contains(
      R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"QUJD"})"));
  EXPECT_TRUE(body(kIds[3]).contains(
      R"({"document":{"format":"pdf","name":"document-1","source":{"bytes":"QUJD"}}})"));
  EXPECT_TRUE(body("gemini:gemini-2.5-pro")
                  .contains(R"({"inlineData":{"mimeType":"application/pdf","data":"QUJD"}})"));
}

TEST(Files, audio_is_sent_where_the_protocol_has_it_and_refused_elsewhere) {
  const testing::Asked asked = with_file("audio/mpeg");
  EXPECT_TRUE(
      body_text(testing::endpoint_of(kIds[0]), asked)
          .contains(R"({"type":"input_audio","input_audio":{"data":"QUJD","format":"mp3"}})"));
  for (const char* id : {kIds[1], kIds[2]}) {
    const auto refused = encode(testing::endpoint_of(id), asked.request(), Delivery::whole);
    ASSERT_FALSE(refused) << id;
    EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
    EXPECT_TRUE(refused.error().message.contains("audio/mpeg")) << refused.error().message;
  }
}

TEST(Files, what_no_vendor_reads_is_refused) {
  for (const char* id : kIds) {
    EXPECT_FALSE(
        encode(testing::endpoint_of(id), with_file("application/zip").request(), Delivery::whole));
  }
}

}  // namespace
}  // namespace wright::providers
