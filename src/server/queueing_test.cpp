// What a server leaves to workers of the same store.
#include <atomic>

#include "server/service_testing.h"

namespace wright::server {
namespace {

constexpr const char* kSessions = "/api/v1/sessions";
constexpr const char* kMessages = "/api/v1/sessions/1/messages";

Session stored(ServedService& served) {
  return served.store().get_session(1).value();
}

// A session that has ended, and asks for a place if it is to.
void end_one(ServedService& served, std::vector<std::string> labels = {}) {
  const SessionId id = served.store()
                           .create_session({.agent_name = "parrot",
                                            .user_prompt = "one",
                                            .labels = std::move(labels)})
                           .value();
  ASSERT_TRUE(served.store().apply_one(
      UpdateSession{.session_id = id, .status = SessionStatus::completed, .result = "one"}));
}

TEST(Queueing, a_message_waits_for_a_worker_when_somebody_wants_it_so) {
  std::atomic<int> hints = 0;
  ServedService served({.queued = [&] { ++hints; }});
  end_one(served);
  const Answered sent = served.ask("POST", kMessages, R"({"text":"two","queue":{"priority":3}})");
  EXPECT_EQ(sent.status, 202) << sent.body;
  EXPECT_EQ(sent.json().at("status").as_string(), "queued");
  EXPECT_EQ(stored(served).priority, 3);
  EXPECT_EQ(hints, 1);
  const auto messages = served.store().get_messages(1).value();
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages.back().message, Message::user("two"));
  EXPECT_EQ(served.ask("POST", kMessages, R"({"text":"three","queue":{}})").status, 503)
      << "it has not ended";
  EXPECT_EQ(served.store().get_messages(1).value().size(), messages.size());
}

TEST(Queueing, a_message_waits_for_a_worker_that_has_the_place) {
  ServedService served({.labels = {"office"}});
  end_one(served, {"shop"});
  EXPECT_EQ(served.ask("POST", kMessages, R"({"text":"two"})").status, 202);
  EXPECT_EQ(stored(served).status, SessionStatus::queued);
  ServedService in_shop({.labels = {"shop", "office"}});
  end_one(in_shop, {"shop"});
  EXPECT_EQ(in_shop.ask("POST", kMessages, R"({"text":"two"})").status, 202);
  EXPECT_NE(stored(in_shop).status, SessionStatus::queued) << "it is driven here";
}

TEST(Queueing, refuses_what_makes_no_sense) {
  ServedService served;
  end_one(served);
  for (const char* body : {R"({"text":"two","queue":true})", R"({"text":"two","queue":{"x":1}})",
                           R"({"text":"two","queue":{"labels":["shop"]}})",
                           R"({"text":"two","queue":{},"steer":true})",
                           R"({"text":"two","queue":{"delay_ms":-1}})"}) {
    EXPECT_EQ(served.ask("POST", kMessages, body).status, 400) << body;
  }
  EXPECT_EQ(stored(served).status, SessionStatus::completed);
}

TEST(Queueing, a_server_that_drives_nothing_leaves_all_to_workers) {
  ServedService served({.most_running = 0});
  const Answered begun = served.ask("POST", kSessions, R"({"agent":"parrot","prompt":"one"})");
  EXPECT_EQ(begun.status, 201) << begun.body;
  EXPECT_EQ(begun.json().at("status").as_string(), "queued");
  const Answered asked = served.ask("POST", "/v1/chat/completions",
                                    R"({"model":"parrot","messages":[{"role":"user",)"
                                    R"("content":"hi"}]})");
  EXPECT_EQ(asked.status, 429) << asked.body;
  EXPECT_EQ(asked.json().at("error").at("type").as_string(), "rate_limit_error");
}

TEST(Queueing, refuses_what_workers_could_not_keep) {
  ServedService served({.most_running = 0});
  end_one(served);
  for (const char* more : {R"("cancel_on_disconnect":true)", R"("people":"nobody")"}) {
    const std::string begin = fmt::format(R"({{"agent":"parrot","prompt":"one",{}}})", more);
    EXPECT_EQ(served.ask("POST", kSessions, begin).status, 422) << more;
    const std::string next = fmt::format(R"({{"text":"two",{}}})", more);
    EXPECT_EQ(served.ask("POST", kMessages, next).status, 422) << more;
  }
  EXPECT_EQ(stored(served).status, SessionStatus::completed);
}

TEST(Queueing, a_full_server_asks_to_come_again) {
  std::atomic<bool> is_held = true;
  Served what{.most_running = 1};
  what.model = model_from("test", "slow",
                          [&](const wright::Request&, const ModelCall&) -> Result<wright::Response> {
                            is_held.wait(true);
                            return testing::says("Done");
                          });
  ServedService served(std::move(what));
  EXPECT_EQ(served.ask("POST", kSessions, R"({"agent":"parrot","prompt":"one"})").status, 201);
  const Answered refused = served.ask("POST", kSessions, R"({"agent":"parrot","prompt":"two"})");
  EXPECT_EQ(refused.status, 429) << refused.body;
  EXPECT_NE(refused.head.find("Retry-After: 1"), std::string::npos) << refused.head;
  is_held = false;
  is_held.notify_all();
}

}  // namespace
}  // namespace wright::server
