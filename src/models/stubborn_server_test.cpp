// Servers that answer, but not as they should.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/said_nothing.h"
#include "models/provider_model.h"
#include "net/canned_server_testing.h"
#include "providers/digest.h"

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
const std::string& gzip_stream();
const std::string& deflated_stream();

class StubbornServer : public ::testing::Test {
 protected:
  using Reply = std::function<void(Connection&)>;

  // Gives the n-th request the n-th reply, and the last one to all that follow.
  void replies(std::vector<Reply> replies) {
    const std::lock_guard lock(mutex_);
    replies_ = std::move(replies);
  }

  static Reply body(int status, std::string text, std::string headers = {}) {
    return [=](Connection& c) { c.answer(status, text, "Connection: close\r\n" + headers); };
  }

  Result<Response> ask(Delivery delivery = Delivery::whole, int retries = 3,
                       Protocol protocol = Protocol::openai_chat) {
    const Endpoint endpoint{.vendor = {.name = "test",
                                       .title = "Test",
                                       .protocol = protocol,
                                       .base_url = server_.url("/v1")},
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
    Reply reply;
    {
      const std::lock_guard lock(mutex_);
      last_request_ = request;
      reply = replies_[std::min(number, replies_.size() - 1)];
    }
    reply(connection);
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
  EXPECT_TRUE(has_said_nothing(response.error().code, response.error().message))
      << "specialists are told by it";
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

struct Packed {
  std::string encoding;
  const std::string& bytes;
};

// Sends `bytes` in small pieces, each with a write of its own, and then closes.
std::function<void(Connection&)> in_pieces(const std::string& encoding, std::string_view bytes) {
  return [encoding, bytes = std::string(bytes)](Connection& c) {
    c.send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
        "Content-Encoding: " +
        encoding + "\r\n\r\n");
    for (std::size_t at = 0; at < bytes.size(); at += 7) {
      c.send(std::string_view(bytes).substr(at, 7));
    }
  };
}

TEST_F(StubbornServer, that_packs_a_stream_is_understood_as_it_comes) {
  for (const Packed& packed :
       {Packed{"gzip", gzip_stream()}, Packed{"deflate", deflated_stream()}}) {
    text_bytes_ = 0;
    replies({in_pieces(packed.encoding, packed.bytes)});
    const auto response = ask(Delivery::streamed);
    ASSERT_TRUE(response) << packed.encoding << ": " << response.error().message;
    EXPECT_EQ(response->text(), "Hello");
    EXPECT_EQ(text_bytes_, 5U);
  }
}

TEST_F(StubbornServer, whose_packed_stream_breaks_off_is_asked_again) {
  for (const Packed& packed :
       {Packed{"gzip", gzip_stream()}, Packed{"deflate", deflated_stream()}}) {
    const std::string_view whole = packed.bytes;
    for (const std::size_t length : {std::size_t{5}, whole.size() / 2}) {
      const std::size_t before = requests();
      replies({in_pieces(packed.encoding, whole.substr(0, length))});
      const auto broken = ask(Delivery::streamed, 1);
      ASSERT_FALSE(broken) << packed.encoding << " after " << length << " bytes";
      EXPECT_EQ(requests(), before + 2) << broken.error().message;
    }
  }
}

class StubbornProtocol : public StubbornServer, public ::testing::WithParamInterface<Protocol> {};

// A frame of AWS's event stream with these headers, all of them strings.
std::string frame(std::vector<std::pair<std::string, std::string>> headers, std::string payload) {
  const auto number = [](std::size_t value, int bytes) {
    std::string text;
    for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xFF);
    return text;
  };
  std::string named;
  for (const auto& [name, value] : headers) {
    named += number(name.size(), 1) + name + '\7' + number(value.size(), 2) + value;
  }
  std::string bytes = number(16 + named.size() + payload.size(), 4) + number(named.size(), 4);
  bytes += number(providers::crc32(bytes), 4) + named + payload;
  return bytes + number(providers::crc32(bytes), 4);
}

// A piece of an answer that has no end, as the protocol streams it.
std::string endless_piece(Protocol protocol, const std::string& words) {
  switch (protocol) {
    case Protocol::openai_chat:
      return R"(data: {"choices":[{"index":0,"delta":{"content":")" + words + "\"}}]}\n\n";
    case Protocol::openai_responses:
      return R"(data: {"type":"response.output_text.delta","output_index":0,"content_index":0,)"
             R"("delta":")" +
             words + "\"}\n\n";
    case Protocol::anthropic_messages:
      return R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})"
             "\n\n"
             R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
             words + "\"}}\n\n";
    case Protocol::gemini_generate:
      return R"(data: {"candidates":[{"content":{"parts":[{"text":")" + words + "\"}]}}]}\n\n";
    case Protocol::ollama_chat:
      return R"({"message":{"content":")" + words + "\"},\"done\":false}\n";
    case Protocol::bedrock_converse:
      return frame({{":message-type", "event"}, {":event-type", "contentBlockDelta"}},
                   R"({"contentBlockIndex":0,"delta":{"text":")" + words + "\"}}");
  }
  return {};
}

TEST_P(StubbornProtocol, that_never_stops_talking_is_stopped) {
  replies({[](Connection& c) {
    c.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
    const std::string event = endless_piece(GetParam(), std::string(1 << 20, 'x'));
    for (int i = 0; i < 64 && c.send(event); ++i) {
    }
  }});
  const auto response = ask(Delivery::streamed, 3, GetParam());
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::protocol);
  EXPECT_NE(response.error().message.find("Test sent more than 32 MB"), std::string::npos)
      << response.error().message;
  EXPECT_EQ(requests(), 1U);
  EXPECT_GE(text_bytes_, std::size_t{30} << 20);
  EXPECT_LE(text_bytes_, std::size_t{34} << 20);
}

TEST_P(StubbornProtocol, that_sends_a_document_without_end_is_stopped) {
  constexpr std::size_t kWhole = std::size_t{70} << 20;
  // The server may still be sending when the test's body has ended: nothing of it is used here.
  replies({[](Connection& c) {
    c.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" +
           std::string(R"({"padding":")"));
    const std::string piece(1 << 20, 'x');
    std::size_t sent = 0;
    while (sent < kWhole && c.send(piece)) sent += piece.size();
    c.send("\"}");
  }});
  const auto response = ask(Delivery::whole, 3, GetParam());
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::protocol);
  EXPECT_NE(response.error().message.find("Test sent more than 32 MB"), std::string::npos)
      << response.error().message;
  EXPECT_EQ(requests(), 1U);
}

TEST_P(StubbornProtocol, that_is_not_the_api_is_called_what_it_is_and_left_alone) {
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
      const auto response = ask(delivery, 3, GetParam());
      ASSERT_FALSE(response) << odd.words;
      EXPECT_NE(response.error().message.find(odd.words), std::string::npos)
          << response.error().message;
      EXPECT_EQ(requests(), before + 1) << odd.words;
    }
  }
}

TEST_P(StubbornProtocol, that_sends_broken_json_is_asked_again) {
  replies({body(200, R"({"output": what is this?)")});
  const auto response = ask(Delivery::whole, 3, GetParam());
  ASSERT_FALSE(response);
  EXPECT_EQ(requests(), 4U) << response.error().message;
}

INSTANTIATE_TEST_SUITE_P(All, StubbornProtocol,
                         ::testing::Values(Protocol::openai_chat, Protocol::openai_responses,
                                           Protocol::anthropic_messages, Protocol::gemini_generate,
                                           Protocol::ollama_chat, Protocol::bedrock_converse),
                         [](const auto& info) {
                           std::string name(to_string(info.param));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

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

// gzip of a stream that says "Hello".
const std::string& gzip_stream() {
  static const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x8d\x8c\xb1\x0a\xc3\x30\x0c\x05\x77\x7f\x45\x79"
      "\xb3\x87\xce\x9a\x5b\xc8\x94\x7e\x40\x08\x45\xd8\x2a\x31\x18\xab\x44\x1a\x0a\xc6\xff\x9e"
      "\x6c\xed\xd8\xed\x38\xb8\xcb\xec\x4c\x97\x8e\xb4\x69\x49\x62\xa0\xa5\xa3\xb4\x2c\x1f\xd0"
      "\x35\x22\x4b\x75\x06\x75\xec\x5a\x05\x04\x36\x2b\xe6\xdc\x1c\x11\x49\x9b\xcb\x49\x84\x49"
      "\x2a\xc6\x58\x47\x08\xf9\xbf\xdb\x37\xad\x8a\x11\xf1\x2a\xad\xd8\xf6\xdc\x85\x4d\xdb\x69"
      "\xcd\xf5\x8d\x9f\xe1\x72\x7b\xcc\xf7\x35\x84\x03\x85\x30\xed\xec\xad\x00\x00\x00",
      130);
  return packed;
}

// deflate of a stream that says "Hello".
const std::string& deflated_stream() {
  static const std::string packed(
      "\x78\xda\x8d\x8c\xb1\x0a\xc3\x30\x0c\x05\x77\x7f\x45\x79\xb3\x87\xce\x9a\x5b\xc8\x94\x7e"
      "\x40\x08\x45\xd8\x2a\x31\x18\xab\x44\x1a\x0a\xc6\xff\x9e\x6c\xed\xd8\xed\x38\xb8\xcb\xec"
      "\x4c\x97\x8e\xb4\x69\x49\x62\xa0\xa5\xa3\xb4\x2c\x1f\xd0\x35\x22\x4b\x75\x06\x75\xec\x5a"
      "\x05\x04\x36\x2b\xe6\xdc\x1c\x11\x49\x9b\xcb\x49\x84\x49\x2a\xc6\x58\x47\x08\xf9\xbf\xdb"
      "\x37\xad\x8a\x11\xf1\x2a\xad\xd8\xf6\xdc\x85\x4d\xdb\x69\xcd\xf5\x8d\x9f\xe1\x72\x7b\xcc"
      "\xf7\x35\x84\x03\x9c\x34\x38\xe7",
      118);
  return packed;
}

}  // namespace
}  // namespace wright::models
