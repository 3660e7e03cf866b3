// The API as a client sees it, held against its own description.
#include <algorithm>
#include <atomic>
#include <latch>
#include <set>

#include "core/text.h"
#include "server/embedded.h"
#include "server/service_testing.h"
#include "store/forwarding_store.h"

namespace wright::server {
namespace {

// The schema of a response in the description, with what it refers to.
Json response_schema(const Json& document, const std::string& method, const std::string& pattern,
                     int status) {
  const JsonObject& responses =
      document.at("paths").at(pattern).at(method).at("responses").as_object();
  const std::string code = std::to_string(status);
  const Json& response = responses.contains(code) ? responses.at(code) : responses.at("default");
  const JsonObject* content =
      response.as_object().contains("content") ? response.at("content").if_object() : nullptr;
  if (content == nullptr) return nullptr;
  Json schema = content->begin()->value().at("schema");
  if (JsonObject* object = schema.if_object()) {
    object->insert_or_assign("components", document.at("components"));
  }
  return schema;
}

class Described {
 public:
  explicit Described(ServedService& served) : served_(served) {}

  Answered ask(std::string method, const std::string& pattern, const std::string& path,
               std::string_view body = {}, std::string_view headers = {}) {
    Answered answered = served_.ask(method, path, body, headers);
    std::ranges::transform(method, method.begin(), to_lower);
    seen_.insert(method + " " + pattern);
    const Json schema = response_schema(document_, method, pattern, answered.status);
    if (schema.is_null()) {
      EXPECT_EQ(answered.body, "");
      return answered;
    }
    const auto compiled = JsonSchema::compile(schema);
    EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().message);
    if (!compiled) return answered;
    for (const Violation& violation : compiled->violations(answered.json())) {
      ADD_FAILURE() << method << " " << path << ": " << violation.path << " " << violation.message;
    }
    return answered;
  }
  const std::set<std::string>& seen() const { return seen_; }
  const Json& document() const { return document_; }

 private:
  ServedService& served_;
  const Json document_ = parse_json(openapi_document()).value();
  std::set<std::string> seen_;
};

TEST(ServerApi, answers_as_its_description_says) {
  ServedService served;
  Described api(served);
  const std::string all = "/api/v1/sessions";
  const std::string one = all + "/{id}";
  const SessionId id = served.begin("hello");
  const std::string path = all + "/" + std::to_string(id);
  Answered created = api.ask("POST", all, all, R"({"agent":"parrot","prompt":"again"})");
  EXPECT_EQ(created.status, 201);
  EXPECT_NE(created.head.find("Location: /api/v1/sessions/"), std::string::npos);
  EXPECT_EQ(api.ask("POST", all, all, R"({"agent":"nobody","prompt":"x"})").status, 404);
  EXPECT_EQ(api.ask("POST", all, all, R"({"agent":"parrot","prompt":" \n\t"})").status, 400);
  EXPECT_EQ(api.ask("POST", all, all, R"({"agent":"parrot"})").status, 400);
  EXPECT_EQ(api.ask("POST", all, all, "{").status, 400);
  EXPECT_EQ(api.ask("GET", all, all + "?limit=0").status, 400);
  EXPECT_EQ(api.ask("GET", all, all + "?status=dancing").status, 400);
  EXPECT_EQ(api.ask("GET", one, all + "/999999").status, 404);
  EXPECT_EQ(api.ask("GET", one, all + "/x").status, 404);
  const Json shown = api.ask("GET", one, path).json();
  EXPECT_EQ(shown.at("status").as_string(), "completed");
  EXPECT_EQ(shown.at("result").as_string(), "hello");
  EXPECT_EQ(
      api.ask("GET", one + "/messages", path + "/messages").json().at("messages").as_array().size(),
      2U);
  EXPECT_EQ(api.ask("GET", one + "/calls", path + "/calls").status, 200);
  EXPECT_EQ(api.ask("GET", one + "/export", path + "/export").status, 200);
  const Json detailed = api.ask("GET", one, path + "?details=all").json();
  EXPECT_TRUE(detailed.as_object().contains("config"));
  const Json listed = api.ask("GET", all, all + "?details=all&limit=1").json();
  EXPECT_TRUE(listed.at("sessions").at(0).as_object().contains("system_prompt"));
  const std::string turn = one + "/turns/{turn}";
  const Json first = api.ask("GET", turn, path + "/turns/1").json();
  EXPECT_EQ(first.at("request").at("messages").as_array().size(), 1U);
  EXPECT_EQ(first.at("answer").at("role"), Json("assistant"));
  EXPECT_EQ(api.ask("GET", turn, path + "/turns/2").status, 404);
  const Json replayed = api.ask("POST", one + "/replay", path + "/replay", "{}").json();
  EXPECT_TRUE(replayed.at("is_same").as_bool()) << to_text(replayed);
  EXPECT_EQ(api.ask("GET", "/api/v1/stats/samples", "/api/v1/stats/samples").status, 200);
  EXPECT_EQ(api.ask("POST", one + "/messages", path + "/messages", R"({"text":"more"})").status,
            202);
  ASSERT_TRUE(served.runtime().wait(id));
  EXPECT_EQ(api.ask("POST", one + "/fork", path + "/fork", "{}").status, 201);
  EXPECT_EQ(api.ask("POST", one + "/cancel", path + "/cancel", "{}").status, 409);
  EXPECT_EQ(api.ask("POST", one + "/resume", path + "/resume", "{}").status, 400);

  const SessionId asking = served.begin("call ask");
  const std::string waiting = all + "/" + std::to_string(asking);
  const Json waits = api.ask("GET", "/api/v1/waits", "/api/v1/waits").json();
  ASSERT_EQ(waits.at("waits").as_array().size(), 1U);
  EXPECT_EQ(waits.at("waits").at(0).at("tool").as_string(), "ask");
  const auto wait =
      "/api/v1/waits/" + std::to_string(waits.at("waits").at(0).at("id").to_number<WaitId>());
  EXPECT_EQ(api.ask("GET", one + "/waits", waiting + "/waits").status, 200);
  const Json calls = api.ask("GET", one + "/calls", waiting + "/calls").json();
  const std::string call(calls.at("calls").at(0).at("call_id").as_string());
  const std::string called = one + "/calls/{call}";
  EXPECT_EQ(api.ask("GET", called, waiting + "/calls/" + call).json().at("tool").as_string(),
            "ask");
  EXPECT_EQ(api.ask("GET", called, waiting + "/calls/none").status, 404);
  EXPECT_EQ(served.ask("GET", all + "?tenant=sho%p").status, 400) << "not all of them";
  EXPECT_EQ(api.ask("GET", "/api/v1/waits/{id}", wait).status, 200);
  const std::string answering = "/api/v1/waits/{id}/answer";
  EXPECT_EQ(api.ask("POST", answering, wait + "/answer", "{}").status, 400);
  EXPECT_EQ(api.ask("POST", answering, wait + "/answer", R"({"answer":"yes"})").status, 200);
  EXPECT_EQ(api.ask("POST", answering, wait + "/answer", R"({"answer":"no"})").status, 409)
      << "a wait is answered once";
  EXPECT_EQ(served.runtime().wait(asking).value().text, "told: yes");

  served.writer().flush();
  EXPECT_EQ(api.ask("GET", "/api/v1/events", "/api/v1/events").status, 200);
  EXPECT_EQ(api.ask("GET", one + "/events", path + "/events").status, 200);
  EXPECT_EQ(api.ask("DELETE", one, path).status, 204);
  EXPECT_EQ(api.ask("DELETE", one, path).status, 404);
  for (const char* plain : {"agents", "tools", "models", "stats", "stats/history", "stats/series",
                            "runners", "feedback", "openapi.json"}) {
    const std::string there = std::string("/api/v1/") + plain;
    EXPECT_EQ(api.ask("GET", there, there).status, 200) << there;
  }
  EXPECT_EQ(api.ask("GET", "/api/v1/agents/{name}", "/api/v1/agents/parrot").status, 200);
  const std::string login = "/api/v1/login";
  EXPECT_EQ(api.ask("POST", login, login, R"({"code":"wrong"})").status, 401);

  // Every route is described, everything that is described is a route, and all of it was asked.
  std::set<std::string> described;
  for (const auto& [pattern, methods] : api.document().at("paths").as_object()) {
    for (const auto& [method, operation] : methods.as_object()) {
      described.insert(std::string(method) + " " + std::string(pattern));
    }
  }
  std::set<std::string> routes;
  for (const Route& route : served.service().routes()) {
    if (route.pattern.starts_with("/api/"))
      routes.insert(lower(route.method) + " " + route.pattern);
  }
  EXPECT_EQ(described, routes);
  EXPECT_EQ(described, api.seen());
}

TEST(ServerApi, refuses_a_parameter_that_a_route_does_not_know) {
  ServedService served;
  const SessionId id = served.begin("call ask");
  const std::string session = "/api/v1/sessions/" + std::to_string(id);
  for (const std::string& misspelt :
       {std::string("/api/v1/sessions?stauts=failed"),
        std::string("/api/v1/waits?limit=1&tennant=shop"), std::string("/api/v1/events?%6Cimits=1"),
        session + "?x", session + "/calls?text=short", std::string("/api/v1/agents?name=parrot")}) {
    const Answered refused = served.ask("GET", misspelt);
    EXPECT_EQ(refused.status, 400) << misspelt << refused.body;
  }
  const std::string told(
      served.ask("GET", "/api/v1/waits?statsu=any").json().at("detail").as_string());
  EXPECT_EQ(told,
            "The parameter 'statsu' is not known here; known: status, after, before, limit, keep, "
            "tenant");
  EXPECT_EQ(served.ask("POST", session + "/cancel?reason=x", "{}").status, 400);
  EXPECT_EQ(served.store().get_session(id)->status, SessionStatus::waiting);
  EXPECT_EQ(served.ask("GET", "/api/v1/waits?limit=1&status=any&&tenant=").status, 200);
  EXPECT_EQ(served.ask("GET", "/healthz?from=balancer").status, 200);
  EXPECT_EQ(served.ask("GET", "/v1/models?beta=true").status, 200);
}

TEST(ServerApi, does_once_what_is_asked_twice_with_one_key) {
  ServedService served;
  const std::string body = R"({"agent":"parrot","prompt":"once"})";
  const std::string key = "Idempotency-Key: abc\r\n";
  const Answered first = served.ask("POST", "/api/v1/sessions", body, key);
  const Answered second = served.ask("POST", "/api/v1/sessions", body, key);
  EXPECT_EQ(first.json().at("id"), second.json().at("id"));
  EXPECT_EQ(second.status, 201);
  const std::string other = R"({"agent":"parrot","prompt":"other"})";
  EXPECT_EQ(served.ask("POST", "/api/v1/sessions", other, key).status, 422);
  EXPECT_EQ(served.store().list_sessions({}).value().size(), 1U);
}

TEST(ServerApi, forks_and_resumes_once_what_is_asked_twice_with_one_key) {
  ServedService served;
  const std::string session = "/api/v1/sessions/" + std::to_string(served.begin("hello"));
  const Answered first = served.ask("POST", session + "/fork", "{}", "Idempotency-Key: f\r\n");
  const Answered second = served.ask("POST", session + "/fork", "{}", "Idempotency-Key: f\r\n");
  EXPECT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(first.json().at("id"), second.json().at("id"));
  EXPECT_NE(second.head.find("Idempotent-Replay: true"), std::string::npos) << second.head;
  EXPECT_EQ(served.store().list_sessions({}).value().size(), 2U);

  const SessionId failed = served.begin("again");
  ASSERT_TRUE(served.store().fail_session(failed, "no network"));
  const std::string resume = "/api/v1/sessions/" + std::to_string(failed) + "/resume";
  EXPECT_EQ(served.ask("POST", resume, "{}", "Idempotency-Key: r\r\n").status, 202);
  (void)served.runtime().wait(failed);
  EXPECT_EQ(served.ask("POST", resume, "{}", "Idempotency-Key: r\r\n").status, 202);
}

TEST(ServerApi, lists_sessions_page_by_page) {
  ServedService served;
  for (int i = 0; i < 5; ++i) served.begin("session " + std::to_string(i));
  std::vector<std::int64_t> ids;
  std::string path = "/api/v1/sessions?limit=2";
  for (;;) {
    const Json page = served.ask("GET", path).json();
    for (const Json& session : page.at("sessions").as_array()) {
      ids.push_back(session.at("id").to_number<std::int64_t>());
    }
    if (page.at("next").is_null()) break;
    path = "/api/v1/sessions?limit=2&before=" +
           std::to_string(page.at("next").to_number<std::int64_t>());
  }
  EXPECT_EQ(ids.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(ids, std::greater<>()));
}

// The numbers of events in a stream of them.
std::vector<std::int64_t> ids_in(const std::string& text) {
  std::vector<std::int64_t> ids;
  for (std::size_t at = text.find("\nid: "); at != std::string::npos;
       at = text.find("\nid: ", at + 1)) {
    ids.push_back(std::stoll(text.substr(at + 5)));
  }
  return ids;
}

TEST(ServerEvents, come_without_a_gap_and_without_repetition_to_those_who_reconnect) {
  ServedService served;
  served.begin("first");
  served.writer().flush();
  const auto all = [&] {
    std::vector<std::int64_t> ids;
    const auto events = served.store().get_events({});
    for (const StoredEvent& event : *events) ids.push_back(event.sequence);
    return ids;
  };
  const std::string accept = "Accept: text/event-stream\r\n";
  std::vector<std::int64_t> read;
  std::int64_t last = 0;
  for (int round = 0; round < 4; ++round) {
    http::RawPeer peer(served.http());
    peer.write(ServedService::request_text("GET", "/api/v1/events", "",
                                           accept + fmt::format("Last-Event-ID: {}\r\n", last)));
    // While it listens, more happens; it leaves in the middle.
    const SessionId id = served.begin(fmt::format("round {}", round));
    const std::string text =
        peer.read_until(fmt::format("\"session_id\":{},\"type\":\"run_ended\"", id));
    for (const std::int64_t each : ids_in(text)) {
      EXPECT_GT(each, last);
      read.push_back(each);
      last = each;
    }
  }
  served.writer().flush();
  EXPECT_EQ(read, all());
}

TEST(ServerEvents, of_one_session_are_of_that_session_alone) {
  ServedService served;
  served.begin("other");
  const SessionId id = served.begin("mine");
  served.writer().flush();
  http::RawPeer peer(served.http());
  peer.write(ServedService::request_text("GET", fmt::format("/api/v1/sessions/{}/events", id), "",
                                         "Accept: text/event-stream\r\n"));
  const std::string text = peer.read_until("event: run_ended");
  EXPECT_NE(text.find("event: session_started"), std::string::npos);
  EXPECT_EQ(text.find(fmt::format("\"session_id\":{}", id - 1)), std::string::npos);
}

TEST(ServerEvents, that_are_large_reach_those_who_come_later) {
  ServedService served;
  served.begin(std::string(std::size_t{2} << 20, 'x'));
  const SessionId last = served.begin("small");
  served.writer().flush();
  http::RawPeer peer(served.http());
  peer.write(ServedService::request_text("GET", "/api/v1/events?after=0", "",
                                         "Accept: text/event-stream\r\n"));
  const std::string text =
      peer.read_until(fmt::format("\"session_id\":{},\"type\":\"run_ended\"", last));
  EXPECT_EQ(ids_in(text).size(), served.store().get_events({})->size());
  EXPECT_NE(text.find("\"is_cut\":true"), std::string::npos) << "answers are kept elsewhere";
}

TEST(ServerHealth, tells_machines_how_it_is) {
  ServedService served;
  served.begin("hello");
  EXPECT_EQ(served.ask("GET", "/healthz").body, "ok\n");
  EXPECT_EQ(served.ask("GET", "/readyz").body, "ready\n");
  const std::string metrics = served.ask("GET", "/metrics").body;
  EXPECT_NE(metrics.find("wright_sessions_ended_total{agent=\"parrot\",phase=\"done\"} 1\n"),
            std::string::npos)
      << metrics;
  EXPECT_NE(metrics.find("wright_model_tokens_total{agent=\"parrot\",provider=\"test\",model="
                         "\"parrot\",kind=\"input\"} 10\n"),
            std::string::npos);
}

// Nobody drives its session, so nobody has stored yet that the time is over. It stays in the list:
// somebody has to go on with it.
TEST(ServerApi, calls_a_wait_expired_that_cannot_be_answered_any_more) {
  ServedService served;
  Store& store = served.store();
  const auto asked = [&](std::int64_t expires_at) {
    const SessionId session = *store.create_session({.agent_name = "elsewhere"});
    const CallId call = *store.create_tool_call(session, std::nullopt, {"id", "ask", "{}"});
    const std::vector<Write> writes{
        UpdateCall{.call_id = call, .status = CallStatus::waiting},
        OpenWait{.session_id = session, .call_id = call, .expires_at = expires_at}};
    return store.apply(writes)->waits.front();
  };
  const WaitId over = asked(system_clock_ms() - 1);
  asked(system_clock_ms() + 3'600'000);
  const Json waits = served.ask("GET", "/api/v1/waits").json().at("waits");
  ASSERT_EQ(waits.as_array().size(), 2U) << to_text(waits);
  EXPECT_EQ(waits.at(0).at("status"), Json("expired"));
  EXPECT_EQ(waits.at(1).at("status"), Json("open"));
  const Json first = served.ask("GET", "/api/v1/waits?limit=1").json().at("waits");
  EXPECT_EQ(first, Json(JsonArray{waits.at(0)}));
  const Json last = served.ask("GET", "/api/v1/waits?limit=1&keep=last").json().at("waits");
  EXPECT_EQ(last, Json(JsonArray{waits.at(1)}));
  EXPECT_EQ(served.ask("GET", "/api/v1/waits?limit=0").status, 400);
  EXPECT_EQ(served.ask("GET", "/api/v1/waits?before=x").status, 400);
  const std::string path = fmt::format("/api/v1/waits/{}", over);
  EXPECT_EQ(served.ask("GET", path).json().at("status"), Json("expired"));
  EXPECT_EQ(served.ask("POST", path + "/answer", R"({"answer":"late"})").status, 409);
}

// A key that is passed over is a wish that nobody hears.
TEST(ServerApi, refuses_members_of_a_body_that_it_does_not_know) {
  ServedService served;
  for (const auto& [path, body] : std::vector<std::pair<std::string, std::string>>{
           {"/api/v1/sessions", R"({"agent":"parrot","prompt":"Hi","tenat":"shop"})"},
           {"/api/v1/sessions", R"({"agent":"parrot","prompt":"Hi","model":"other"})"},
           {"/api/v1/sessions/1/messages", R"({"text":"Hi","agent":"other"})"},
           {"/api/v1/sessions/1/fork", R"({"at":3})"},
           {"/api/v1/waits/1/answer", R"({"answer":"yes","arguments":{}})"}}) {
    const Answered answered = served.ask("POST", path, body);
    EXPECT_EQ(answered.status, 400) << body;
    EXPECT_TRUE(answered.body.contains("is not known here")) << answered.body;
  }
}

TEST(Service, shows_a_call_whose_id_has_a_slash) {
  ServedService served(
      {.model =
           testing::ScriptedModel({testing::calls({testing::call("ask", "{}", "a/b")})}).model()});
  const SessionId id = served.begin("x");
  const std::string calls = fmt::format("/api/v1/sessions/{}/calls/", id);
  EXPECT_EQ(served.ask("GET", calls + "a%2Fb").status, 200);
  EXPECT_EQ(served.ask("GET", calls + "a/b").status, 404);
}

TEST(Service, reads_no_body_of_very_many_values) {
  ServedService served;
  std::string body = R"({"agent":[0)";
  for (int i = 0; i < 1'000'000; ++i) body += ",0";
  const Answered refused = served.ask("POST", "/api/v1/sessions", body + "]}");
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("more than 1000000 values"), std::string::npos) << refused.body;
  const std::string commas(2'000'000, ',');
  EXPECT_EQ(
      served
          .ask("POST", "/api/v1/sessions", R"({"agent":"parrot","prompt":"\",)" + commas + R"("})")
          .status,
      201);
}

// One of its waits cannot be read.
class DamagedStore final : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) override {
    constexpr WaitId kDamaged = 1;
    auto waits = ForwardingStore::get_waits(filter);
    if (!waits || std::ranges::find(*waits, kDamaged, &StoredWait::id) == waits->end()) {
      return waits;
    }
    return fail(ErrorCode::storage, "The stored wait 1 of session 1 cannot be read",
                JsonObject{{"wait_id", kDamaged}, {"session_id", SessionId{1}}});
  }
};

TEST(Waits, are_listed_beside_one_that_cannot_be_read) {
  const auto inner = open_memory_store();
  DamagedStore store(*inner);
  ServedService served({.store = &store});
  served.begin("call ask");
  served.begin("call ask");
  const Answered listed = served.ask("GET", "/api/v1/waits");
  EXPECT_EQ(listed.status, 200) << listed.body;
  ASSERT_EQ(listed.json().at("waits").as_array().size(), 1U) << listed.body;
  EXPECT_EQ(listed.json().at("waits").at(0).at("session_id"), Json(2));
  EXPECT_EQ(listed.json().at("damaged").at(0).at("session_id"), Json(1));
}

// Whoever reads calls tells so, and waits until it may go on.
class HeldStore final : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Result<std::vector<StoredCall>> get_tool_calls(SessionId id, const CallFilter& filter) override {
    if (holds_) {
      is_asked_.count_down();
      goes_on_.wait();
    }
    return ForwardingStore::get_tool_calls(id, filter);
  }
  void hold() { holds_ = true; }
  void await_question() { is_asked_.wait(); }
  void go_on() { goes_on_.count_down(); }

 private:
  std::atomic<bool> holds_ = false;
  std::latch is_asked_{1};
  std::latch goes_on_{1};
};

TEST(ServerReplays, are_one_at_a_time_and_leave_the_handlers_free) {
  const auto inner = open_memory_store();
  HeldStore store(*inner);
  ServedService served({.store = &store, .http = {.handler_threads = 1}});
  const std::string replay = fmt::format("/api/v1/sessions/{}/replay", served.begin("one"));
  store.hold();
  http::RawPeer first(served.http());
  first.write(ServedService::request_text("POST", replay));
  store.await_question();
  EXPECT_EQ(served.ask("GET", "/api/v1/sessions").status, 200);
  const Answered second = served.ask("POST", replay);
  EXPECT_EQ(second.status, 503) << second.body;
  EXPECT_NE(second.body.find("Another session is being replayed"), std::string::npos)
      << second.body;
  store.go_on();
  const Answered answered = ServedService::answered_from(first.read_all());
  EXPECT_EQ(answered.status, 200) << answered.body;
  EXPECT_NE(answered.head.find("nosniff"), std::string::npos) << answered.head;
}

}  // namespace
}  // namespace wright::server
