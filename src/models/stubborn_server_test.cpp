// Servers that answer, but not as they should.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "models/provider_model.h"
#include "net/canned_server.h"

namespace wright::models {
namespace {

using net::testing::CannedServer;
using net::testing::Connection;
using namespace std::chrono_literals;

constexpr std::string_view kGoodAnswer =
    R"({"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},)"
    R"("finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}})";
constexpr std::string_view kEmptyAnswer =
    R"({"choices":[{"index":0,"message":{"role":"assistant","content":" \n"},)"
    R"("finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}})";

// gzip of kGoodAnswer.
const std::string& packed_answer();

class StubbornServer : public ::testing::Test {
 protected:
  using Reply = std::function<void(Connection&)>;

  // Gives the n-th request the n-th reply, and the last one to all that follow.
  void replies(std::vector<Reply> replies) { replies_ = std::move(replies); }

  static Reply body(int status, std::string text, std::string headers = {}) {
    return [=](Connection& c) { c.answer(status, text, "Connection: close\r\n" + headers); };
  }

  Result<Response> ask(Delivery delivery = Delivery::whole, int retries = 3) {
    const Endpoint endpoint{
        .vendor = {.name = "test", .title = "Test", .base_url = server_.url("/v1")},
        .model = {.vendor = "test", .name = "model"}};
    const auto model =
        provider_model({Candidate{endpoint, std::make_shared<Pacer>(Pace{})}},
                       {{.retries = retries, .first_wait = 1ms, .longest_wait = 2ms}, {}}, client_);
    const std::vector<Message> messages{Message::user("Hello")};
    const Sampling sampling;
    ModelCall call;
    if (delivery == Delivery::streamed) {
      call.on_text = [&](std::string_view text) { text_bytes_ += text.size(); };
    }
    return model->complete({.messages = messages, .sampling = &sampling}, call);
  }

  std::size_t requests() const { return requests_; }
  std::string last_request() {
    const std::lock_guard lock(mutex_);
    return last_request_;
  }
  std::size_t text_bytes_ = 0;

 private:
  void serve(Connection& connection) {
    const std::string request = connection.read_request();
    if (request.empty()) return;
    const std::size_t number = requests_++;
    {
      const std::lock_guard lock(mutex_);
      last_request_ = request;
    }
    replies_[std::min(number, replies_.size() - 1)](connection);
  }

  std::vector<Reply> replies_;
  std::atomic<std::size_t> requests_ = 0;
  std::mutex mutex_;
  std::string last_request_;
  CannedServer server_{[this](Connection& c) { serve(c); }};
  std::shared_ptr<net::HttpClient> client_ =
      std::make_shared<net::HttpClient>(net::HttpClient::Options{.proxy = ""});
};

TEST_F(StubbornServer, is_asked_for_plain_bodies_and_understood_when_it_packs_them) {
  replies({body(200, packed_answer(), "Content-Encoding: gzip\r\n")});
  const auto response = ask();
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->text(), "Hello");
  EXPECT_NE(last_request().find("Accept-Encoding: identity\r\n"), std::string::npos);
}

TEST_F(StubbornServer, that_says_nothing_is_asked_once_more) {
  replies({body(200, std::string(kEmptyAnswer)), body(200, std::string(kGoodAnswer))});
  const auto response = ask();
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->text(), "Hello");
  EXPECT_EQ(response->usage.input_tokens, 20);  // both were paid for
  EXPECT_EQ(response->usage.output_tokens, 10);
  EXPECT_EQ(requests(), 2U);
}

TEST_F(StubbornServer, that_keeps_saying_nothing_is_reported) {
  replies({body(200, std::string(kEmptyAnswer))});
  const auto response = ask();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::answer_cut);
  EXPECT_NE(response.error().message.find("without having said anything"), std::string::npos)
      << response.error().message;
  EXPECT_EQ(requests(), 2U);
}

TEST_F(StubbornServer, that_says_nothing_is_not_asked_again_where_nothing_is) {
  replies({body(200, std::string(kEmptyAnswer))});
  EXPECT_FALSE(ask(Delivery::whole, 0));
  EXPECT_EQ(requests(), 1U);
}

TEST_F(StubbornServer, that_stops_at_a_limit_has_said_something) {
  replies({body(200, R"({"choices":[{"index":0,"message":{"role":"assistant","content":""},)"
                     R"("finish_reason":"length"}]})")});
  const auto response = ask();
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->stop_reason, StopReason::max_tokens);
  EXPECT_EQ(requests(), 1U);
}

TEST_F(StubbornServer, that_never_stops_talking_is_stopped) {
  replies({[](Connection& c) {
    c.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
    const std::string event = R"(data: {"choices":[{"index":0,"delta":{"content":")" +
                              std::string(1 << 20, 'x') + "\"}}]}\n\n";
    for (int i = 0; i < 64 && c.send(event); ++i) {
    }
  }});
  const auto response = ask(Delivery::streamed);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::protocol);
  EXPECT_NE(response.error().message.find("more than 32 MB"), std::string::npos)
      << response.error().message;
  EXPECT_EQ(requests(), 1U);
  EXPECT_LE(text_bytes_, std::size_t{34} << 20);
}

TEST_F(StubbornServer, that_is_not_the_api_is_called_what_it_is_and_left_alone) {
  struct Odd {
    int status;
    std::string body;
    std::string headers;
    std::string_view words;
  };
  for (
      const Odd& odd : std::vector<Odd>{
          {200, "<html><title>Welcome</title></html>", "",
           "a web page instead of a model's "
           "answer: Welcome"},
          {200, "It works!\n", "Content-Type: text/plain\r\n",
           "plain text instead of a model's answer: It works!"},
          {301, "", "Location: https://elsewhere.example/\r\n", "to https://elsewhere.example/"},
          {307, "", "", "sent the request elsewhere (HTTP 307)"},
          {429,
           R"({"error":{"message":"Request too large for model on tokens per min","code":"rate_limit_exceeded"}})",
           "", "Request too large"},
          {400, R"({"error":{"message":"no","type":"invalid_request_error"}})", "", "refused"},
          {500, "", "x-should-retry: false\r\n", "(HTTP 500)"},
      }) {
    for (const Delivery delivery : {Delivery::whole, Delivery::streamed}) {
      const std::size_t before = requests();
      replies({body(odd.status, odd.body, odd.headers)});
      const auto response = ask(delivery);
      ASSERT_FALSE(response) << odd.words;
      EXPECT_NE(response.error().message.find(odd.words), std::string::npos)
          << response.error().message;
      EXPECT_EQ(requests(), before + 1) << odd.words;
    }
  }
}

const std::string& packed_answer() {
  static const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x3d\x8d\x41\x0a\x02\x31\x10\x04\xff\xd2\xe7\x1c"
      "\xd6\x83\x97\xbc\xc0\x3f\x88\x2c\x61\x1d\x77\x07\x93\x99\x90\x19\x41\x08\xf9\xbb\xf1\xa0"
      "\xa7\x6e\xba\xa0\xba\x63\x3b\x94\x37\x32\xc4\x6b\x07\xcb\x9d\xde\x88\x4b\x40\x21\xb3\xb4"
      "\x13\x62\x47\xd3\x3c\x13\xc9\x8c\xcd\x93\x38\x02\x36\x15\xa7\xd9\x22\x2e\x94\xb3\x62\x04"
      "\x3c\x58\xd8\x8e\xb5\x51\x32\x95\x09\xcc\xb5\x62\xdc\x02\x5e\x3f\x4f\x6d\x5a\xaa\xaf\xae"
      "\x4f\x92\x79\x77\x5a\xbe\x9e\x52\x33\x39\xab\xfc\xe7\xf3\x18\x1f\x52\x7a\xd7\xa0\x94\x00"
      "\x00\x00",
      134);
  return packed;
}

}  // namespace
}  // namespace wright::models
