#include "providers/model_list.h"

#include <gtest/gtest.h>

#include "providers/codec_testing.h"

namespace wright::providers {
namespace {

Endpoint keyed(std::string_view id) {
  Endpoint endpoint = testing::endpoint_of(id);
  endpoint.key = "secret";
  return endpoint;
}

TEST(ModelList, is_asked_for_where_each_protocol_has_it) {
  const auto url = [](std::string_view id, std::string_view page = "") {
    const auto request = encode_model_list(keyed(id), page);
    EXPECT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->method, "GET");
    EXPECT_EQ(request->body, "");
    return request->url;
  };
  EXPECT_EQ(url("openai:x"), "https://api.openai.com/v1/models");
  EXPECT_EQ(url("anthropic:x"), "https://api.anthropic.com/v1/models?limit=1000");
  EXPECT_EQ(url("anthropic:x", "a b"),
            "https://api.anthropic.com/v1/models?limit=1000&after_id=a%20b");
  EXPECT_EQ(url("gemini:x"),
            "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000");
  EXPECT_EQ(url("ollama:x"), "http://localhost:11434/api/tags");
  EXPECT_EQ(url("bedrock:x"), "https://bedrock.{region}.amazonaws.com/foundation-models");
  EXPECT_FALSE(encode_model_list(keyed("vertex:x"), ""));
}

TEST(ModelList, is_read_in_every_form) {
  const auto read = [](std::string_view id, std::string_view body) {
    const auto page = decode_model_list(keyed(id), body);
    EXPECT_TRUE(page) << page.error().message;
    return page.value_or(ModelListPage{});
  };
  // OpenAI, Groq, OpenRouter and Together, each with what it says beside the name.
  EXPECT_EQ(read("openai:x", R"({"object":"list","data":[{"id":"a"},{"object":"model"}]})").models,
            (std::vector<ListedModel>{{.name = "a"}}));
  EXPECT_EQ(read("groq:x",
                 R"({"data":[{"id":"a","context_window":131072,"max_completion_tokens":32768}]})")
                .models,
            (std::vector<ListedModel>{
                {.name = "a", .context_tokens = 131072, .max_output_tokens = 32768}}));
  EXPECT_EQ(
      read("openrouter:x",
           R"({"data":[{"id":"a/b","context_length":200000,)"
           R"("top_provider":{"max_completion_tokens":64000},"pricing":{"prompt":"0.000003",)"
           R"("completion":"0.000015","input_cache_read":"0.0000003"}}]})")
          .models,
      (std::vector<ListedModel>{{.name = "a/b",
                                 .context_tokens = 200000,
                                 .max_output_tokens = 64000,
                                 .price = Price{.input = 3, .output = 15, .cached_input = 0.3}}}));
  EXPECT_EQ(
      read("together:x",
           R"([{"id":"a","context_length":1024,"pricing":{"input":0.15,"output":0.6}}])")
          .models,
      (std::vector<ListedModel>{
          {.name = "a", .context_tokens = 1024, .price = Price{.input = 0.15, .output = 0.6}}}));
  const auto gemini =
      read("gemini:x", R"({"models":[{"name":"models/gemini-9","inputTokenLimit":1048576,)"
                       R"("outputTokenLimit":65536}],"nextPageToken":"n"})");
  EXPECT_EQ(gemini.models,
            (std::vector<ListedModel>{
                {.name = "gemini-9", .context_tokens = 1048576, .max_output_tokens = 65536}}));
  EXPECT_EQ(gemini.next, "n");
  const auto anthropic =
      read("anthropic:x", R"({"data":[{"id":"c"}],"has_more":true,"last_id":"c"})");
  EXPECT_EQ(anthropic.next, "c");
  EXPECT_EQ(read("anthropic:x", R"({"data":[{"id":"c"}],"has_more":false,"last_id":"c"})").next,
            "");
  EXPECT_EQ(read("bedrock:x", R"({"modelSummaries":[{"modelId":"amazon.nova-lite-v1:0"}]})")
                .models.front()
                .name,
            "amazon.nova-lite-v1:0");
}

TEST(ModelList, nonsense_is_an_error_and_odd_prices_are_unknown) {
  for (const std::string_view body :
       {"", "{}", "3", "<html>", "{\"data\":7}", "\xFF", "[", "{\"data\":null}"}) {
    EXPECT_FALSE(decode_model_list(keyed("openai:x"), body)) << body;
  }
  for (const char* price : {"\"-1\"", "\"abc\"", "\"1e999\"", "null", "{}", "\"\"", "\"0.1x\""}) {
    const auto page = decode_model_list(
        keyed("openrouter:x"), std::string(R"({"data":[{"id":"a","pricing":{"prompt":)") + price +
                                   R"(,"completion":"1"}}]})");
    ASSERT_TRUE(page);
    EXPECT_FALSE(page->models.front().price) << price;
  }
}

TEST(ModelList, is_compared_field_by_field) {
  Catalogue catalogue;
  ASSERT_TRUE(catalogue.add(R"(
[vendors.v]
base_url = "https://v.example"
[models."v:same"]
context_tokens = 10
[models."v:other"]
context_tokens = 10
max_output_tokens = 5
price = { input = 1, output = 2 }
[models."v:gone"]
)",
                            "test"));
  const ModelComparison comparison =
      compare(catalogue, *catalogue.find_vendor("v"),
              {{.name = "same", .context_tokens = 10},
               {.name = "other-2026-01-01",
                .context_tokens = 20,
                .price = Price{.input = 1, .output = 3, .cached_input = 0.5}},
               {.name = "new"}});
  EXPECT_EQ(comparison.not_listed, std::vector<std::string>{"gone"});
  EXPECT_EQ(comparison.without_row, std::vector<std::string>{"new"});
  EXPECT_EQ(comparison.different,
            (std::vector<ModelDifference>{{"other", "context_tokens", 10, 20},
                                          {"other", "price.output", 2, 3},
                                          {"other", "price.cached_input", {}, 0.5}}));
}

}  // namespace
}  // namespace wright::providers
