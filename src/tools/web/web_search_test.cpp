#include <gtest/gtest.h>

#include "net/canned_server_testing.h"
#include "tools/temporary_folder_testing.h"
#include "wright/tools.h"

namespace wright::tools {
namespace {

using net::testing::CannedServer;
using net::testing::Connection;
using namespace std::chrono_literals;

std::vector<Tool> searching(WebSearchOptions options) {
  auto made = web_search_tool(std::move(options));
  EXPECT_TRUE(made) << made.error().message;
  return {std::move(*made)};
}

Result<Json> answered(int status, std::string body) {
  CannedServer server([&](Connection& connection) {
    (void)connection.read_request();
    connection.answer(status, body);
  });
  return call(searching({.endpoint = server.url("/search")}), "web_search", R"({"query": "x"})");
}

TEST(WebSearch, asks_the_endpoint_and_numbers_the_results) {
  std::string request;
  CannedServer server([&](Connection& connection) {
    request = connection.read_request();
    connection.answer(200, R"({"query": "x", "results": [
      {"title": "One\n two", "url": "https://one.example/", "content": "about\u202E one"},
      {"title": "No link"}, 7, {"url": "javascript:alert", "title": "bad"},
      {"title": 5, "url": "http://two.example/", "content": null},
      {"title": "Three", "url": "https://three.example/", "snippet": "s"}], "more": {}
})");
  });
  const auto found = call(searching({.endpoint = server.url("/search?lang=en")}), "web_search",
                          R"({"query": "C++ & \"quotes\"", "limit": 2})");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(request.starts_with(
      "GET /search?lang=en&q=C%2b%2b+%26+%22quotes%22&format=json HTTP/1.1\r\n"))
      << request;
  EXPECT_EQ(request.find("Authorization"), std::string::npos);
  EXPECT_EQ(to_text(*found),
            R"({"query":"C++ & \"quotes\"","results":[)"
            R"({"number":1,"title":"One two","url":"https://one.example/","content":"about one"},)"
            R"({"number":2,"title":"","url":"http://two.example/","content":""}],)"
            R"("total_results":3,"truncated":true})");
}

TEST(WebSearch, sends_the_key_in_the_header_that_is_named) {
  std::string request;
  CannedServer server([&](Connection& connection) {
    request = connection.read_request();
    connection.answer(200, R"({"results": []})");
  });
  const WebSearchOptions options{.endpoint = server.url(), .key = "sk-1"};
  EXPECT_TRUE(call(searching(options), "web_search", R"({"q": "x"})"));
  EXPECT_NE(request.find("\r\nAuthorization: Bearer sk-1\r\n"), std::string::npos) << request;
  WebSearchOptions other = options;
  other.key_header = "X-Subscription-Token";
  const auto tools = searching(other);
  EXPECT_FALSE(
      execute(tools, {}, {"1", "search_web", R"({"query": "x", "count": 3})"}, {}).result.is_error);
  EXPECT_NE(request.find("\r\nX-Subscription-Token: sk-1\r\n"), std::string::npos) << request;
}

TEST(WebSearch, hides_the_key_where_the_engine_repeats_it) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.answer(
        200,
        R"({"results": [{"url": "https://a.example/?k=sk-secret", "title": "sk-secret sk\u002dsecret",
                              "content": ")" +
            std::string(795, 'x') + R"( sk-secret"}]})");
  });
  const auto found = call(searching({.endpoint = server.url(), .key = "sk-secret"}), "web_search",
                          R"({"query": "x"})");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(to_text(*found).find("sk-s"), std::string::npos) << to_text(*found);
  EXPECT_EQ(found->at("results").at(0).at("title"), "(hidden) (hidden)");
}

TEST(WebSearch, does_not_take_the_key_elsewhere) {
  CannedServer elsewhere([](Connection& connection) {
    (void)connection.read_request();
    connection.answer(200, R"({"results": []})");
  });
  CannedServer server([&](Connection& connection) {
    (void)connection.read_request();
    connection.answer(302, "", "Location: " + elsewhere.url() + "\r\n");
  });
  const auto refused = call(searching({.endpoint = server.url(), .key = "sk-secret"}), "web_search",
                            R"({"query": "x"})");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("HTTP status 302"), std::string::npos);
  EXPECT_EQ(elsewhere.connections(), 0);
}

TEST(WebSearch, says_what_is_missing_when_nothing_is_set_up) {
  const auto refused = call(searching({}), "web_search", R"({"query": "x"})");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("[web] search ="), std::string::npos);
  for (const char* endpoint : {"searx.example", "ftp://x/", "http://user:pass@x/"}) {
    EXPECT_FALSE(web_search_tool({.endpoint = endpoint})) << endpoint;
  }
}

TEST(WebSearch, explains_answers_that_are_no_results) {
  for (const char* body :
       {"", "<html>", "[]", "7", "{}", R"({"results": {}})", R"({"results": [)", "\xFF\xFE"}) {
    const auto refused = answered(200, body);
    ASSERT_FALSE(refused) << body;
    EXPECT_NE(refused.error().message.find("as SearXNG does"), std::string::npos)
        << refused.error().message;
  }
  EXPECT_NE(answered(403, "x").error().message.find("search.formats"), std::string::npos);
  EXPECT_EQ(answered(401, "x").error().code, ErrorCode::authentication);
  EXPECT_EQ(answered(429, "x").error().code, ErrorCode::rate_limited);
  EXPECT_EQ(answered(500, "x").error().code, ErrorCode::unavailable);
  EXPECT_TRUE(answered(200, R"({"results": []})"));
}

TEST(WebSearch, bounds_what_it_shows) {
  const std::string lengthy(100'000, 'x');
  JsonArray results;
  for (int i = 0; i < 60; ++i) {
    results.push_back({{"title", lengthy}, {"url", "https://" + lengthy}, {"content", lengthy}});
  }
  std::string body = to_text(Json{{"results", results}});
  body.resize(body.size() / 2);
  EXPECT_FALSE(answered(200, body)) << "over the largest answer, and cut";
  results.erase(results.begin() + 12, results.end());
  const auto found = answered(200, to_text(Json{{"results", results}}));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->at("results").as_array().size(), 10U);
  EXPECT_LT(to_text(*found).size(), 40'000U);
}

TEST(WebSearch, ends_when_the_engine_is_silent) {
  const CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.wait_for_close();
  });
  const auto late = call(searching({.endpoint = server.url(), .timeout = 100ms}), "web_search",
                         R"({"query": "x"})");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::timeout);
}

TEST(WebSearch, ends_when_the_call_is_cancelled) {
  std::stop_source stop;
  const CannedServer server([&](Connection& connection) {
    (void)connection.read_request();
    stop.request_stop();
    connection.wait_for_close();
  });
  const auto tools = searching({.endpoint = server.url()});
  const ToolOutcome outcome =
      execute(tools, {}, {"1", "web_search", R"({"query": "x"})"}, {.stop = stop.get_token()});
  EXPECT_EQ(outcome.error_message(), "The request was cancelled");
}

}  // namespace
}  // namespace wright::tools
