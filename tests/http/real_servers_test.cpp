// The HTTP client against servers that nobody here wrote, whoever carries its exchanges.
#include <gtest/gtest.h>

#include <future>
#include <tuple>

#include "net/http_client.h"
#include "net/whole_response.h"
#include "node_server.h"

namespace wright::http {
namespace {

using net::Carrier;

class RealServer : public ::testing::TestWithParam<std::tuple<Carrier, const char*>> {
 protected:
  Result<net::WholeResponse> ask(const std::string& path, std::string method,
                                 std::string body = {}) {
    return net::ask_and_wait(
        client_,
        {.url = server_.place() + path, .body = std::move(body), .method = std::move(method)}, {},
        [](const HttpResponseHead&) { return std::size_t{100'000'000}; }, {});
  }

  NodeServer server_{std::get<1>(GetParam())};
  net::HttpClient client_{{.proxy = "", .carrier = std::get<0>(GetParam())}};
};

TEST_P(RealServer, gives_back_what_it_was_sent) {
  for (const std::size_t size : {0, 1, 1000, 100'000, 3'000'000}) {
    const std::string body(size, 'x');
    const auto answer = ask("/echo", "POST", body);
    ASSERT_TRUE(answer) << size << ": " << answer.error().message;
    EXPECT_EQ(find_header(answer->head.headers, "x-seen"), "POST " + std::to_string(size));
    EXPECT_EQ(answer->body.size(), size);
    EXPECT_EQ(answer->body, body);
  }
}

TEST_P(RealServer, streams) {
  const auto answer = ask("/stream", "POST", "{}");
  ASSERT_TRUE(answer) << answer.error().message;
  std::string expected;
  for (int i = 0; i < 100; ++i) expected += "data: " + std::to_string(i) + "\n\n";
  EXPECT_EQ(answer->body, expected);
}

TEST_P(RealServer, compresses_what_it_likes) {
  const auto answer = ask("/gzip", "GET");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body.size(), 70'000U);
  EXPECT_TRUE(answer->body.starts_with("packed packed "));
}

TEST_P(RealServer, answers_in_every_way) {
  const std::vector<std::tuple<const char*, int, const char*>> wanted = {
      {"/nothing", 204, ""},
      {"/elsewhere", 302, "moved"},
      {"/hints", 200, "hinted"},
      {"/unknown", 404, "no such thing"}};
  for (const auto& [path, status, body] : wanted) {
    const auto answer = ask(path, "GET");
    ASSERT_TRUE(answer) << path << ": " << answer.error().message;
    EXPECT_EQ(answer->head.status, status) << path;
    EXPECT_EQ(answer->body, body) << path;
  }
}

TEST_P(RealServer, breaks_off) {
  const auto answer = ask("/cut", "POST", "{}");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::network);
}

TEST_P(RealServer, may_end_connections_that_are_kept) {
  for (int i = 0; i < 100; ++i) {
    const auto answer = ask("/goodbye", "GET");
    ASSERT_TRUE(answer) << i << ": " << answer.error().message;
    EXPECT_EQ(answer->body, "bye");
  }
}

TEST_P(RealServer, serves_many_at_once) {
  std::vector<std::future<Result<net::WholeResponse>>> answers;
  for (int i = 0; i < 40; ++i) {
    answers.push_back(
        std::async(std::launch::async, [&, i] { return ask("/echo", "POST", std::to_string(i)); }));
  }
  for (int i = 0; i < 40; ++i) {
    const auto answer = answers[static_cast<std::size_t>(i)].get();
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, std::to_string(i));
  }
}

INSTANTIATE_TEST_SUITE_P(
    HttpClient, RealServer,
    ::testing::Combine(::testing::Values(Carrier::fitting, Carrier::libcurl),
                       ::testing::Values(WRIGHT_HTTP_FOLDER "/plain_server.mjs",
                                         WRIGHT_HTTP_FOLDER "/plain_server.py")),
    [](const auto& info) {
      const std::string script = std::get<1>(info.param);
      return std::string(std::get<0>(info.param) == Carrier::libcurl ? "libcurl" : "fitting") +
             (script.ends_with(".py") ? "_python" : "_node");
    });

}  // namespace
}  // namespace wright::http
