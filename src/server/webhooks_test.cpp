// Webhooks: what is signed, what is sent again, and what is given up.
#include "server/webhooks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

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

// A store with sessions that end, and those who tell of them.
class WebhooksTest : public ::testing::Test {
 protected:
  SessionId new_session(std::optional<SessionId> parent = {}) {
    return value(store_->create_session({.agent_name = "tester", .parent_session_id = parent}));
  }
  // As a runtime would have it written.
  std::vector<StoredEvent> end(SessionId id) {
    const std::vector<NewEvent> events{
        {.type = "text_delta", .data = {{"text", "a secret answer"}}, .at = 7},
        {.type = "run_ended",
         .data = {{"phase", "done"}, {"text", "a secret answer"}, {"error", nullptr}},
         .at = 7}};
    const auto ids = value(store_->apply_one(AppendEvents{id, events}));
    return value(store_->get_events({.after = ids.events.front() - 1, .limit = 2}));
  }
  template <class T>
  static T value(Result<T> result) {
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return std::move(*result);
  }

  std::unique_ptr<Store> store_ = open_memory_store();
};

// Events count from when it is ready.
void wait_until_ready(Webhooks& webhooks) {
  webhooks.drain(std::chrono::seconds(60));
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

TEST_F(WebhooksTest, are_sent_again_with_the_same_id_until_they_are_taken) {
  Answering other({500, fail(ErrorCode::unavailable, "gone away"), 204});
  Webhooks webhooks(*store_, other.options());
  wait_until_ready(webhooks);
  const SessionId id = new_session();
  webhooks.tell(end(id));
  webhooks.tell(end(new_session(id)));  // of a specialist: nobody is told
  const auto requests = other.await(3);
  EXPECT_EQ(requests[0].body, requests[2].body);
  EXPECT_EQ(find_header(requests[0].headers, "webhook-id"),
            find_header(requests[2].headers, "webhook-id"));
  EXPECT_EQ(requests[0].body, R"({"type":"session.ended","timestamp":7,"data":{"session_id":1,)"
                              R"("agent":"tester","phase":"done","error":null}})");
  webhooks.drain(std::chrono::seconds(60));
  EXPECT_EQ(webhooks.figures().delivered, 1U);
  webhooks.tell(end(new_session()));
  EXPECT_NE(other.await(4)[3].body.find("\"session_id\":3"), std::string::npos);
}

TEST_F(WebhooksTest, say_each_time_that_one_was_not_delivered_and_to_whom) {
  Answering other({500, fail(ErrorCode::unavailable, "gone away"), 410, 200});
  WebhookOptions options = other.options();
  options.urls = {"https://name:pass@example.test:8443/hook/secret-path?key=secret-query"};
  std::mutex mutex;
  std::string log;
  options.logger = line_logger(LogFormat::text, LogLevel::warning, [&](std::string_view line) {
    const std::lock_guard lock(mutex);
    log += line;
  });
  Webhooks webhooks(*store_, options);
  wait_until_ready(webhooks);
  webhooks.tell(end(new_session()));
  (void)other.await(3);
  webhooks.tell(end(new_session()));
  (void)other.await(4);
  webhooks.drain(std::chrono::seconds(60));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(std::ranges::count(log, '\n'), 3) << log;
  EXPECT_TRUE(log.contains("HTTP status 500")) << log;
  EXPECT_TRUE(log.contains("gone away")) << log;
  EXPECT_TRUE(log.contains("given up")) << log;
  EXPECT_TRUE(log.contains("to=https://example.test:8443 ")) << log;
  EXPECT_FALSE(log.contains("secret") || log.contains("pass")) << log;
}

TEST_F(WebhooksTest, are_given_up_after_the_last_attempt_or_when_the_other_is_gone) {
  Answering other({500, 500, 500, 410, 200});
  Webhooks webhooks(*store_, other.options());
  wait_until_ready(webhooks);
  for (const std::size_t attempts : {3U, 4U, 5U}) {
    webhooks.tell(end(new_session()));
    other.await(attempts);
    webhooks.drain(std::chrono::seconds(60));
  }
  EXPECT_EQ(webhooks.figures().lost, 2U);
  EXPECT_EQ(webhooks.figures().delivered, 1U);
  EXPECT_EQ(webhooks.figures().waiting, 0U);
}

TEST_F(WebhooksTest, that_were_not_taken_are_sent_by_the_next_process) {
  Answering away({500});
  WebhookOptions options = away.options();
  // More attempts than the first process can make before it ends, however slow the machine is.
  options.pauses.assign(10'000, std::chrono::milliseconds(1));
  {
    Webhooks first(*store_, options);
    wait_until_ready(first);
    first.tell(end(new_session()));
    away.await(1);
  }
  end(new_session());  // while no process is there to tell of it
  Answering there({200});
  options.send = there.options().send;
  Webhooks second(*store_, options);
  const auto requests = there.await(2);
  second.drain(std::chrono::seconds(60));
  EXPECT_EQ(second.figures().delivered, 2U);
  std::string all = requests[0].body + requests[1].body;
  EXPECT_NE(all.find("\"session_id\":1"), std::string::npos);
  EXPECT_NE(all.find("\"session_id\":2"), std::string::npos);
  EXPECT_EQ(there.await(2).size(), 2U);
}

TEST_F(WebhooksTest, are_told_once_by_all_who_share_a_store) {
  Answering other({200});
  Webhooks one(*store_, other.options());
  Webhooks two(*store_, other.options());
  wait_until_ready(one);
  wait_until_ready(two);
  for (int i = 0; i < 5; ++i) {
    const auto events = end(new_session());
    one.tell(events);
    two.tell(events);
  }
  one.drain(std::chrono::seconds(60));
  two.drain(std::chrono::seconds(60));
  EXPECT_EQ(one.figures().delivered + two.figures().delivered, 5U);
  EXPECT_EQ(other.await(5).size(), 5U);
}

TEST_F(WebhooksTest, say_what_a_session_waits_for_and_not_what_was_said) {
  Answering other({200});
  Webhooks webhooks(*store_, other.options());
  wait_until_ready(webhooks);
  const SessionId id = new_session();
  const Json wait{{"wait_id", 4},   {"session_id", id},   {"call_id", "c"},
                  {"name", "bash"}, {"kind", "approval"}, {"shown", "a secret command"}};
  const auto ids = value(store_->apply_one(
      AppendEvents{id, {{.type = "run_waiting", .data = {{"waits", JsonArray{wait}}}, .at = 9}}}));
  webhooks.tell(value(store_->get_events({.after = ids.events.front() - 1})));
  EXPECT_EQ(other.await(1)[0].body,
            R"({"type":"session.waiting","timestamp":9,"data":{"session_id":1,"agent":"tester",)"
            R"("waits":[{"id":4,"session_id":1,"kind":"approval","tool":"bash"}]}})");
}

}  // namespace
}  // namespace wright::server
