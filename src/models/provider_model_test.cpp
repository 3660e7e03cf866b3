#include "models/provider_model.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>

#include "core/failed_usage.h"
#include "net/canned_server_testing.h"
#include "net/event_loop.h"

namespace wright::models {
namespace {

using net::testing::CannedServer;
using net::testing::Connection;
using namespace std::chrono_literals;

constexpr std::string_view kAnswer =
    R"({"id":"1","object":"chat.completion","model":"answered-by","choices":[{"index":0,"message":)"
    R"({"role":"assistant","content":"Hello there"},"finish_reason":"stop"}],)"
    R"("usage":{"prompt_tokens":1000000,"completion_tokens":500000}})";

std::string event(std::string_view data) {
  return "data: " + std::string(data) + "\n\n";
}
std::string text_event(std::string_view text) {
  return event(R"({"choices":[{"index":0,"delta":{"content":")" + std::string(text) + "\"}}]}");
}
const std::string kStreamEnd =
    event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})") + event("[DONE]");
constexpr std::string_view kStreamHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

Candidate candidate(const CannedServer& server, std::string name = "first") {
  return {Endpoint{.vendor = {.name = "test", .title = "Test", .base_url = server.url("/v1")},
                   .model = {.vendor = "test", .name = std::move(name)}},
          std::make_shared<Pacer>(Pace{})};
}

// Answers the n-th request with the n-th function, the last one for all that follow.
class Script {
 public:
  using Turn = std::function<void(Connection&)>;
  explicit Script(std::vector<Turn> turns)
      : turns_(std::move(turns)), server_([this](Connection& c) {
          while (true) {
            const std::string request = c.read_request();
            if (request.empty()) return;
            Turn turn;
            {
              const std::lock_guard lock(mutex_);
              turn = turns_[std::min(requests_.size(), turns_.size() - 1)];
              requests_.push_back(request);
            }
            turn(c);
            if (request.find("keep") == std::string::npos) return;
          }
        }) {}

  const CannedServer& server() const { return server_; }
  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  std::vector<Turn> turns_;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  CannedServer server_;
};

Script::Turn says(int status, std::string body, std::string headers = {}) {
  return [=](Connection& c) { c.answer(status, body, "Connection: close\r\n" + headers); };
}
Script::Turn hangs() {
  return [](Connection& c) { c.wait_for_close(); };
}

const RetryOptions kQuick{.retries = 3, .first_wait = 1ms, .longest_wait = 2ms};

struct Asked {
  Result<Response> response;
  std::string text;
  std::vector<std::string> retries;
};

class ProviderModel : public ::testing::Test {
 protected:
  std::shared_ptr<ModelBackend> model(std::vector<Candidate> candidates,
                                      RetryOptions retry = kQuick, HttpTimeouts timeouts = {}) {
    return provider_model(std::move(candidates), {retry, timeouts}, client_);
  }

  Asked ask(ModelBackend& model, Delivery delivery = Delivery::whole, std::stop_token stop = {}) {
    Asked asked{fail(ErrorCode::internal, "never asked"), {}, {}};
    const auto caller = std::this_thread::get_id();
    ModelCall call{.stop = std::move(stop)};
    call.on_retry = [&](const ModelRetry& retry) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      asked.retries.push_back(std::string(retry.next) + " after " + retry.error.message);
      asked.text.clear();
    };
    if (delivery == Delivery::streamed) {
      call.on_text = [&](std::string_view text) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        asked.text += text;
      };
    }
    asked.response = model.complete(request(), call);
    return asked;
  }

  Request request() const { return {.messages = messages_, .sampling = &sampling_}; }

  std::vector<Message> messages_{Message::user("Hello")};
  Sampling sampling_;
  std::shared_ptr<net::HttpClient> client_ = std::make_shared<net::HttpClient>();
};

TEST_F(ProviderModel, asks_the_endpoint_and_brings_its_answer) {
  Script script({says(200, std::string(kAnswer))});
  const auto asked = ask(*model({candidate(script.server())}));
  ASSERT_TRUE(asked.response) << asked.response.error().message;
  EXPECT_EQ(asked.response->text(), "Hello there");
  EXPECT_EQ(asked.response->model, "answered-by");
  ASSERT_EQ(script.requests().size(), 1U);
  EXPECT_TRUE(script.requests()[0].starts_with("POST /v1/chat/completions "));
  EXPECT_NE(script.requests()[0].find(R"("model":"first")"), std::string::npos);
}

TEST_F(ProviderModel, leaves_out_its_key_when_the_vendor_repeats_it) {
  Script script({[](Connection& c) {
                   c.send(kStreamHead);
                   for (const char* piece : {"It is plain-", "key-1", "234 then"}) {
                     c.send(text_event(piece));
                   }
                   c.send(kStreamEnd);
                 },
                 says(200, R"({"choices":[{"index":0,"message":{"role":"assistant","content":)"
                           R"("plain-key-1234"},"finish_reason":"stop"}]})")});
  Candidate keyed = candidate(script.server());
  keyed.endpoint.key = "plain-key-1234";
  const auto streamed = ask(*model({keyed}), Delivery::streamed);
  ASSERT_TRUE(streamed.response) << streamed.response.error().message;
  EXPECT_EQ(streamed.text, "It is [REDACTED] then");
  EXPECT_EQ(streamed.response->text(), "It is [REDACTED] then");
  const auto whole = ask(*model({keyed}));
  ASSERT_TRUE(whole.response) << whole.response.error().message;
  EXPECT_EQ(whole.response->text(), "[REDACTED]");
}

TEST_F(ProviderModel, says_what_the_answer_cost) {
  Script script({says(200, std::string(kAnswer))});
  Candidate priced = candidate(script.server());
  priced.endpoint.model.price = Price{.input = 2, .output = 8};
  const auto asked = ask(*model({priced}));
  ASSERT_TRUE(asked.response);
  EXPECT_DOUBLE_EQ(asked.response->usage.cost_usd, 6.0);
}

// A vendor bills what it has counted, whether an answer came of it or not.
TEST_F(ProviderModel, counts_what_attempts_used_that_came_to_nothing) {
  const std::string counted =
      R"({"choices":[],"usage":{"prompt_tokens":1000000,"completion_tokens":250000}})";
  const Script::Turn cut = [=](Connection& c) {
    c.send(kStreamHead);
    c.send(text_event("Hel") + event(counted));
  };
  Script script({cut, [](Connection& c) {
                   c.send(kStreamHead);
                   c.send(text_event("Hello there") + kStreamEnd);
                 }});
  Candidate priced = candidate(script.server());
  priced.endpoint.model.price = Price{.input = 2, .output = 8};
  const auto asked = ask(*model({priced}), Delivery::streamed);
  ASSERT_TRUE(asked.response) << asked.response.error().message;
  EXPECT_EQ(asked.response->usage.input_tokens, 1'000'000);
  EXPECT_DOUBLE_EQ(asked.response->usage.cost_usd, 4.0);

  Script always({cut});
  Candidate never = candidate(always.server());
  never.endpoint.model.price = Price{.input = 2, .output = 8};
  const auto failed = ask(*model({never}), Delivery::streamed);
  ASSERT_FALSE(failed.response);
  const Usage used = usage_in(failed.response.error());
  EXPECT_EQ(used.output_tokens, 4 * 250'000) << "four attempts";
  EXPECT_DOUBLE_EQ(used.cost_usd, 16.0);
}

TEST_F(ProviderModel, says_that_its_price_is_not_known_unless_it_costs_nothing) {
  Script script({says(200, std::string(kAnswer))});
  Candidate unpriced = candidate(script.server());
  unpriced.endpoint.vendor.needs_key = true;
  Candidate local = candidate(script.server());
  local.endpoint.vendor.needs_key = false;
  Candidate priced = unpriced;
  priced.endpoint.model.price = Price{.input = 2, .output = 8};
  EXPECT_EQ(model({unpriced})->cost_usd(1, 1), std::nullopt);
  EXPECT_EQ(model({priced, unpriced})->cost_usd(1, 1), std::nullopt);
  EXPECT_EQ(model({local})->cost_usd(1, 1), 0.0);
  EXPECT_EQ(model({local, priced})->cost_usd(1'000'000, 1'000'000), 10.0);
}

TEST_F(ProviderModel, hands_text_over_to_the_callers_thread_as_it_comes) {
  Script script({[](Connection& c) {
    c.send(kStreamHead);
    for (const char* piece : {"Hel", "lo ", "there"}) c.send(text_event(piece));
    c.send(kStreamEnd);
  }});
  const auto asked = ask(*model({candidate(script.server())}), Delivery::streamed);
  ASSERT_TRUE(asked.response) << asked.response.error().message;
  EXPECT_EQ(asked.response->text(), "Hello there");
  EXPECT_EQ(asked.text, "Hello there");
  EXPECT_NE(script.requests()[0].find(R"("stream":true)"), std::string::npos);
}

TEST_F(ProviderModel, comes_back_when_the_vendor_says) {
  Script script({says(429, R"({"error":{"message":"slow down"}})", "Retry-After: 0\r\n"),
                 says(529, R"({"error":{"message":"overloaded"}})"),
                 says(200, std::string(kAnswer))});
  const auto asked = ask(*model({candidate(script.server())}));
  ASSERT_TRUE(asked.response) << asked.response.error().message;
  ASSERT_EQ(asked.retries.size(), 2U);
  EXPECT_TRUE(asked.retries[0].starts_with("test:first after ")) << asked.retries[0];
  EXPECT_NE(asked.retries[0].find("slow down"), std::string::npos) << asked.retries[0];
}

TEST_F(ProviderModel, gives_up_after_its_retries) {
  Script script({says(500, "oops")});
  const auto asked = ask(*model({candidate(script.server())}));
  ASSERT_FALSE(asked.response);
  EXPECT_EQ(asked.response.error().code, ErrorCode::unavailable);
  EXPECT_NE(asked.response.error().message.find("(after 4 attempts)"), std::string::npos);
  EXPECT_EQ(script.requests().size(), 4U);
}

TEST_F(ProviderModel, does_not_repeat_what_cannot_help) {
  for (const int status : {400, 401, 403, 404}) {
    Script script({says(status, R"({"error":{"message":"no"}})")});
    const auto asked = ask(*model({candidate(script.server())}));
    ASSERT_FALSE(asked.response);
    EXPECT_EQ(script.requests().size(), 1U) << status;
  }
}

TEST_F(ProviderModel, starts_again_when_the_stream_is_cut) {
  Script script({[](Connection& c) {
                   c.send(kStreamHead);
                   c.send(text_event("Hel"));
                   c.reset();
                 },
                 [](Connection& c) {
                   c.send(kStreamHead);
                   c.send(text_event("He"));  // a clean end, and yet not the answer's
                 },
                 [](Connection& c) {
                   c.send(kStreamHead);
                   c.send(text_event("Hello there") + kStreamEnd);
                 }});
  const auto asked = ask(*model({candidate(script.server())}), Delivery::streamed);
  ASSERT_TRUE(asked.response) << asked.response.error().message;
  EXPECT_EQ(asked.text, "Hello there");
  EXPECT_EQ(asked.retries.size(), 2U);
}

TEST_F(ProviderModel, takes_a_complete_answer_although_the_connection_broke_after_it) {
  Script script({[](Connection& c) {
    c.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string body = text_event("Hello there") + kStreamEnd;
    char size[16];
    std::snprintf(size, sizeof(size), "%zx\r\n", body.size());
    c.send(size + body + "\r\n");  // and no last chunk
  }});
  const auto asked = ask(*model({candidate(script.server())}), Delivery::streamed);
  ASSERT_TRUE(asked.response) << asked.response.error().message;
  EXPECT_EQ(asked.response->text(), "Hello there");
  EXPECT_TRUE(asked.retries.empty());
}

TEST_F(ProviderModel, repeats_when_the_answer_is_not_json) {
  Script script({says(200, R"({"choices":[}])"), says(200, std::string(kAnswer))});
  const auto asked = ask(*model({candidate(script.server())}));
  ASSERT_TRUE(asked.response) << asked.response.error().message;
  EXPECT_EQ(asked.retries.size(), 1U);
}

TEST_F(ProviderModel, falls_back_in_order) {
  Script first({says(401, "no")});
  Script second({says(503, "busy")});
  Script third({says(200, std::string(kAnswer))});
  RetryOptions once = kQuick;
  once.retries = 0;
  const auto asked =
      ask(*model({candidate(first.server(), "one"), candidate(second.server(), "two"),
                  candidate(third.server(), "three")},
                 once));
  ASSERT_TRUE(asked.response) << asked.response.error().message;
  ASSERT_EQ(asked.retries.size(), 2U);
  EXPECT_TRUE(asked.retries[0].starts_with("test:two after "));
  EXPECT_TRUE(asked.retries[1].starts_with("test:three after "));
  EXPECT_NE(third.requests()[0].find(R"("model":"three")"), std::string::npos);
}

TEST_F(ProviderModel, tells_what_every_model_said_when_none_answered) {
  Script first({says(401, R"({"error":{"message":"bad key"}})")});
  Script second({says(404, R"({"error":{"message":"no such model"}})")});
  const auto asked =
      ask(*model({candidate(first.server(), "one"), candidate(second.server(), "two")}));
  ASSERT_FALSE(asked.response);
  EXPECT_EQ(asked.response.error().code, ErrorCode::authentication);
  EXPECT_NE(asked.response.error().message.find("bad key"), std::string::npos);
  EXPECT_NE(asked.response.error().message.find("Then test:two: "), std::string::npos);
  EXPECT_NE(asked.response.error().message.find("no such model"), std::string::npos);
}

TEST_F(ProviderModel, a_deadline_ends_all_attempts) {
  Script script({hangs()});
  RetryOptions retry = kQuick;
  retry.deadline = 30ms;
  const auto asked = ask(*model({candidate(script.server())}, retry));
  ASSERT_FALSE(asked.response);
  EXPECT_EQ(asked.response.error().code, ErrorCode::timeout);
  EXPECT_EQ(script.requests().size(), 1U);
}

TEST_F(ProviderModel, stopping_closes_the_stream_at_once) {
  std::latch closed(1);
  std::stop_source stop;
  Script script({[&](Connection& c) {
    c.send(kStreamHead);
    stop.request_stop();
    c.wait_for_close();
    closed.count_down();
  }});
  const auto asked =
      ask(*model({candidate(script.server())}), Delivery::streamed, stop.get_token());
  ASSERT_FALSE(asked.response);
  EXPECT_EQ(asked.response.error().code, ErrorCode::cancelled);
  closed.wait();
}

TEST_F(ProviderModel, stopping_ends_the_wait_before_a_retry) {
  std::stop_source stop;
  Script script({[&](Connection& c) {
    c.answer(429, "", "Connection: close\r\nRetry-After: 100\r\n");
    stop.request_stop();
  }});
  const auto asked = ask(*model({candidate(script.server())}), Delivery::whole, stop.get_token());
  ASSERT_FALSE(asked.response);
  EXPECT_EQ(asked.response.error().code, ErrorCode::cancelled);
}

TEST_F(ProviderModel, stopping_ends_the_wait_for_the_pace_and_nothing_is_sent) {
  Script script({hangs()});
  Candidate paced = candidate(script.server());
  paced.pacer->pause_until(std::chrono::steady_clock::now() + 1h);
  auto backend = model({paced});
  std::stop_source stop;
  std::promise<Result<Response>> promise;
  backend->start(request(), {.stop = stop.get_token()},
                 [&](Result<Response> response) { promise.set_value(std::move(response)); });
  // Behind the question in the same thread, so that it is waiting by then.
  client_->loop().post([&] { stop.request_stop(); });
  const auto response = promise.get_future().get();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::cancelled);
  backend.reset();
  client_.reset();  // with everything that it might still have sent
  EXPECT_EQ(script.server().connections(), 0);
}

TEST_F(ProviderModel, stopped_before_it_began_is_cancelled) {
  std::stop_source stop;
  stop.request_stop();
  Script script({hangs()});
  const auto asked = ask(*model({candidate(script.server())}), Delivery::whole, stop.get_token());
  ASSERT_FALSE(asked.response);
  EXPECT_EQ(asked.response.error().code, ErrorCode::cancelled);
}

TEST_F(ProviderModel, many_questions_wait_without_threads_of_their_own) {
  constexpr int kCount = 100;
  std::latch all_asked(kCount);
  CannedServer server([&](Connection& c) {
    (void)c.read_request();
    all_asked.count_down();
    all_asked.wait();
    c.answer(200, kAnswer);
  });
  const auto asked = model({candidate(server)});
  std::latch all_done(kCount);
  std::atomic<int> answered = 0;
  for (int i = 0; i < kCount; ++i) {
    asked->start(request(), {}, [&](Result<Response> response) {
      if (response) ++answered;
      all_done.count_down();
    });
  }
  all_done.wait();
  EXPECT_EQ(answered, kCount);
}

TEST_F(ProviderModel, knows_how_much_its_first_candidate_reads) {
  Script script({says(200, std::string(kAnswer))});
  Candidate known = candidate(script.server(), "known");
  known.endpoint.model.context_tokens = 32'000;
  const Candidate unknown = candidate(script.server(), "unknown");
  EXPECT_EQ(model({known, unknown})->context_tokens(), 32'000);
  EXPECT_EQ(model({unknown, known})->context_tokens(), 128'000);
}

TEST_F(ProviderModel, a_question_is_answered_also_when_the_client_ends) {
  Script script({says(429, "", "Retry-After: 100\r\n")});
  std::promise<void> waits;
  std::promise<Result<Response>> done;
  auto asked = model({candidate(script.server())});
  ModelCall call{.on_retry = [&](const ModelRetry&) { waits.set_value(); }};
  asked->start(request(), call, [&](Result<Response> r) { done.set_value(std::move(r)); });
  waits.get_future().get();
  asked.reset();
  client_.reset();
  const auto response = done.get_future().get();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::cancelled);
}

TEST_F(ProviderModel, tells_what_it_sent_and_never_a_key) {
  Script script({says(500, "{}"), says(200, std::string(kAnswer))});
  Candidate first = candidate(script.server());
  first.endpoint.key = "sk-a-key-of-the-test";
  first.endpoint.vendor.base_url.insert(first.endpoint.vendor.base_url.find("//") + 2, "me:pass@");
  const auto backend = model({candidate(script.server()), first});
  const auto asked = ask(*backend);
  ASSERT_TRUE(asked.response) << asked.response.error().message;

  const auto previews = backend->preview(request());
  ASSERT_TRUE(previews) << previews.error().message;
  ASSERT_EQ(previews->size(), 4U) << "two models, streamed and whole";
  const std::string sent = script.requests().back();
  const std::string body = sent.substr(sent.find("\r\n\r\n") + 4);
  EXPECT_EQ((*previews)[1].body, body);
  EXPECT_EQ(asked.response->request_fingerprint, request_fingerprint(body));
  EXPECT_NE(asked.response->request_fingerprint, request_fingerprint((*previews)[0].body));
  for (const HttpRequest& each : *previews) {
    EXPECT_TRUE(each.headers.empty());
    EXPECT_EQ((each.url + each.body).find("sk-a-key"), std::string::npos);
    EXPECT_EQ(each.url.find("pass"), std::string::npos) << each.url;
  }
}

}  // namespace
}  // namespace wright::models
