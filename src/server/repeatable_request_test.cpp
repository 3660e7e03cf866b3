// Requests in vendors' protocols that come again: whatever their programs do, nothing is done
// twice.
#include "server/repeatable_request.h"

#include <atomic>
#include <functional>
#include <future>

#include "server/service_testing.h"

namespace wright::server {
namespace {

constexpr const char* kFirst = "X-Stainless-Retry-Count: 0\r\n";
constexpr const char* kAgain = "X-Stainless-Retry-Count: 1\r\n";

// Calls "write" or "look", and then answers as the test wants.
struct Acting {
  using After = std::function<Result<wright::Response>(const wright::Request&)>;
  explicit Acting(std::string tool, After after, Store* store = nullptr)
      : tool_(std::move(tool)),
        after_(std::move(after)),
        served({.model = model_from("test", "acting",
                                    [this](const wright::Request& request, const ModelCall&) {
                                      return answer(request);
                                    }),
                .tools = {counting("write", Effect::write), counting("look", Effect::read)},
                .can_ask = false,
                .store = store}) {}

  Result<wright::Response> answer(const wright::Request& request) {
    if (request.messages.back().role == Role::tool) return after_(request);
    return testing::calls({testing::call(tool_, "{}")});
  }
  Tool counting(std::string name, Effect effect) {
    return tool(std::move(name), "Counts its calls", [this](const Context&) { return ++acted; },
                {.effect = effect});
  }
  Answered post(std::string_view path, std::string_view headers, std::string_view words = "go") {
    const bool is_response = path == "/v1/responses";
    const Json messages =
        is_response ? Json(words) : Json(JsonArray{{{"role", "user"}, {"content", words}}});
    const Json body{
        {"model", "parrot"}, {"max_tokens", 100}, {is_response ? "input" : "messages", messages}};
    Json fitting = body;
    if (is_response) fitting.get_object().erase("max_tokens");
    return served.ask("POST", path, to_text(fitting), headers);
  }
  std::size_t sessions() { return served.store().list_sessions({}).value().size(); }

 private:
  std::string tool_;
  After after_;

 public:
  std::atomic<int> acted = 0;
  ServedService served;
};

const Acting::After kFails = [](const wright::Request&) -> Result<wright::Response> {
  return fail(ErrorCode::unavailable, "The vendor is away");
};
const Acting::After kAnswers = [](const wright::Request&) -> Result<wright::Response> {
  return testing::says("done");
};
const std::vector<std::string> kPaths{"/v1/chat/completions", "/v1/messages", "/v1/responses"};

bool asks_for_a_repetition(const Answered& answered) {
  return answered.status == 408 || answered.status == 409 || answered.status == 429 ||
         answered.status >= 500;
}

TEST(RepeatableRequest, is_not_asked_for_again_when_tools_have_acted) {
  Acting acting("write", kFails);
  for (const std::string& path : kPaths) {
    const Answered answered = acting.post(path, "");
    EXPECT_EQ(answered.status, 424) << answered.head << answered.body;
    EXPECT_NE(answered.head.find("X-Should-Retry: false"), std::string::npos);
    EXPECT_EQ(answered.head.find("Retry-After"), std::string::npos);
    EXPECT_NE(answered.body.find("wright sessions show"), std::string::npos) << answered.body;
  }
  EXPECT_EQ(acting.acted, 3);
}

TEST(RepeatableRequest, may_come_again_when_tools_have_only_read) {
  Acting acting("look", kFails);
  const Answered answered = acting.post("/v1/chat/completions", kFirst);
  EXPECT_EQ(answered.status, 503) << answered.body;
  EXPECT_TRUE(asks_for_a_repetition(acting.post("/v1/chat/completions", kAgain)));
  EXPECT_EQ(acting.sessions(), 1U);
}

TEST(RepeatableRequest, gets_the_answer_that_was_lost) {
  for (const std::string& path : kPaths) {
    Acting acting("write", kAnswers);
    const Answered first = acting.post(path, kFirst);
    const Answered second = acting.post(path, kAgain);
    ASSERT_EQ(second.status, 200) << second.body;
    EXPECT_NE(second.body.find("done"), std::string::npos) << second.body;
    EXPECT_EQ(acting.acted, 1) << path;
    EXPECT_EQ(acting.sessions(), 1U);
    if (path != "/v1/responses") continue;
    EXPECT_EQ(first.json().at("id"), second.json().at("id"));
    EXPECT_EQ(first.json().at("usage"), second.json().at("usage"));
  }
}

// A vendor that is away for a moment: the session goes on where it was.
TEST(RepeatableRequest, goes_on_with_a_session_that_failed_by_what_may_pass) {
  for (const std::string& path : kPaths) {
    std::atomic<int> asked = 0;
    Acting acting("write", [&](const wright::Request& request) {
      return ++asked < 3 ? kFails(request) : kAnswers(request);
    });
    for (const char* headers : {kFirst, kAgain}) {
      const Answered answered = acting.post(path, headers);
      EXPECT_EQ(answered.status, 503) << answered.body;
      EXPECT_NE(answered.body.find("The vendor is away"), std::string::npos) << answered.body;
    }
    const Answered answered = acting.post(path, "X-Stainless-Retry-Count: 2\r\n");
    EXPECT_EQ(answered.status, 200);
    EXPECT_NE(answered.body.find("done"), std::string::npos) << answered.body;
    EXPECT_EQ(acting.acted, 1);
    EXPECT_EQ(acting.sessions(), 1U);
  }
}

TEST(RepeatableRequest, is_refused_for_good_when_its_session_failed_by_what_stays) {
  Acting acting("write", [](const wright::Request&) -> Result<wright::Response> {
    return fail(ErrorCode::internal, "It is broken");
  });
  for (const char* headers : {kFirst, kAgain}) {
    const Answered answered = acting.post("/v1/chat/completions", headers);
    EXPECT_EQ(answered.status, 424) << answered.body;
    EXPECT_NE(answered.body.find("It is broken"), std::string::npos) << answered.body;
  }
  EXPECT_EQ(acting.acted, 1);
  EXPECT_EQ(acting.sessions(), 1U);
}

// The caller has nothing else to send: its history has the id of that call.
TEST(RepeatableRequest, with_results_of_tools_goes_on_where_the_model_failed) {
  std::atomic<int> asked = 0;
  Acting acting("weather", [&](const wright::Request& request) {
    return ++asked < 2 ? kFails(request) : kAnswers(request);
  });
  const std::string tools =
      R"("model":"parrot","tools":[{"type":"function","function":{"name":"weather","parameters":)"
      R"({"type":"object"}}}],)";
  const std::string user = R"({"role":"user","content":"Weather?"})";
  const Json first =
      acting.served
          .ask("POST", "/v1/chat/completions", "{" + tools + R"("messages":[)" + user + "]}")
          .json();
  const Json said = first.at("choices").at(0).at("message");
  const Json result{{"role", "tool"},
                    {"tool_call_id", said.at("tool_calls").at(0).at("id")},
                    {"content", "sunny"}};
  const std::string results =
      "{" + tools + R"("messages":[)" + user + "," + to_text(said) + "," + to_text(result) + "]}";
  EXPECT_EQ(acting.served.ask("POST", "/v1/chat/completions", results).status, 503);
  const Answered again = acting.served.ask("POST", "/v1/chat/completions", results);
  EXPECT_EQ(again.status, 200);
  EXPECT_NE(again.body.find("done"), std::string::npos) << again.body;
  EXPECT_EQ(acting.sessions(), 1U);
}

TEST(RepeatableRequest, waits_for_the_session_that_is_under_way) {
  std::promise<void> asked;
  std::promise<void> let_go;
  Acting acting("write", [&](const wright::Request&) -> Result<wright::Response> {
    asked.set_value();
    let_go.get_future().wait();
    return testing::says("at last");
  });
  const auto body = R"({"model":"parrot","messages":[{"role":"user","content":"go"}]})";
  http::RawPeer first(acting.served.http());
  first.write(ServedService::request_text("POST", "/v1/chat/completions", body, kFirst));
  asked.get_future().wait();
  first.leave();
  http::RawPeer whole(acting.served.http());
  whole.write(ServedService::request_text("POST", "/v1/chat/completions", body, kAgain));
  EXPECT_EQ(acting.served.ask("GET", "/healthz").status, 200);
  let_go.set_value();
  const Answered answered = ServedService::answered_from(whole.read_all());
  EXPECT_EQ(answered.status, 200);
  EXPECT_NE(answered.body.find("at last"), std::string::npos) << answered.body;
  EXPECT_EQ(acting.acted, 1);
  EXPECT_EQ(acting.sessions(), 1U);
}

TEST(RepeatableRequest, streams_the_answer_of_the_first) {
  Acting acting("write", kAnswers);
  const auto body =
      R"({"model":"parrot","stream":true,"messages":[{"role":"user","content":"go"}]})";
  const Answered first = acting.served.ask("POST", "/v1/chat/completions", body, kFirst);
  const Answered second = acting.served.ask("POST", "/v1/chat/completions", body, kAgain);
  for (const Answered& answered : {first, second}) {
    EXPECT_NE(answered.body.find(R"("content":"done")"), std::string::npos) << answered.body;
    EXPECT_TRUE(answered.body.ends_with("data: [DONE]\n\n"));
  }
  EXPECT_EQ(acting.acted, 1);
}

TEST(RepeatableRequest, is_another_one_when_its_caller_does_not_say_that_it_comes_again) {
  Acting acting("write", kAnswers);
  for (const char* headers : {"", "", kFirst, kFirst}) {
    EXPECT_EQ(acting.post("/v1/chat/completions", headers).status, 200);
  }
  EXPECT_EQ(acting.post("/v1/chat/completions", kAgain, "something else").status, 200);
  EXPECT_EQ(acting.acted, 5);
  EXPECT_EQ(acting.sessions(), 5U);
}

TEST(RepeatableRequest, is_known_by_its_key) {
  Acting acting("write", kAnswers);
  constexpr const char* kKey = "Idempotency-Key: one\r\n";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(acting.post("/v1/chat/completions", kKey).status, 200);
  }
  EXPECT_EQ(acting.acted, 1);
  const Answered other = acting.post("/v1/chat/completions", kKey, "another");
  EXPECT_EQ(other.status, 422) << other.body;
  EXPECT_EQ(acting.acted, 1);
}

// Another caller says the same, and is refused: the first one's session stays known.
TEST(RepeatableRequest, is_still_known_when_an_equal_one_is_refused) {
  Acting acting("write", kAnswers);
  ASSERT_EQ(acting.post("/v1/chat/completions", kFirst).status, 200);
  acting.served.runtime().drain(std::chrono::milliseconds(0));
  EXPECT_GE(acting.post("/v1/chat/completions", kFirst).status, 429);
  EXPECT_EQ(acting.post("/v1/chat/completions", kAgain).status, 200);
  EXPECT_EQ(acting.acted, 1);
}

TEST(RepeatableRequest, does_not_run_again_what_a_person_cancelled) {
  const auto store = open_memory_store();
  Acting acting("look", kFails, store.get());
  EXPECT_EQ(acting.post("/v1/chat/completions", kFirst).status, 503);
  ASSERT_TRUE(store->apply_one(UpdateSession{.session_id = 1,
                                             .status = SessionStatus::cancelled,
                                             .error = "stop it",
                                             .error_code = ErrorCode::cancelled}));
  const std::string headers = std::string(kAgain) + "X-Wright-Cancel-On-Disconnect: true\r\n";
  EXPECT_EQ(acting.post("/v1/chat/completions", headers).status, 424);
  ASSERT_TRUE(store->apply_one(UpdateSession{.session_id = 1,
                                             .status = SessionStatus::cancelled,
                                             .error = std::string(kClientWentAway),
                                             .error_code = ErrorCode::cancelled}));
  EXPECT_EQ(acting.post("/v1/chat/completions", headers).status, 503) << "it is asked again";
  EXPECT_EQ(acting.sessions(), 1U);
}

// The session has gone on since: the first answer stays the answer to the first request.
TEST(RepeatableRequest, gets_its_own_answer_though_others_have_gone_on) {
  ServedService served({.can_ask = false});
  const auto ask = [&](const Json& body, const char* headers) {
    return served.ask("POST", "/v1/responses", to_text(body), headers).json();
  };
  const Json one{{"model", "parrot"}, {"input", "one"}};
  const Json first = ask(one, kFirst);
  const Json next{{"model", "parrot"}, {"input", "two"}, {"previous_response_id", first.at("id")}};
  const Json second = ask(next, kFirst);
  EXPECT_EQ(ask(one, kAgain).at("id"), first.at("id"));
  const Json again = ask(next, kAgain);
  EXPECT_EQ(again.at("id"), second.at("id"));
  EXPECT_EQ(again.at("usage"), second.at("usage"));
  EXPECT_EQ(served.store().list_sessions({}).value().size(), 1U) << "no fork";
}

// The server died between the first word of a request and its session.
TEST(RepeatableRequest, of_which_nobody_knows_how_far_it_came_is_refused) {
  const auto store = open_memory_store();
  Acting acting("write", kAnswers, store.get());
  ASSERT_EQ(acting.post("/v1/chat/completions", kFirst).status, 200);
  Record record = store->get_records({.kind = "request"}).value().at(0);
  JsonObject& value = record.value.get_object();
  value["begun"] = nullptr;
  const auto put = [&] {
    ASSERT_TRUE(store->apply_one(PutRecord{.kind = "request",
                                           .key = record.key,
                                           .value = record.value,
                                           .due_at = record.due_at,
                                           .version = record.version++}));
  };
  put();
  EXPECT_EQ(acting.post("/v1/chat/completions", kAgain).status, 409) << "it may come any moment";
  value["came_at"] = 0;
  put();
  const Answered refused = acting.post("/v1/chat/completions", kAgain);
  EXPECT_EQ(refused.status, 422) << refused.body;
  EXPECT_EQ(acting.acted, 1);
}

// The server was killed: the session stands as it was stored.
TEST(RepeatableRequest, goes_on_with_a_session_that_nobody_drives) {
  const auto store = open_memory_store();
  Acting acting("write", kAnswers, store.get());
  ASSERT_EQ(acting.post("/v1/chat/completions", kFirst).status, 200);
  ASSERT_TRUE(store->apply_one(UpdateSession{.session_id = 1, .status = SessionStatus::running}));
  const Answered again = acting.post("/v1/chat/completions", kAgain);
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(acting.acted, 1);
  EXPECT_EQ(acting.sessions(), 1U);
}

// It died between the record of the request and its words.
TEST(RepeatableRequest, begins_anew_when_its_words_are_not_in_the_session) {
  const auto store = open_memory_store();
  Acting acting("write", kAnswers, store.get());
  ASSERT_EQ(acting.post("/v1/chat/completions", kFirst).status, 200);
  Record record = store->get_records({.kind = "request"}).value().at(0);
  const MessageId last = store->get_messages(1).value().back().id;
  record.value.at("begun").get_object()["after"] = last;
  ASSERT_TRUE(store->apply_one(PutRecord{.kind = "request",
                                         .key = record.key,
                                         .value = record.value,
                                         .due_at = record.due_at,
                                         .version = record.version}));
  EXPECT_EQ(acting.post("/v1/chat/completions", kAgain).status, 200);
  EXPECT_EQ(acting.sessions(), 2U) << "the answer before it was not its own";
}

TEST(RepeatableRequest, is_not_answered_with_what_others_have_asked_since) {
  std::atomic<int> asked = 0;
  Acting acting("look", [&](const wright::Request& request) {
    return ++asked < 2 ? kFails(request) : kAnswers(request);
  });
  EXPECT_EQ(acting.post("/v1/chat/completions", kFirst).status, 503);
  EXPECT_LT(acting.served.ask("POST", "/api/v1/sessions/1/messages", R"({"text":"Something else"})")
                .status,
            300);
  (void)acting.served.runtime().wait(1);
  const Answered again = acting.post("/v1/chat/completions", kAgain);
  EXPECT_EQ(again.status, 422) << again.body;
  EXPECT_NE(again.body.find("session 1"), std::string::npos) << again.body;
}

// Programs say the same every day; a key of their own stands for one request.
TEST(RepeatableRequest, is_no_repetition_of_what_was_said_an_hour_ago) {
  constexpr std::int64_t kHourMs = 3'600'000;
  const auto store = open_memory_store([] { return system_clock_ms() - kHourMs; });
  Acting acting("write", kAnswers, store.get());
  for (const char* headers : {kFirst, kAgain, "Idempotency-Key: one\r\n"}) {
    EXPECT_EQ(acting.post("/v1/chat/completions", headers).status, 200);
  }
  EXPECT_EQ(acting.acted, 3);
  EXPECT_EQ(acting.post("/v1/chat/completions", "Idempotency-Key: one\r\n").status, 200);
  EXPECT_EQ(acting.acted, 3);
}

TEST(RepeatableRequest, gets_json_without_a_fence_as_the_first_did) {
  ServedService served({.model = model_from("test", "fenced",
                                            [](const wright::Request&, const ModelCall&) {
                                              return Result<wright::Response>(
                                                  testing::says("```json\n{\"a\": 1}\n```"));
                                            }),
                        .can_ask = false});
  const auto ask = [&](const char* headers) {
    return served
        .ask("POST", "/v1/chat/completions",
             R"({"model":"parrot","response_format":{"type":"json_object"},)"
             R"("messages":[{"role":"user","content":"JSON"}]})",
             headers)
        .json()
        .at("choices")
        .at(0)
        .at("message")
        .at("content");
  };
  EXPECT_EQ(ask(kFirst), Json(R"({"a":1})"));
  EXPECT_EQ(ask(kAgain), Json(R"({"a":1})"));
}

}  // namespace
}  // namespace wright::server
