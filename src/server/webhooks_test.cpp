// Webhooks: what is signed, what is sent again, and what is given up.
#include "server/webhooks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace wright::server {
namespace {

// Answers as the test says, one after the other, and keeps what it was sent.
class Answering {
 public:
  explicit Answering(std::vector<Result<int>> answers) : answers_(std::move(answers)) {}

  Result<int> send(const HttpRequest& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    changed_.notify_all();
    return answers_.at(std::min(requests_.size(), answers_.size()) - 1);
  }
  std::vector<HttpRequest> await(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return requests_.size() >= count; });
    return requests_;
  }
  WebhookOptions options() {
    return {.urls = {"http://example.test/hook"},
            .key = std::string(32, 'k'),
            .send = [this](const HttpRequest& request, std::stop_token) { return send(request); },
            .pauses = {std::chrono::milliseconds(0), std::chrono::milliseconds(0)}};
  }

 private:
  std::vector<Result<int>> answers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<HttpRequest> requests_;
};

void end_session(Webhooks& webhooks, SessionId id, int depth = 0) {
  webhooks.observe(RunEnded{Phase::done, "a secret answer", nullptr},
                   {.session_id = id, .depth = depth, .agent = "tester", .time_ms = 7});
}

TEST(Webhooks, are_signed_as_others_sign_them) {
  // Made with the library standardwebhooks.
  const auto key = webhook_key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  ASSERT_TRUE(key);
  EXPECT_EQ(webhook_signature(*key, "msg_1", 1614265330, R"({"test":2432232314})"),
            "v1,mJoyILdRg5beWr8Qd9VefeLaVFTOHXBDoM1YbgH3xCQ=");
  EXPECT_FALSE(webhook_key("short"));
  EXPECT_FALSE(webhook_key("whsec_???"));
  EXPECT_EQ(webhook_key("a text that is long enough").value(), "a text that is long enough");
}

TEST(Webhooks, are_sent_again_with_the_same_id_until_they_are_taken) {
  Answering other({500, fail(ErrorCode::unavailable, "gone away"), 204});
  Webhooks webhooks(other.options());
  end_session(webhooks, 5);
  end_session(webhooks, 6, 1);  // of a specialist: nobody is told
  const auto requests = other.await(3);
  EXPECT_EQ(requests[0].body, requests[2].body);
  EXPECT_EQ(find_header(requests[0].headers, "webhook-id"),
            find_header(requests[2].headers, "webhook-id"));
  EXPECT_EQ(requests[0].body, R"({"type":"session.ended","timestamp":7,"data":{"session_id":5,)"
                              R"("agent":"tester","phase":"done","error":null}})");
  webhooks.drain(std::chrono::seconds(60));
  end_session(webhooks, 7);
  EXPECT_NE(other.await(4)[3].body.find("\"session_id\":7"), std::string::npos);
}

TEST(Webhooks, are_given_up_after_the_last_attempt_or_when_the_other_is_gone) {
  Answering other({500, 500, 500, 410, 200});
  Webhooks webhooks(other.options());
  end_session(webhooks, 1);
  other.await(3);
  end_session(webhooks, 2);
  other.await(4);
  end_session(webhooks, 3);
  other.await(5);
  webhooks.drain(std::chrono::seconds(60));
  // The last answer may still be on its way to the figures.
  while (webhooks.figures().waiting > 0) std::this_thread::yield();
  EXPECT_EQ(webhooks.figures().lost, 2U);
  EXPECT_EQ(webhooks.figures().delivered, 1U);
}

TEST(Webhooks, that_nobody_takes_do_not_fill_the_memory) {
  Answering other({500});
  WebhookOptions options = other.options();
  options.pauses = {std::chrono::hours(1)};
  options.most_waiting = 3;
  Webhooks webhooks(std::move(options));
  for (int i = 0; i < 10; ++i) end_session(webhooks, i + 1);
  EXPECT_LE(webhooks.figures().waiting, 3U);
  EXPECT_EQ(webhooks.figures().lost, 7U);
}

}  // namespace
}  // namespace wright::server
