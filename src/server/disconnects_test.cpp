// Clients that go away: they cancel nothing, unless they asked for it.
#include <atomic>
#include <future>

#include "server/service_testing.h"

namespace wright::server {
namespace {

// Answers when it is let go, or fails when it is stopped.
class HeldModel {
 public:
  Model model() {
    return model_from(
        "test", "held",
        [this](const wright::Request&, const ModelCall& call) -> Result<wright::Response> {
          const std::stop_callback stopped(call.stop, [this] { let_go(); });
          begun_.set_value();
          gone_.get_future().wait();
          if (call.stop.stop_requested()) {
            return fail(ErrorCode::cancelled, "The model was stopped");
          }
          return testing::says("done");
        });
  }
  void wait_until_asked() { begun_.get_future().wait(); }
  void let_go() {
    if (!is_gone_.exchange(true)) gone_.set_value();
  }

 private:
  std::promise<void> begun_;
  std::promise<void> gone_;
  std::atomic<bool> is_gone_ = false;
};

struct Asked {
  const char* path;
  std::string body;
  std::string headers = {};
};

// A client that waits for its answer while the model is asked.
struct UnderWay {
  explicit UnderWay(const Asked& asked) {
    peer.write(ServedService::request_text("POST", asked.path, asked.body, asked.headers));
    held.wait_until_asked();
  }
  SessionStatus status_at_end() {
    const SessionId id = served.store().list_sessions({}).value().at(0).id;
    (void)served.runtime().wait(id);
    return served.store().get_session(id).value().status;
  }

  HeldModel held = {};
  ServedService served{Served{.model = held.model(), .can_ask = false}};
  http::RawPeer peer{served.http()};
};

// What becomes of the session whose client leaves.
SessionStatus left_alone(const Asked& asked) {
  UnderWay under_way(asked);
  under_way.peer.leave();
  const bool cancels = asked.headers.find(": true") != std::string::npos ||
                       asked.body.find(R"("cancel_on_disconnect":true)") != std::string::npos;
  if (!cancels) {
    // The server has noticed by now: it answers in the order of what it hears.
    EXPECT_EQ(under_way.served.ask("GET", "/healthz").status, 200);
    under_way.held.let_go();
  }
  return under_way.status_at_end();
}

constexpr const char* kChatBody =
    R"({"model":"parrot","messages":[{"role":"user","content":"x"}]})";
constexpr const char* kStreamedBody =
    R"({"model":"parrot","stream":true,"messages":[{"role":"user","content":"x"}]})";
constexpr const char* kCancels = "X-Wright-Cancel-On-Disconnect: true\r\n";

TEST(Disconnects, cancel_nothing) {
  EXPECT_EQ(left_alone({"/v1/chat/completions", kChatBody}), SessionStatus::completed);
  EXPECT_EQ(left_alone({"/v1/chat/completions", kStreamedBody}), SessionStatus::completed);
  EXPECT_EQ(left_alone({"/v1/chat/completions", kStreamedBody,
                        "X-Wright-Cancel-On-Disconnect: false\r\n"}),
            SessionStatus::completed);
  EXPECT_EQ(left_alone({"/api/v1/sessions", R"({"agent":"parrot","prompt":"x"})"}),
            SessionStatus::completed);
}

TEST(Disconnects, cancel_the_session_of_whoever_asked_for_it) {
  EXPECT_EQ(left_alone({"/v1/chat/completions", kChatBody, kCancels}), SessionStatus::cancelled);
  EXPECT_EQ(left_alone({"/v1/chat/completions", kStreamedBody, kCancels}),
            SessionStatus::cancelled);
  EXPECT_EQ(left_alone({"/api/v1/sessions",
                        R"({"agent":"parrot","prompt":"x","cancel_on_disconnect":true})"}),
            SessionStatus::cancelled);
}

// Where its server ends, the client did not go away: the next server goes on with the session.
SessionStatus without_server(const Asked& asked) {
  UnderWay under_way(asked);
  under_way.served.end_http();
  under_way.held.let_go();
  return under_way.status_at_end();
}

TEST(Disconnects, by_the_end_of_the_server_cancel_nothing) {
  EXPECT_EQ(without_server({"/v1/chat/completions", kChatBody, kCancels}),
            SessionStatus::completed);
  EXPECT_EQ(without_server({"/v1/chat/completions", kStreamedBody, kCancels}),
            SessionStatus::completed);
  EXPECT_EQ(without_server({"/api/v1/sessions",
                            R"({"agent":"parrot","prompt":"x","cancel_on_disconnect":true})"}),
            SessionStatus::completed);
}

TEST(Disconnects, whoever_asked_for_it_and_stays_has_the_answer) {
  ServedService served;
  const Answered made =
      served.ask("POST", "/api/v1/sessions",
                 R"({"agent":"parrot","prompt":"one","cancel_on_disconnect":true})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.json().at("status"), Json("completed"));
  EXPECT_EQ(made.json().at("result"), Json("one"));
  EXPECT_NE(made.head.find("Location: /api/v1/sessions/1"), std::string::npos) << made.head;
  const Answered sent = served.ask("POST", "/api/v1/sessions/1/messages",
                                   R"({"text":"two","cancel_on_disconnect":true})");
  EXPECT_EQ(sent.status, 200) << sent.body;
  EXPECT_EQ(sent.json().at("result"), Json("two"));
  const Answered waits =
      served.ask("POST", "/api/v1/sessions",
                 R"({"agent":"parrot","prompt":"call ask","cancel_on_disconnect":true})");
  EXPECT_EQ(waits.json().at("status"), Json("waiting"));
  EXPECT_EQ(
      served
          .ask("POST", "/v1/chat/completions", kChatBody, "X-Wright-Cancel-On-Disconnect: true\r\n")
          .status,
      200);
}

TEST(Disconnects, are_not_combined_with_what_cannot_be_kept) {
  ServedService served;
  for (const char* more :
       {R"("cancel_on_disconnect":1)", R"("cancel_on_disconnect":true,"queue":{})"}) {
    const Answered answered = served.ask(
        "POST", "/api/v1/sessions", fmt::format(R"({{"agent":"parrot","prompt":"x",{}}})", more));
    EXPECT_EQ(answered.status, 400) << answered.body;
  }
  EXPECT_EQ(served
                .ask("POST", "/api/v1/sessions",
                     R"({"agent":"parrot","prompt":"x","cancel_on_disconnect":true})",
                     "Idempotency-Key: k\r\n")
                .status,
            400);
  EXPECT_EQ(served
                .ask("POST", "/v1/chat/completions", kChatBody,
                     "X-Wright-Cancel-On-Disconnect: perhaps\r\n")
                .status,
            400);
  EXPECT_TRUE(served.store().list_sessions({}).value().empty());
}

}  // namespace
}  // namespace wright::server
