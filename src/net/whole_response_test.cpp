#include "net/whole_response.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <latch>
#include <thread>

#include "net/address.h"
#include "net/canned_server_testing.h"
#include "net/http_client_testing.h"

namespace wright::net {
namespace {

using testing::CannedServer;
using testing::Connection;
using namespace std::chrono_literals;

class WholeResponseOver : public testing::HttpClientOver {};

BodyLimit at_most(std::size_t bytes) {
  return [bytes](const HttpResponseHead&) { return bytes; };
}

HttpRequest get(std::string url) {
  return {.url = std::move(url), .method = "GET"};
}

TEST_P(WholeResponseOver, comes_with_head_and_body) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.answer(404, "not here", "Content-Type: text/plain\r\n");
  });
  HttpClient client(options());
  const auto answer = ask_and_wait(client, get(server.url()), {}, at_most(100), {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->head.status, 404);
  EXPECT_EQ(answer->body, "not here");
  EXPECT_FALSE(answer->is_cut);
}

TEST_P(WholeResponseOver, is_cut_where_enough_has_come) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\n\r\n");
    while (connection.send(std::string(10'000, 'x'))) {
    }
  });
  HttpClient client(options());
  const auto answer = ask_and_wait(client, get(server.url()), {}, at_most(12'345), {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, std::string(12'345, 'x'));
  EXPECT_TRUE(answer->is_cut);
}

TEST_P(WholeResponseOver, ends_with_the_head_when_no_body_is_wanted) {
  std::latch has_closed(1);
  CannedServer server([&](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 5\r\n\r\n");
    connection.wait_for_close();
    has_closed.count_down();
  });
  HttpClient client(options());
  const auto answer = ask_and_wait(client, get(server.url()), {}, at_most(0), {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(find_header(answer->head.headers, "location"), "/x");
  has_closed.wait();
}

TEST_P(WholeResponseOver, is_not_waited_for_after_a_stop) {
  std::stop_source stop;
  CannedServer server([&](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\n\r\nsome");
    stop.request_stop();
    connection.wait_for_close();
  });
  HttpClient client(options());
  const auto answer = ask_and_wait(client, get(server.url()), {}, at_most(100), stop.get_token());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::cancelled);
  const auto later = ask_and_wait(client, get(server.url()), {}, at_most(100), stop.get_token());
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code, ErrorCode::cancelled);
  EXPECT_EQ(server.connections(), 1);
}

TEST_P(WholeResponseOver, asks_before_it_connects_and_opens_nothing_when_refused) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.answer(200, "secret");
  });
  std::string asked;
  HttpClient client(options({.may_connect = [&](std::string_view url, const sockaddr& address) {
    asked = std::string(url) + " at " + address_text(address);
    return Result<void>(fail(ErrorCode::permission_denied, "not there"));
  }}));
  const auto answer = ask_and_wait(client, get(server.url("/x")), {}, at_most(100), {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::permission_denied);
  EXPECT_EQ(answer.error().message, "not there");
  EXPECT_EQ(asked, server.url("/x") + " at 127.0.0.1");
  EXPECT_EQ(server.connections(), 0);
}

TEST_P(WholeResponseOver, judges_the_address_of_a_name_and_not_the_name) {
  std::string asked;
  HttpClient client(options({.may_connect = [&](std::string_view, const sockaddr& address) {
    asked += address_text(address) + " ";
    return Result<void>(fail(ErrorCode::permission_denied, "not there"));
  }}));
  EXPECT_FALSE(ask_and_wait(client, get("http://localhost:9/"), {}, at_most(1), {}));
  EXPECT_NE(asked.find("127.0.0.1"), std::string::npos) << asked;
}

TEST_P(WholeResponseOver, unpacks_bodies_whether_that_was_asked_for_or_not) {
  // gzip of "hello hello hello hello\n"
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\xb9\x00\x00"
      "\x88\x59\x0b\x18\x00\x00\x00",
      29);
  std::string request;
  CannedServer server([&](Connection& connection) {
    request = connection.read_request();
    connection.answer(200, packed, "Content-Encoding: gzip\r\n");
  });
  HttpClient plain(options());
  const auto unasked = ask_and_wait(plain, get(server.url()), {}, at_most(1000), {});
  ASSERT_TRUE(unasked) << unasked.error().message;
  EXPECT_EQ(unasked->body, "hello hello hello hello\n");
  EXPECT_NE(request.find("Accept-Encoding: identity\r\n"), std::string::npos) << request;
  HttpClient unpacking(options({.compression = Compression::accepted}));
  const auto answer = ask_and_wait(unpacking, get(server.url()), {}, at_most(1000), {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "hello hello hello hello\n");
  EXPECT_NE(request.find("gzip"), std::string::npos);
}

TEST_P(WholeResponseOver, says_that_a_body_cannot_be_unpacked) {
  for (const std::string_view encoding : {"gzip", "of-its-own"}) {
    CannedServer server([&](Connection& connection) {
      (void)connection.read_request();
      connection.answer(200, "no gzip at all", fmt::format("Content-Encoding: {}\r\n", encoding));
    });
    HttpClient client(options());
    const auto answer = ask_and_wait(client, get(server.url()), {}, at_most(1000), {});
    ASSERT_FALSE(answer) << encoding;
    EXPECT_EQ(answer.error().code, ErrorCode::protocol) << encoding;
    EXPECT_NE(answer.error().message.find("cannot be decompressed"), std::string::npos)
        << answer.error().message;
  }
}

// libcurl takes such a head for an empty body.
TEST(PlainWholeResponse, says_that_a_packed_body_is_cut_in_its_head) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.answer(200, std::string("\x1f\x8b\x08\x00", 4), "Content-Encoding: gzip\r\n");
  });
  HttpClient client;
  const auto answer = ask_and_wait(client, get(server.url()), {}, at_most(1000), {});
  ASSERT_FALSE(answer) << "it is no empty answer";
  EXPECT_EQ(answer.error().code, ErrorCode::protocol) << answer.error().message;
}

TEST_P(WholeResponseOver, says_when_a_response_arrived) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.answer(200, "x");
  });
  HttpClient client(options());
  const auto before = std::chrono::system_clock::now();
  const auto answer = ask_and_wait(client, get(server.url()), {}, at_most(10), {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_GE(answer->head.arrived, before);
  EXPECT_LE(answer->head.arrived, std::chrono::system_clock::now());
}

TEST_P(WholeResponseOver, names_a_proxy_that_does_not_answer) {
  // A port that was free a moment ago.
  std::string dead;
  {
    CannedServer gone([](Connection&) {});
    dead = gone.url("");
  }
  for (const std::string_view url : {"http://vendor.example/v1", "https://vendor.example/v1"}) {
    HttpClient client(options({.proxy = dead}));
    const auto answer = ask_and_wait(client, get(std::string(url)), {}, at_most(10), {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::network);
    EXPECT_NE(answer.error().message.find("vendor.example through the proxy"), std::string::npos)
        << answer.error().message;
    EXPECT_NE(answer.error().message.find("http_proxy"), std::string::npos);
  }
  HttpClient nowhere(options({.proxy = "http://no-such-proxy.invalid:3128"}));
  const auto answer = ask_and_wait(nowhere, get("http://vendor.example/"), {}, at_most(10), {});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("through the proxy"), std::string::npos)
      << answer.error().message;
}

TEST_P(WholeResponseOver, names_a_proxy_that_refuses_the_tunnel) {
  CannedServer proxy([](Connection& connection) {
    (void)connection.read_request();
    connection.answer(407, "who are you?");
  });
  HttpClient client(options({.proxy = proxy.url("")}));
  const auto answer = ask_and_wait(client, get("https://vendor.example/"), {}, at_most(10), {});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("through the proxy"), std::string::npos)
      << answer.error().message;
}

TEST_P(WholeResponseOver, blames_no_proxy_where_there_is_none) {
  std::string dead;
  {
    CannedServer gone([](Connection&) {});
    dead = gone.url();
  }
  HttpClient client(options({.proxy = ""}));
  const auto answer = ask_and_wait(client, get(dead), {}, at_most(10), {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message.find("proxy"), std::string::npos) << answer.error().message;
}

TEST_P(WholeResponseOver, does_not_read_headers_without_end) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\n");
    while (connection.send("X-More: " + std::string(1000, 'x') + "\r\n")) {
    }
  });
  HttpClient client(options());
  const auto answer = ask_and_wait(client, get(server.url()), {}, at_most(100), {});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("headers"), std::string::npos) << answer.error().message;
}

INSTANTIATE_TEST_SUITE_P(HttpClient, WholeResponseOver,
                         ::testing::Values(Carrier::fitting, Carrier::libcurl),
                         testing::carrier_name);

}  // namespace
}  // namespace wright::net
