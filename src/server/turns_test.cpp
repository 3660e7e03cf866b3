// Requests that go on with the same session: whose turn it is, and what each of them has spent.
#include "server/session_turns.h"

#include <latch>
#include <mutex>
#include <thread>

#include "server/service_testing.h"
#include "store/forwarding_store.h"

namespace wright::server {
namespace {

constexpr std::chrono::milliseconds kNoTime{0};
constexpr std::chrono::milliseconds kLongPatience = std::chrono::minutes(5);

TEST(SessionTurns, are_of_one_session_each) {
  SessionTurns turns;
  auto first = turns.take(1, kNoTime);
  ASSERT_TRUE(first);
  const auto second = turns.take(1, kNoTime);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::unavailable);
  for (const SessionId other : {2, 33, 65, 129}) EXPECT_TRUE(turns.take(other, kNoTime)) << other;
  first->reset();
  EXPECT_TRUE(turns.take(1, kNoTime));
  EXPECT_EQ(turns.known(), 0U) << "nobody is remembered";
}

TEST(SessionTurns, pass_from_one_to_the_next) {
  SessionTurns turns;
  int counted = 0;  // guarded by the turn alone
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < 50; ++round) {
          const auto turn = turns.take(7, kLongPatience);
          ASSERT_TRUE(turn);
          ++counted;
        }
      });
    }
  }
  EXPECT_EQ(counted, 400);
  EXPECT_EQ(turns.known(), 0U);
}

// Tells what it was like once: another process may write whatever it likes meanwhile.
class RememberingStore : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  void remember(std::optional<Session> session) {
    const std::lock_guard lock(mutex_);
    remembered_ = std::move(session);
  }
  Result<Session> get_session(SessionId id) override {
    {
      const std::lock_guard lock(mutex_);
      if (remembered_ && remembered_->id == id) return *remembered_;
    }
    return ForwardingStore::get_session(id);
  }

 private:
  std::mutex mutex_;
  std::optional<Session> remembered_;
};

TEST(GoingOnInTurn, waits_for_nobody_who_takes_long) {
  const auto inner = open_memory_store();
  RememberingStore store(*inner);
  std::latch has_begun{1};
  std::latch may_end{1};
  const Model model = model_from(
      "test", "slow", [&](const wright::Request& request, const ModelCall& call) {
        if (request.messages.back().text() == "take long") {
          has_begun.count_down();
          may_end.wait();
        }
        return parrot_answer(request, call);
      });
  ServedService served({.model = model, .store = &store, .turn_patience = kNoTime});
  const Answered first =
      served.ask("POST", "/v1/responses", R"({"model":"parrot","input":"hello"})");
  ASSERT_EQ(first.status, 200) << first.body;
  (void)served.runtime().wait(1);
  const auto ended = inner->get_session(1);
  ASSERT_TRUE(ended && ended->ended_at);
  const auto agent = std::make_shared<const Agent>(served.agent());
  ASSERT_TRUE(served.runtime().send(agent, 1, "take long"));
  has_begun.wait();
  store.remember(*ended);

  // The session itself, wherever it ends.
  const Answered refused =
      served.ask("POST", "/v1/responses",
                 R"({"model":"parrot","input":"and now?","previous_response_id":"resp_1"})");
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_EQ(refused.json().at("error").at("code").as_string(), "unavailable") << refused.body;
  EXPECT_NE(refused.head.find("Retry-After"), std::string::npos) << refused.head;
  EXPECT_EQ(served.listeners().turns().known(), 0U);
  may_end.count_down();
  (void)served.runtime().wait(1);
}

TEST(GoingOnInTurn, refuses_whoever_comes_while_another_one_goes_on) {
  ServedService served({.turn_patience = kNoTime});
  const Answered first =
      served.ask("POST", "/v1/responses", R"({"model":"parrot","input":"hello"})");
  ASSERT_EQ(first.status, 200) << first.body;
  const std::string next =
      to_text(Json{{"model", "parrot"},
                   {"input", "and now?"},
                   {"previous_response_id", first.json().at("id").as_string()}});
  {
    const auto turn = served.listeners().turns().take(1, kNoTime);
    ASSERT_TRUE(turn);
    const Answered refused = served.ask("POST", "/v1/responses", next);
    EXPECT_EQ(refused.status, 503) << refused.body;
    EXPECT_EQ(refused.json().at("error").at("type").as_string(), "server_error") << refused.body;
  }
  (void)served.runtime().wait(1);
  EXPECT_EQ(served.ask("POST", "/v1/responses", next).status, 200) << "nothing was taken";
}

TEST(GoingOnInTurn, tells_what_this_request_has_spent) {
  const Model model = model_from(
      "test", "costly",
      [](const wright::Request& request, const ModelCall& call) -> Result<wright::Response> {
        auto response = parrot_answer(request, call);
        if (response) response->usage = {.input_tokens = 100, .output_tokens = 20};
        return response;
      });
  ServedService served({.model = model});
  const std::string user =
      R"({"role":"user","content":"call weather {\"city\":\"Oslo\"}"})";
  const auto ask = [&](const std::string& messages) {
    const Answered answered = served.ask(
        "POST", "/v1/chat/completions",
        fmt::format(R"({{"model":"parrot","messages":[{}],"tools":[{{"type":"function",)"
                    R"("function":{{"name":"weather","parameters":{{"type":"object"}}}}}}]}})",
                    messages));
    EXPECT_EQ(answered.status, 200) << answered.body;
    return answered.json();
  };
  const auto tokens = [](const Json& json) {
    return json.at("usage").at("total_tokens").to_number<int>();
  };
  const Json called = ask(user);
  EXPECT_EQ(tokens(called), 120);
  const Json& call = called.at("choices").at(0).at("message").at("tool_calls").at(0);
  const std::string results =
      user + "," + to_text(Json{{"role", "assistant"}, {"tool_calls", JsonArray{call}}}) + "," +
      to_text(Json{{"role", "tool"}, {"tool_call_id", call.at("id")}, {"content", "sunny"}});
  EXPECT_EQ(tokens(ask(results)), 120);
  const Json again = ask(results);
  EXPECT_EQ(again.at("choices").at(0).at("message").at("content").as_string(), "told: sunny");
  EXPECT_EQ(tokens(again), 0) << "the answer was there: nothing was spent for it";
}

}  // namespace
}  // namespace wright::server
