#include "core/sampling_json.h"

#include <gtest/gtest.h>

#include "core/secret_members.h"

namespace wright {
namespace {

Json vendor_tool(std::string_view secret) {
  return {{"type", "mcp"},
          {"server_url", "https://host.example/mcp?key=" + std::string(secret)},
          {"authorization", secret},
          {"access_key", secret},
          {"headers", {{"X-Anything", secret}}},
          {"allowed_tools", {"read"}},
          {"prompt_cache_key", "no secret"},
          {"parameters", {{"token", "the name of a parameter"}}}};
}

TEST(SamplingJson, keeps_no_secret_of_a_vendors_tool) {
  const Sampling sampling{.vendor_tools = {"web_search", vendor_tool("hunter2-secret")}};
  const Json record = sampling_json(sampling);
  EXPECT_FALSE(to_text(record).contains("hunter2")) << to_text(record);
  EXPECT_TRUE(to_text(record).contains("no secret"));
  EXPECT_TRUE(to_text(record).contains("the name of a parameter"));
}

// A session that goes on has what the agent's file says now; a tool that is another one stays as it
// was told then.
TEST(SamplingJson, takes_secrets_from_the_agent_as_it_is_now) {
  Sampling sampling{.vendor_tools = {"web_search", vendor_tool("hunter2-secret")}};
  const auto recorded = sampling_from(sampling_json(sampling)).vendor_tools;
  EXPECT_EQ(with_own_secrets(recorded, sampling.vendor_tools), sampling.vendor_tools);
  const std::vector<Json> renewed{vendor_tool("another-secret")};
  EXPECT_EQ(with_own_secrets(recorded, renewed).at(1), renewed.front());
  EXPECT_EQ(with_own_secrets(recorded, {Json{{"type", "other"}}}), recorded);
}

TEST(SecretMembers, are_found_by_their_names) {
  EXPECT_EQ(secret_members(vendor_tool("hunter2-secret")),
            (std::vector<std::string>(3, "hunter2-secret")));
  EXPECT_TRUE(secret_members(Json{{"type", "x"}, {"keyboard", "qwerty"}}).empty());
  EXPECT_EQ(secret_members(Json{{"api_keys", {"one-of-two", "two-of-two"}},
                                {"credentials", {{"value", "three"}}},
                                {"X-Goog-Api-Key", "four"}}),
            (std::vector<std::string>{"one-of-two", "two-of-two", "three", "four"}));
}

}  // namespace
}  // namespace wright
