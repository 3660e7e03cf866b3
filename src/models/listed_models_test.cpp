#include "models/listed_models.h"

#include <gtest/gtest.h>

#include "net/canned_server_testing.h"

namespace wright::models {
namespace {

Candidate candidate_at(const net::testing::CannedServer& server, std::string_view id) {
  Endpoint endpoint = Catalogue::built_in().find(id).value_or(Endpoint{});
  endpoint.vendor.base_url = server.url("/v1");
  endpoint.key = "sk-secret";
  return {endpoint, std::make_shared<Pacer>(Pace{})};
}

TEST(ListedModels, are_read_page_by_page) {
  net::testing::CannedServer server([](net::testing::Connection& connection) {
    for (std::string request = connection.read_request(); !request.empty();
         request = connection.read_request()) {
      EXPECT_TRUE(request.contains("x-api-key: sk-secret"));
      const bool is_second = request.contains("after_id=b");
      connection.answer(
          200, is_second ? R"({"data":[{"id":"c"}],"has_more":false,"last_id":"c"})"
                         : R"({"data":[{"id":"a"},{"id":"b"}],"has_more":true,"last_id":"b"})");
    }
  });
  net::HttpClient client;
  const auto listed = listed_models(candidate_at(server, "anthropic:x"), client, {});
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(*listed, (std::vector<ListedModel>{{.name = "a"}, {.name = "b"}, {.name = "c"}}));
}

TEST(ListedModels, a_list_that_never_ends_is_ended) {
  net::testing::CannedServer server([](net::testing::Connection& connection) {
    int page = 0;
    while (!connection.read_request().empty()) {
      connection.answer(200, R"({"data":[{"id":"a"}],"has_more":true,"last_id":")" +
                                 std::to_string(++page) + "\"}");
    }
  });
  net::HttpClient client;
  const auto listed = listed_models(candidate_at(server, "anthropic:x"), client, {});
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(listed->size(), 50U);
}

TEST(ListedModels, a_refusal_says_why_and_never_shows_the_key) {
  net::testing::CannedServer server([](net::testing::Connection& connection) {
    while (!connection.read_request().empty()) {
      connection.answer(401, R"({"error":{"message":"Bad key sk-secret"}})");
    }
  });
  net::HttpClient client;
  const auto listed = listed_models(candidate_at(server, "openai:x"), client, {});
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, ErrorCode::authentication);
  EXPECT_FALSE(listed.error().message.contains("sk-secret")) << listed.error().message;
}

}  // namespace
}  // namespace wright::models
