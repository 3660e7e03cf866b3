#include "net/http_client.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <latch>

#include "net/canned_server_testing.h"
#include "net/http_client_testing.h"

namespace wright::net {
namespace {

using testing::CannedServer;
using testing::Connection;
using testing::HttpClientOver;
using namespace std::chrono_literals;

// Keeps what comes, and lets a test wait for it.
class Recorder : public HttpReceiver {
 public:
  void on_head(HttpResponseHead head) override {
    const std::lock_guard lock(mutex_);
    head_ = std::move(head);
  }
  Result<void> on_body(std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    body_ += bytes;
    changed_.notify_all();
    if (!refused_.empty() && body_.find(refused_) != std::string::npos) {
      return fail(ErrorCode::protocol, "refused");
    }
    return {};
  }
  void on_end(Result<void> end) override {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(end_) << "ended twice";
    end_ = std::move(end);
    changed_.notify_all();
  }

  bool has_ended() {
    const std::lock_guard lock(mutex_);
    return end_.has_value();
  }
  void refuse(std::string text) { refused_ = std::move(text); }
  Result<void> wait_for_end() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return end_.has_value(); });
    return *end_;
  }
  void wait_for_body(std::string_view text) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return body_.find(text) != std::string::npos; });
  }
  const HttpResponseHead& head() const { return head_; }
  const std::string& body() const { return body_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  HttpResponseHead head_;
  std::string body_;
  std::string refused_;
  std::optional<Result<void>> end_;
};

struct Exchanged {
  Result<void> end;
  HttpResponseHead head;
  std::string body;
};

Exchanged exchange(HttpClient& client, HttpRequest request, HttpTimeouts timeouts = {}) {
  auto recorder = std::make_shared<Recorder>();
  client.start(std::move(request), timeouts, recorder);
  auto end = recorder->wait_for_end();
  return {std::move(end), recorder->head(), recorder->body()};
}

TEST_P(HttpClientOver, sends_the_request_and_receives_the_answer) {
  std::string received;
  CannedServer server([&](Connection& connection) {
    received = connection.read_request();
    connection.answer(201, "hello", "X-Odd:  two  words \r\n");
  });
  HttpClient client(options({.user_agent = "tester/1"}));
  const auto answer = exchange(client, {.url = server.url("/v1/x?y=1"),
                                        .headers = {{.name = "X-Key", .value = "k"}},
                                        .body = "{\"a\":1}"});
  ASSERT_TRUE(answer.end) << answer.end.error().message;
  EXPECT_EQ(answer.head.status, 201);
  EXPECT_EQ(find_header(answer.head.headers, "x-ODD"), "two  words");
  EXPECT_EQ(answer.body, "hello");
  EXPECT_TRUE(received.starts_with("POST /v1/x?y=1 HTTP/1.1\r\n")) << received;
  EXPECT_NE(received.find("\r\nX-Key: k\r\n"), std::string::npos);
  EXPECT_NE(received.find("\r\nUser-Agent: tester/1\r\n"), std::string::npos);
  EXPECT_EQ(received.find("Expect"), std::string::npos);
  EXPECT_TRUE(received.ends_with("\r\n\r\n{\"a\":1}"));
}

TEST_P(HttpClientOver, uses_a_connection_again) {
  CannedServer server([](Connection& connection) {
    while (!connection.read_request().empty()) connection.answer(200, "ok");
  });
  HttpClient client(options());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(exchange(client, {.url = server.url()}).body, "ok");
  EXPECT_EQ(server.connections(), 1);
}

// Keeps a connection for every client, and acts on what it is sent without ever answering it.
TEST_P(HttpClientOver, a_request_that_does_something_is_never_sent_twice) {
  std::atomic<int> acted = 0;
  CannedServer server([&](Connection& connection) {
    while (true) {
      const std::string request = connection.read_request();
      if (request.empty()) return;
      if (request.find("act") != std::string::npos) {
        ++acted;
        return;  // closes, without a byte
      }
      connection.answer(200, "kept");
    }
  });
  HttpClient client(options());
  // Several connections, so that there would be one for each try.
  std::vector<std::shared_ptr<Recorder>> recorders;
  for (int i = 0; i < 4; ++i) {
    recorders.push_back(std::make_shared<Recorder>());
    client.start({.url = server.url(), .body = "warm"}, {}, recorders.back());
  }
  for (const auto& recorder : recorders) EXPECT_TRUE(recorder->wait_for_end());
  const int connections = server.connections();

  const Exchanged done = exchange(client, {.url = server.url(), .body = "act"});
  ASSERT_FALSE(done.end);
  EXPECT_EQ(done.end.error().code, ErrorCode::network);
  EXPECT_NE(done.end.error().message.find("after the request had been sent"), std::string::npos)
      << done.end.error().message;
  EXPECT_EQ(acted, 1);
  // It did go over a connection that was kept, and the others are still good.
  EXPECT_TRUE(exchange(client, {.url = server.url(), .body = "warm"}).end);
  EXPECT_LE(server.connections(), connections + 1);
}

TEST_P(HttpClientOver, a_request_that_only_reads_is_repeated_on_a_fresh_connection) {
  std::atomic<int> asked = 0;
  CannedServer server([&](Connection& connection) {
    for (int here = 0; here < 2; ++here) {
      if (connection.read_request().empty()) return;
      if (++asked == 2) return;
      connection.answer(200, "kept");
    }
  });
  HttpClient client(options());
  EXPECT_TRUE(exchange(client, {.url = server.url(), .method = "GET"}).end);
  const Exchanged again = exchange(client, {.url = server.url(), .method = "GET"});
  EXPECT_TRUE(again.end) << again.end.error().message;
  EXPECT_EQ(asked, 3);
}

// What is started in the client's own thread ends there, but never before start() has returned.
TEST_P(HttpClientOver, a_receiver_is_never_called_while_its_exchange_is_being_started) {
  HttpClient client(options());
  const auto recorder = std::make_shared<Recorder>();
  std::promise<bool> had_ended;
  client.loop().post([&] {
    client.start({.url = "http://127.0.0.1:9/", .headers = {{"X", "a\r\nb"}}}, {}, recorder);
    had_ended.set_value(recorder->has_ended());
  });
  EXPECT_FALSE(had_ended.get_future().get());
  EXPECT_FALSE(recorder->wait_for_end());
}

TEST_P(HttpClientOver, passes_over_informational_heads) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n");
    connection.answer(200, "ok");
  });
  HttpClient client(options());
  const auto answer = exchange(client, {.url = server.url()});
  EXPECT_EQ(answer.head.status, 200);
  EXPECT_EQ(find_header(answer.head.headers, "link"), "");
}

TEST_P(HttpClientOver, does_not_follow_redirects_which_would_take_the_key_elsewhere) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.answer(302, "", "Location: http://127.0.0.1:1/elsewhere\r\n");
  });
  HttpClient client(options());
  const auto answer = exchange(client, {.url = server.url()});
  ASSERT_TRUE(answer.end);
  EXPECT_EQ(answer.head.status, 302);
}

TEST_P(HttpClientOver, many_exchanges_wait_at_once_in_one_thread) {
  constexpr int kCount = 200;
  std::latch all_asked(kCount);
  CannedServer server([&](Connection& connection) {
    const std::string request = connection.read_request();
    all_asked.count_down();
    all_asked.wait();  // nobody is answered before everybody has asked
    connection.answer(200, request.substr(request.find("\r\n\r\n") + 4));
  });
  HttpClient client(options());
  std::vector<std::shared_ptr<Recorder>> recorders;
  for (int i = 0; i < kCount; ++i) {
    recorders.push_back(std::make_shared<Recorder>());
    client.start({.url = server.url(), .body = std::to_string(i)}, {}, recorders.back());
  }
  for (int i = 0; i < kCount; ++i) {
    const auto index = static_cast<std::size_t>(i);
    ASSERT_TRUE(recorders[index]->wait_for_end());
    EXPECT_EQ(recorders[index]->body(), std::to_string(i));
  }
}

TEST_P(HttpClientOver, a_refused_connection_is_a_network_error_that_names_the_server) {
  std::string url;
  {
    CannedServer gone([](Connection&) {});
    url = gone.url("/secret-path");
  }
  HttpClient client(options());
  const auto answer = exchange(client, {.url = url});
  ASSERT_FALSE(answer.end);
  EXPECT_EQ(answer.end.error().code, ErrorCode::network);
  EXPECT_TRUE(answer.end.error().message.starts_with("No connection to http://127.0.0.1:"));
  EXPECT_EQ(answer.end.error().message.find("secret"), std::string::npos);
}

TEST_P(HttpClientOver, a_cut_in_the_middle_is_an_error_and_keeps_what_came) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  });
  HttpClient client(options());
  const auto answer = exchange(client, {.url = server.url()});
  ASSERT_FALSE(answer.end);
  EXPECT_EQ(answer.end.error().code, ErrorCode::network);
  EXPECT_EQ(answer.body, "half");
}

TEST_P(HttpClientOver, a_cut_of_a_chunked_body_is_an_error) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
    connection.reset();
  });
  HttpClient client(options());
  const auto answer = exchange(client, {.url = server.url()});
  ASSERT_FALSE(answer.end);
  EXPECT_EQ(answer.end.error().code, ErrorCode::network);
}

TEST_P(HttpClientOver, something_else_than_http_is_an_error) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.send("220 mail.example ESMTP\r\n");
    connection.wait_for_close();
  });
  HttpClient client(options());
  const auto answer = exchange(client, {.url = server.url()}, {.first_byte = 2'000ms});
  ASSERT_FALSE(answer.end);
}

TEST_P(HttpClientOver, silence_before_the_answer_is_a_timeout) {
  CannedServer server([](Connection& connection) { connection.wait_for_close(); });
  HttpClient client(options());
  const auto answer = exchange(client, {.url = server.url()}, {.first_byte = 20ms});
  ASSERT_FALSE(answer.end);
  EXPECT_EQ(answer.end.error().code, ErrorCode::timeout);
  EXPECT_NE(answer.end.error().message.find("did not begin to answer within 0.02 s"),
            std::string::npos)
      << answer.end.error().message;
}

TEST_P(HttpClientOver,
       silence_in_the_middle_is_a_timeout_also_when_it_is_shorter_than_the_first_wait) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
    connection.wait_for_close();
  });
  HttpClient client(options());
  const auto answer =
      exchange(client, {.url = server.url()}, {.first_byte = 3'600'000ms, .idle = 20ms});
  ASSERT_FALSE(answer.end);
  EXPECT_EQ(answer.end.error().code, ErrorCode::timeout);
  EXPECT_NE(answer.end.error().message.find("in the middle"), std::string::npos);
  EXPECT_EQ(answer.body, "half");
}

TEST_P(HttpClientOver, a_slow_trickle_ends_at_the_total_timeout) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 10'000 && connection.send("1\r\n.\r\n"); ++i) {
      std::this_thread::sleep_for(1ms);
    }
  });
  HttpClient client(options());
  const auto answer = exchange(client, {.url = server.url()}, {.idle = 5'000ms, .total = 50ms});
  ASSERT_FALSE(answer.end);
  EXPECT_EQ(answer.end.error().code, ErrorCode::timeout);
}

TEST_P(HttpClientOver, every_timeout_holds_on_a_connection_that_was_kept) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.answer(200, "kept");
    connection.wait_for_close();
  });
  for (const HttpTimeouts& timeouts :
       {HttpTimeouts{.first_byte = 20ms}, HttpTimeouts{.total = 20ms}}) {
    HttpClient client(options());
    EXPECT_TRUE(exchange(client, {.url = server.url()}).end);
    const auto answer = exchange(client, {.url = server.url()}, timeouts);
    ASSERT_FALSE(answer.end);
    EXPECT_EQ(answer.end.error().code, ErrorCode::timeout) << answer.end.error().message;
  }
  EXPECT_EQ(server.connections(), 2);
}

TEST_P(HttpClientOver, cancelling_closes_the_connection_at_once) {
  std::latch closed(1);
  CannedServer server([&](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
    connection.wait_for_close();
    closed.count_down();
  });
  HttpClient client(options());
  auto recorder = std::make_shared<Recorder>();
  const auto number = client.start({.url = server.url()}, {}, recorder);
  recorder->wait_for_body("half");
  client.cancel(number);
  client.cancel(number);
  const auto end = recorder->wait_for_end();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, ErrorCode::cancelled);
  closed.wait();
}

TEST_P(HttpClientOver, ending_the_client_ends_its_exchanges) {
  CannedServer server([](Connection& connection) { connection.wait_for_close(); });
  auto recorder = std::make_shared<Recorder>();
  {
    HttpClient client(options());
    client.start({.url = server.url()}, {}, recorder);
  }
  const auto end = recorder->wait_for_end();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, ErrorCode::cancelled);
}

TEST_P(HttpClientOver, an_error_of_the_receiver_ends_the_exchange) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
    connection.wait_for_close();
  });
  HttpClient client(options());
  auto recorder = std::make_shared<Recorder>();
  recorder->refuse("half");
  client.start({.url = server.url()}, {}, recorder);
  const auto end = recorder->wait_for_end();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "refused");
}

TEST_P(HttpClientOver, refuses_line_breaks_in_headers_and_urls) {
  HttpClient client(options());
  const auto header = exchange(client, {.url = "http://127.0.0.1:1/",
                                        .headers = {{.name = "X-Key", .value = "a\r\nX-Evil: 1"}}});
  ASSERT_FALSE(header.end);
  EXPECT_EQ(header.end.error().code, ErrorCode::invalid_argument);
  const auto url = exchange(client, {.url = "http://127.0.0.1:1/\nx"});
  ASSERT_FALSE(url.end);
  EXPECT_EQ(url.end.error().code, ErrorCode::invalid_argument);
}

TEST_P(HttpClientOver, speaks_to_web_servers_only) {
  HttpClient client(options());
  for (const char* url : {"file:///etc/passwd", "ftp://127.0.0.1/x", "", "nonsense\\"}) {
    const auto answer = exchange(client, {.url = url});
    EXPECT_FALSE(answer.end) << url;
  }
}

TEST_P(HttpClientOver, the_trace_shows_everything_but_secrets) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.answer(200, "the answer");
  });
  std::mutex mutex;
  std::string trace;
  {
    HttpClient client(options({.trace = [&](const HttpTraceEvent& event) {
      const std::lock_guard lock(mutex);
      trace += event.text;
      trace += '|';
    }}));
    exchange(client, {.url = server.url(),
                      .headers = {{.name = "X-Key", .value = "s3cret", .is_secret = true}},
                      .body = "the question"});
  }
  EXPECT_EQ(trace.find("s3cret"), std::string::npos);
  EXPECT_NE(trace.find("X-Key: ***"), std::string::npos);
  EXPECT_NE(trace.find("the question"), std::string::npos);
  EXPECT_NE(trace.find("HTTP 200\n"), std::string::npos);
  EXPECT_NE(trace.find("the answer"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(HttpClient, HttpClientOver,
                         ::testing::Values(Carrier::fitting, Carrier::libcurl),
                         testing::carrier_name);

}  // namespace
}  // namespace wright::net
