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
  const SessionId id =
      served.store()
          .create_session(
              {.agent_name = "parrot", .user_prompt = "one", .labels = std::move(labels)})
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
  for (const char* body :
       {R"({"text":"two","queue":true})", R"({"text":"two","queue":{"x":1}})",
        R"({"text":"two","queue":{"labels":["shop"]}})",
        R"({"text":"two","queue":{},"steer":true})", R"({"text":"two","queue":{"delay_ms":-1}})"}) {
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
  EXPECT_EQ(asked.status, 503) << asked.body;
  EXPECT_EQ(asked.json().at("error").at("type").as_string(), "server_error");
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

TEST(Queueing, an_agent_that_needs_a_place_waits_for_a_worker_that_has_it) {
  const auto gpu = [] {
    return tool("render", "", [](const Context&) { return Json(1); },
                {.effect = Effect::read, .labels = {"gpu"}});
  };
  ServedService served({.tools = {gpu()}, .labels = {"office"}});
  const Answered begun = served.ask("POST", kSessions, R"({"agent":"parrot","prompt":"one"})");
  EXPECT_EQ(begun.status, 201) << begun.body;
  EXPECT_EQ(begun.json().at("status").as_string(), "queued");
  EXPECT_EQ(stored(served).labels, std::vector<std::string>{"gpu"});
  const Answered more = served.ask(
      "POST", kSessions, R"({"agent":"parrot","prompt":"one","queue":{"labels":["shop"]}})");
  EXPECT_EQ(more.status, 201) << more.body;
  EXPECT_EQ(served.store().get_session(2).value().labels,
            (std::vector<std::string>{"gpu", "shop"}));

  ServedService with_gpu({.tools = {gpu()}, .labels = {"gpu"}});
  const Answered here = with_gpu.ask("POST", kSessions, R"({"agent":"parrot","prompt":"one"})");
  EXPECT_EQ(here.status, 201) << here.body;
  EXPECT_NE(here.json().at("status").as_string(), "queued") << "it is driven here";
}

TEST(Queueing, a_full_queue_asks_to_come_again) {
  ServedService served({.queue_limits = {.most = 3, .most_of_each = 1}});
  const auto queue = [&](const char* tenant) {
    return served.ask(
        "POST", kSessions,
        fmt::format(R"({{"agent":"parrot","prompt":"one","tenant":"{}","queue":{{}}}})", tenant));
  };
  EXPECT_EQ(queue("loud").status, 201);
  const Answered refused = queue("loud");
  EXPECT_EQ(refused.status, 429) << refused.body;
  EXPECT_NE(refused.head.find("Retry-After: 1"), std::string::npos) << refused.head;
  EXPECT_NE(refused.head.find("application/problem+json"), std::string::npos) << refused.head;
  EXPECT_EQ(refused.json().at("code").as_string(), "rate_limited");
  EXPECT_EQ(queue("quiet").status, 201);
  EXPECT_EQ(queue("third").status, 201);
  EXPECT_EQ(queue("fourth").status, 429) << "too many in all";
  EXPECT_EQ(served.store().list_sessions({}).value().size(), 3U);

  // The next message of a session that has ended.
  const SessionId id =
      served.store().create_session({.agent_name = "parrot", .user_prompt = "one"}).value();
  ASSERT_TRUE(served.store().apply_one(
      UpdateSession{.session_id = id, .status = SessionStatus::completed, .result = "one"}));
  EXPECT_EQ(served
                .ask("POST", fmt::format("/api/v1/sessions/{}/messages", id),
                     R"({"text":"two","queue":{}})")
                .status,
            429);
  EXPECT_EQ(served.store().get_session(id).value().status, SessionStatus::completed);
}

TEST(Queueing, a_full_server_asks_to_come_again) {
  std::atomic<bool> is_held = true;
  Served what{.most_running = 1};
  what.model = model_from(
      "test", "slow", [&](const wright::Request&, const ModelCall&) -> Result<wright::Response> {
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
