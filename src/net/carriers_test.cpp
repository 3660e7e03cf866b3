// That nobody can tell who carried an exchange: the same requests go out, and the same comes of
// what servers do.
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <array>
#include <latch>
#include <mutex>
#include <regex>

#include "net/canned_server_testing.h"
#include "net/http_client.h"
#include "net/plain_url.h"
#include "net/whole_response.h"

namespace wright::net {
namespace {

using testing::CannedServer;
using testing::Connection;
using namespace std::chrono_literals;

constexpr auto kCarriers = std::to_array({Carrier::libcurl, Carrier::fitting});

// All that a caller sees, as text.
std::string outcome_text(const Result<WholeResponse>& outcome) {
  if (!outcome) {
    const std::string text =
        std::to_string(static_cast<int>(outcome.error().code)) + ' ' + outcome.error().message;
    return std::regex_replace(text, std::regex("after [0-9]+ ms"), "after some ms");
  }
  std::string text = std::to_string(outcome->head.status) + '\n';
  for (const HttpHeader& header : outcome->head.headers) {
    text += header.name + ": " + header.value + '\n';
  }
  return text + '\n' + outcome->body;
}

Result<WholeResponse> ask(Carrier carrier, HttpRequest request, HttpTimeouts timeouts = {}) {
  HttpClient client({.user_agent = "tester", .proxy = "", .carrier = carrier});
  return ask_and_wait(client, std::move(request), timeouts,
                      [](const HttpResponseHead&) { return std::size_t{10'000'000}; }, {});
}

// What a request looks like on the wire.
std::string sent(Carrier carrier, HttpRequest request, std::string_view path) {
  std::string received;
  std::mutex mutex;
  CannedServer server([&](Connection& connection) {
    const std::lock_guard lock(mutex);
    received = connection.read_request();
    connection.answer(200, "");
  });
  request.url = server.url(path);
  (void)ask(carrier, std::move(request));
  const std::lock_guard lock(mutex);
  const std::string host = server.url("").substr(std::string("http://").size());
  if (const std::size_t at = received.find(host); at != std::string::npos) {
    received.replace(at, host.size(), "HOST");
  }
  return received;
}

TEST(Carriers, send_the_same_bytes) {
  const std::vector<HttpRequest> requests = {
      {.method = "GET"},
      {.body = "not sent", .method = "GET"},
      {.body = "{}"},
      {.headers = {{"Content-Type", "application/json"}, {"X-Key", "  k  "}}, .body = "{}"},
      {.headers = {{"accept", "text/event-stream"}, {"User-agent", "own"}}, .body = ""},
      {.headers = {{"Accept-Encoding", "gzip"}, {"X", "a: b, c"}}, .body = std::string(3, '\0')},
      {.headers = {{"X-Empty", ""}, {"Host", "other.example"}}, .body = "x"},
      {.headers = {{"X-Same", "1"}, {"X-Same", "2"}}, .body = "x", .method = "PUT"},
      {.body = "", .method = "DELETE"},
      {.body = std::string(20'000, 'x'), .method = "PATCH"}};
  for (const HttpRequest& request : requests) {
    EXPECT_EQ(sent(Carrier::libcurl, request, "/"), sent(Carrier::fitting, request, "/"));
  }
  for (const std::string_view path :
       {"", "/v1/x?y=1&z=a:b", "/a%20b", "/a/../b", "/a#fragment", "?q", "/a b"}) {
    EXPECT_EQ(sent(Carrier::libcurl, {.body = "x"}, path),
              sent(Carrier::fitting, {.body = "x"}, path));
  }
}

// What servers do, once the request is there.
using Behaviour = std::function<void(Connection&)>;

Behaviour says(std::string text) {
  return [text = std::move(text)](Connection& connection) { connection.send(text); };
}

TEST(Carriers, make_the_same_of_what_servers_do) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::vector<Behaviour> behaviours = {
      says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: 1\r\nx-a:2 \r\n\r\nok"),
      says("HTTP/1.0 200 OK\r\n\r\nuntil the end"),
      says("HTTP/1.1 204 No Content\r\n\r\n"),
      says("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n"),
      says("HTTP/1.1 302 Found\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n"),
      says("HTTP/1.1 500 \r\nContent-Length: 3\r\n\r\nbad"),
      says("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
      says(chunked + "2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nX-Trailer: 1\r\n\r\n"),
      says(chunked + "5\r\nhello"),
      says(chunked + "5\r\nhello\r\n"),
      says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"),
      says("220 mail.example ESMTP\r\n"),
      says(""),
      [](Connection& connection) { connection.reset(); },
      [](Connection& connection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
        for (const char c : std::string("bytewise!")) connection.send(std::string(1, c));
        connection.wait_for_close();
      },
      says("HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n" + std::string(5'000'000, 'x'))};
  for (std::size_t i = 0; i < behaviours.size(); ++i) {
    CannedServer server([&](Connection& connection) {
      if (!connection.read_request().empty()) behaviours[i](connection);
    });
    for (const std::string_view method : {"GET", "POST"}) {
      const HttpRequest request{
          .url = server.url("/secret"), .body = "x", .method = std::string(method)};
      EXPECT_EQ(outcome_text(ask(Carrier::libcurl, request)),
                outcome_text(ask(Carrier::fitting, request)))
          << i;
    }
  }
}

TEST(Carriers, say_the_same_of_silence) {
  CannedServer server([](Connection& connection) {
    const std::string request = connection.read_request();
    if (request.starts_with("GET /begins")) {
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    }
    connection.wait_for_close();
  });
  const HttpRequest silent{.url = server.url("/silent"), .method = "GET"};
  const HttpRequest begins{.url = server.url("/begins"), .method = "GET"};
  const auto expect_the_same = [](const HttpRequest& request, const HttpTimeouts& timeouts) {
    EXPECT_EQ(outcome_text(ask(Carrier::libcurl, request, timeouts)),
              outcome_text(ask(Carrier::fitting, request, timeouts)));
  };
  expect_the_same(silent, {.first_byte = 20ms});
  expect_the_same(begins, {.first_byte = 60s, .idle = 20ms});
  for (const HttpRequest& request : {silent, begins}) expect_the_same(request, {.total = 20ms});
}

TEST(Carriers, say_the_same_when_there_is_nobody) {
  std::string port;
  {
    CannedServer gone([](Connection&) {});
    port = gone.url("").substr(std::string("http://127.0.0.1:").size());
  }
  for (const std::string_view host : {"127.0.0.1", "localhost", "[::1]"}) {
    const HttpRequest request{.url = "http://" + std::string(host) + ":" + port + "/secret"};
    EXPECT_EQ(outcome_text(ask(Carrier::libcurl, request)),
              outcome_text(ask(Carrier::fitting, request)));
  }
}

TEST(Carriers, find_a_server_on_this_machine_by_its_name) {
  CannedServer server(
      [](Connection& connection) { connection.answer(200, connection.read_request()); });
  const std::string url = std::regex_replace(server.url(), std::regex("127.0.0.1"), "localhost");
  for (const Carrier carrier : kCarriers) {
    const auto answer = ask(carrier, {.url = url});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_TRUE(answer->body.contains("\r\nHost: localhost:")) << answer->body;
  }
}

// A server that says no before it has read all, and closes.
TEST(Carriers, hear_an_answer_that_comes_before_the_request_is_sent) {
  std::latch both_asked(2);
  CannedServer server([&](Connection& connection) {
    connection.answer(413, "too much", "Connection: close\r\n");
    both_asked.count_down();
    connection.wait_for_close();
  });
  for (const Carrier carrier : kCarriers) {
    const auto answer = ask(carrier, {.url = server.url(), .body = std::string(20'000'000, 'x')});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->head.status, 413);
    EXPECT_EQ(answer->body, "too much");
  }
  both_asked.wait();
}

// Two behaviours of which one client must not learn anything about the other's request.
TEST(Carriers, do_not_keep_a_connection_with_more_on_it_than_was_asked_for) {
  for (const Carrier carrier : kCarriers) {
    CannedServer server([](Connection& connection) {
      while (!connection.read_request().empty()) {
        connection.send(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
      }
    });
    HttpClient client({.proxy = "", .carrier = carrier});
    for (int i = 0; i < 3; ++i) {
      const auto answer =
          ask_and_wait(client, {.url = server.url()}, {},
                       [](const HttpResponseHead&) { return std::size_t{100}; }, {});
      ASSERT_TRUE(answer) << answer.error().message;
      EXPECT_EQ(answer->body, "ok");
    }
  }
}

// One that Beast refuses and libcurl takes: the second request goes over libcurl.
TEST(Carriers, leave_an_odd_server_to_libcurl) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 200 OK\nContent-Length: 2\n\nok");
  });
  HttpClient client({.proxy = ""});
  const auto get = [&] {
    return ask_and_wait(client, {.url = server.url(), .method = "GET"}, {},
                        [](const HttpResponseHead&) { return std::size_t{100}; }, {});
  };
  const auto first = get();
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, ErrorCode::network);
  const auto second = get();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->body, "ok");
}

}  // namespace
}  // namespace wright::net
