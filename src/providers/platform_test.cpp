// The same protocols on other platforms: addresses, headers and rows.
#include <gtest/gtest.h>

#include "providers/base_url.h"
#include "providers/codec_testing.h"
#include "providers/credential.h"

namespace wright::providers {
namespace {

HttpRequest sent_to(const Endpoint& endpoint, Delivery delivery = Delivery::whole) {
  const testing::Asked asked;
  const auto request = encode(endpoint, asked.request(), delivery);
  EXPECT_TRUE(request) << request.error().message;
  return request.value_or(HttpRequest{});
}

Endpoint azure(std::string_view model, std::string_view address) {
  Endpoint endpoint = testing::endpoint_of("azure:" + std::string(model));
  endpoint.vendor.base_url =
      canonical_base_url(Platform::azure, endpoint.protocol(), address).value_or("(refused)");
  endpoint.key = "secret";
  return endpoint;
}

TEST(Azure, speaks_to_the_current_api_with_the_key_in_its_own_header) {
  for (const char* address :
       {"https://name.openai.azure.com", "https://name.openai.azure.com/",
        "https://name.openai.azure.com/openai", "https://name.openai.azure.com/openai/v1/",
        "https://name.openai.azure.com/openai/v1/chat/completions"}) {
    const HttpRequest request = sent_to(azure("my-deployment", address));
    EXPECT_EQ(request.url, "https://name.openai.azure.com/openai/v1/chat/completions");
    EXPECT_EQ(find_header(request.headers, "api-key"), "secret");
    EXPECT_EQ(find_header(request.headers, "authorization"), "");
    for (const HttpHeader& header : request.headers) {
      EXPECT_EQ(header.is_secret, header.name == "api-key");
    }
  }
}

TEST(Azure, a_deployment_that_is_called_like_a_model_is_that_model) {
  const HttpRequest request = sent_to(azure("gpt-5-mini", "https://name.openai.azure.com"));
  EXPECT_EQ(request.url, "https://name.openai.azure.com/openai/v1/responses");
  const Endpoint endpoint = azure("gpt-5-mini", "https://name.openai.azure.com");
  EXPECT_EQ(endpoint.model.price, Catalogue::built_in().find("openai:gpt-5-mini")->model.price);
  EXPECT_EQ(endpoint.model.vendor, "azure");
}

TEST(Azure, the_dated_api_has_the_deployment_in_the_address) {
  Endpoint endpoint = azure("my deployment", "https://name.openai.azure.com");
  endpoint.vendor.api_version = "2024-10-21";
  EXPECT_EQ(sent_to(endpoint).url,
            "https://name.openai.azure.com/openai/deployments/my%20deployment/chat/completions"
            "?api-version=2024-10-21");
  endpoint.model.protocol = Protocol::openai_responses;
  EXPECT_EQ(sent_to(endpoint).url,
            "https://name.openai.azure.com/openai/responses?api-version=2024-10-21");
}

TEST(Azure, a_token_takes_the_place_of_the_key) {
  const Endpoint endpoint = azure("d", "https://name.openai.azure.com");
  const auto request = authorised(sent_to(endpoint), endpoint, {Token{"entra"}, {}}, Moment());
  ASSERT_TRUE(request);
  EXPECT_EQ(find_header(request->headers, "authorization"), "Bearer entra");
  EXPECT_EQ(find_header(request->headers, "api-key"), "");
}

constexpr std::string_view kVertex =
    "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1/"
    "publishers/";

TEST(Vertex, gemini_is_the_same_protocol_at_another_address) {
  Endpoint endpoint = testing::endpoint_of("vertex:gemini-2.5-pro");
  endpoint.vendor.base_url = std::string(kVertex) + "google";
  EXPECT_EQ(sent_to(endpoint).url,
            endpoint.vendor.base_url + "/models/gemini-2.5-pro:generateContent");
  EXPECT_EQ(sent_to(endpoint, Delivery::streamed).url,
            endpoint.vendor.base_url + "/models/gemini-2.5-pro:streamGenerateContent?alt=sse");
  const auto request = authorised(sent_to(endpoint), endpoint, {Token{"ya29"}, {}}, Moment());
  EXPECT_EQ(find_header(request->headers, "authorization"), "Bearer ya29");
  EXPECT_EQ(canonical_base_url(Platform::google, Protocol::gemini_generate,
                               endpoint.vendor.base_url + "/"),
            endpoint.vendor.base_url);
}

TEST(Vertex, anthropics_models_are_named_in_the_address_and_not_in_the_body) {
  Endpoint endpoint = testing::endpoint_of("vertex-anthropic:claude-sonnet-4-5@20250929");
  endpoint.vendor.base_url = std::string(kVertex) + "anthropic";
  const HttpRequest whole = sent_to(endpoint);
  EXPECT_EQ(whole.url, endpoint.vendor.base_url + "/models/claude-sonnet-4-5@20250929:rawPredict");
  EXPECT_EQ(find_header(whole.headers, "anthropic-version"), "");
  const auto body = parse_json(whole.body);
  ASSERT_TRUE(body);
  EXPECT_EQ(body->at("anthropic_version"), Json("vertex-2023-10-16"));
  EXPECT_EQ(testing::count_of(*body, "model"), 0);
  EXPECT_EQ(sent_to(endpoint, Delivery::streamed).url,
            endpoint.vendor.base_url + "/models/claude-sonnet-4-5@20250929:streamRawPredict");
  EXPECT_TRUE(endpoint.model.price.has_value());
}

TEST(Bedrock, a_model_is_a_part_of_the_path) {
  Endpoint endpoint = testing::endpoint_of("bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0");
  endpoint.vendor.base_url = "https://bedrock-runtime.us-east-1.amazonaws.com";
  EXPECT_EQ(sent_to(endpoint, Delivery::streamed).url,
            "https://bedrock-runtime.us-east-1.amazonaws.com/model/"
            "us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream");
  EXPECT_EQ(find_header(sent_to(endpoint).headers, "authorization"), "");
  const auto request =
      authorised(sent_to(endpoint), endpoint, {AwsKeys{"A", "s", ""}, {}}, Moment());
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_TRUE(find_header(request->headers, "authorization").contains("/us-east-1/bedrock/"));
  endpoint.key = "api-key";
  EXPECT_EQ(find_header(sent_to(endpoint).headers, "authorization"), "Bearer api-key");
}

TEST(Bedrock, behind_another_address_the_region_must_be_said) {
  Endpoint endpoint = testing::endpoint_of("bedrock:amazon.nova-lite-v1:0");
  endpoint.vendor.base_url = "https://gateway.example";
  endpoint.vendor.base_url_values.clear();
  const Credential keys{AwsKeys{"A", "s", ""}, {}};
  const auto refused = authorised(sent_to(endpoint), endpoint, keys, Moment());
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("region"));
  endpoint.vendor.base_url_values["region"] = "eu-west-3";
  const auto request = authorised(sent_to(endpoint), endpoint, keys, Moment());
  ASSERT_TRUE(request);
  EXPECT_TRUE(find_header(request->headers, "authorization").contains("/eu-west-3/"));
}

TEST(Platforms, keys_of_aws_are_no_token_for_others) {
  const Endpoint endpoint = azure("d", "https://name.openai.azure.com");
  EXPECT_FALSE(authorised(sent_to(endpoint), endpoint, {AwsKeys{"A", "s", ""}, {}}, Moment()));
}

TEST(BaseUrl, what_stands_in_braces_is_filled_in_or_named) {
  const auto value_of = [](const std::string& name) {
    return name == "region" ? "eu-west-1" : name == "odd" ? "a/../b" : "";
  };
  EXPECT_EQ(filled_in("https://x.{region}.example/{region}", value_of),
            "https://x.eu-west-1.example/eu-west-1");
  EXPECT_EQ(filled_in("https://plain.example", value_of), "https://plain.example");
  EXPECT_EQ(filled_in("https://{project}/", value_of).error().message, "project");
  EXPECT_EQ(filled_in("https://{odd}/", value_of).error().message, "odd");
}

TEST(Catalogue, knows_the_vendors_that_speak_openais_protocol) {
  for (const char* id :
       {"moonshot:m", "qwen:m", "minimax:m", "fireworks:m", "perplexity:m", "cohere:m", "nvidia:m",
        "sambanova:m", "huggingface:m", "github:m", "cloudflare:m"}) {
    const Endpoint endpoint = testing::endpoint_of(id);
    const bool has_responses = endpoint.vendor.name == "perplexity";  // and nothing else any more
    EXPECT_EQ(endpoint.protocol(),
              has_responses ? Protocol::openai_responses : Protocol::openai_chat)
        << id;
    EXPECT_TRUE(endpoint.vendor.needs_key) << id;
    EXPECT_TRUE(endpoint.vendor.base_url.starts_with("https://")) << id;
    EXPECT_TRUE(endpoint.vendor.key_page.starts_with("https://")) << id;
  }
}

}  // namespace
}  // namespace wright::providers
