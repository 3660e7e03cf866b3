// A token that is for one tenant: what it begins is that tenant's, and it reaches nothing else.
#include <fstream>
#include <sstream>

#include "server/service_testing.h"
#include "server/tenant_rule.h"

namespace wright::server {
namespace {

class OfTenants : public ::testing::Test {
 protected:
  std::string token_of(std::string name, Scopes scopes, std::optional<std::string> tenant) {
    const auto token = served_.tokens().add(name, std::move(scopes), 5, std::move(tenant));
    EXPECT_TRUE(token);
    return fmt::format("Authorization: Bearer {}\r\n", token.value_or(""));
  }
  Answered as(const std::string& token, std::string_view method, std::string_view path,
              std::string_view body = {}) {
    return served_.ask(method, path, body, token);
  }
  SessionId begin(const std::string& token, std::string_view prompt) {
    const Answered answered = as(token, "POST", "/api/v1/sessions",
                                 to_text(Json{{"agent", "parrot"}, {"prompt", prompt}}));
    EXPECT_EQ(answered.status, 201) << answered.body;
    const SessionId id = answered.json().at("id").to_number<SessionId>();
    (void)served_.runtime().wait(id);
    return id;
  }
  std::size_t count(const std::string& token, std::string_view path, std::string_view key) {
    const Answered answered = as(token, "GET", path);
    EXPECT_EQ(answered.status, 200) << path << answered.body;
    return answered.json().at(key).as_array().size();
  }
  Json stats(const std::string& token, std::string_view more = "") {
    return as(token, "GET", fmt::format("/api/v1/stats{}", more)).json().at("all").at("runs");
  }

  ServedService served_;
  const std::string shop_ = token_of("shop", {Scope::admin}, "shop");
  const std::string bank_ = token_of("bank", {Scope::admin}, "bank");
  const std::string all_ = token_of("all", {Scope::admin}, std::nullopt);
};

TEST_F(OfTenants, what_a_token_begins_is_its_tenants) {
  const SessionId id = begin(shop_, "Hello");
  EXPECT_EQ(served_.store().get_session(id)->tenant, "shop");
  EXPECT_EQ(as(shop_, "GET", fmt::format("/api/v1/sessions/{}", id)).json().at("tenant"), "shop");
  EXPECT_EQ(served_.store().get_session(begin(all_, "Hello"))->tenant, "");
  const std::string of_bank = R"({"agent":"parrot","prompt":"Hi","tenant":"bank"})";
  EXPECT_EQ(as(shop_, "POST", "/api/v1/sessions", of_bank).status, 403);
  const Answered given = as(all_, "POST", "/api/v1/sessions", of_bank);
  ASSERT_EQ(given.status, 201);
  EXPECT_EQ(given.json().at("tenant"), "bank") << "who may see all says whose it is";
  EXPECT_EQ(
      as(all_, "POST", "/api/v1/sessions", R"({"agent":"parrot","prompt":"Hi","tenant":"a b"})")
          .status,
      400);
}

TEST_F(OfTenants, lists_and_figures_hold_those_of_the_tenant_alone) {
  begin(shop_, "call ask");
  begin(bank_, "call ask");
  begin(bank_, "Hello");
  begin(all_, "call ask");
  served_.writer().flush();
  EXPECT_EQ(count(shop_, "/api/v1/sessions", "sessions"), 1U);
  EXPECT_EQ(count(bank_, "/api/v1/sessions", "sessions"), 2U);
  EXPECT_EQ(count(all_, "/api/v1/sessions", "sessions"), 4U);
  EXPECT_EQ(count(all_, "/api/v1/sessions?tenant=bank", "sessions"), 2U);
  EXPECT_EQ(count(shop_, "/api/v1/waits", "waits"), 1U);
  EXPECT_EQ(count(all_, "/api/v1/waits", "waits"), 3U);
  EXPECT_EQ(count(all_, "/api/v1/waits?tenant=shop", "waits"), 1U);
  EXPECT_EQ(stats(shop_).at("count"), 1);
  EXPECT_EQ(stats(bank_).at("count"), 2);
  EXPECT_EQ(stats(all_).at("count"), 4);
  EXPECT_EQ(stats(all_, "?tenant=shop").at("count"), 1);
  for (const char* path : {"/api/v1/sessions", "/api/v1/waits", "/api/v1/stats",
                           "/api/v1/stats/samples", "/api/v1/stats/history", "/api/v1/stats/series",
                           "/api/v1/feedback", "/api/v1/runners", "/api/v1/events"}) {
    EXPECT_EQ(as(shop_, "GET", fmt::format("{}?tenant=bank", path)).status, 403) << path;
  }
  const Json history = as(shop_, "GET", "/api/v1/stats/history").json();
  std::int64_t sessions = 0;
  for (const Json& each : history.at("buckets").as_array()) {
    sessions += each.at("sessions").to_number<std::int64_t>();
  }
  EXPECT_EQ(sessions, 1);
  const Json series = as(shop_, "GET", "/api/v1/stats/series?by=agent&buckets=1").json();
  EXPECT_EQ(series.at("series").at(0).at("buckets").at(0).at("count"), 1) << to_text(series);
  const Json samples = as(bank_, "GET", "/api/v1/stats/samples").json();
  EXPECT_EQ(samples.at("runs").as_array().at(0).at("count"), 2);
  const auto events = served_.store().get_events({.tenant = "shop"});
  ASSERT_TRUE(events);
  ASSERT_FALSE(events->empty());
  EXPECT_EQ(count(shop_, "/api/v1/events", "events"), events->size());
  EXPECT_GT(count(all_, "/api/v1/events", "events"), events->size());
  EXPECT_EQ(as(shop_, "GET", "/metrics").status, 403);
}

// Every route that there is, so that a new one is thought about.
TEST_F(OfTenants, nothing_of_another_tenant_is_reached_by_any_route) {
  const SessionId theirs = begin(bank_, "call ask");
  const WaitId wait = served_.store().get_waits({.session_id = theirs})->front().id;
  const SessionId missing = theirs + 1'000;
  const auto filled = [&](std::string pattern, std::int64_t number) {
    for (const char* word : {"{id}", "{call}", "{turn}"}) {
      const std::size_t at = pattern.find(word);
      if (at != std::string::npos) {
        pattern.replace(at, std::string_view(word).size(), std::to_string(number));
      }
    }
    return pattern;
  };
  int seen = 0;
  for (const Route& route : served_.service().routes()) {
    const TenantRule rule = tenant_rule_of(route);
    if (rule == TenantRule::refused) {
      EXPECT_EQ(route.pattern, "/metrics") << "nobody has thought about tenants here";
      EXPECT_EQ(as(shop_, route.method, filled(route.pattern, theirs)).status, 403)
          << route.pattern;
      continue;
    }
    if (rule != TenantRule::session && rule != TenantRule::wait) {
      EXPECT_EQ(route.pattern.find("/sessions/{"), std::string::npos) << route.pattern;
      continue;
    }
    ++seen;
    const bool is_wait = rule == TenantRule::wait;
    const std::string body = R"({"text":"Hi","answer":"yes"})";
    const Answered refused =
        as(shop_, route.method, filled(route.pattern, is_wait ? wait : theirs), body);
    EXPECT_EQ(refused.status, 404) << route.method << " " << route.pattern << refused.body;
    // Not even that it is there.
    const Answered nowhere = as(shop_, route.method, filled(route.pattern, missing), body);
    EXPECT_EQ(nowhere.status, 404);
    const auto words = [](const Answered& answered, std::int64_t number) {
      std::string text = answered.body;
      for (const char* before : {" ", "/"}) {
        const std::string digits = before + std::to_string(number);
        const std::size_t at = text.find(digits);
        if (at != std::string::npos) text.replace(at, digits.size(), "N");
      }
      return text;
    };
    EXPECT_EQ(words(refused, is_wait ? wait : theirs), words(nowhere, missing)) << route.pattern;
  }
  EXPECT_GE(seen, 14);
  EXPECT_EQ(served_.store().get_session(theirs)->status, SessionStatus::waiting);
  EXPECT_EQ(served_.store().get_wait(wait)->status, WaitStatus::open);
  const std::string answer = fmt::format("/api/v1/waits/{}/answer", wait);
  EXPECT_EQ(as(bank_, "POST", answer, R"({"answer":"yes"})").status, 200);
}

TEST_F(OfTenants, protocols_of_vendors_keep_to_the_tenant) {
  const auto chat = [&](const std::string& token, const std::string& body) {
    return as(token, "POST", "/v1/chat/completions", body);
  };
  const std::string hello = R"({"model":"parrot","messages":[{"role":"user","content":"Hi"}]})";
  ASSERT_EQ(chat(shop_, hello).status, 200);
  const std::string told =
      R"({"model":"parrot","messages":[{"role":"user","content":"Hi"},)"
      R"({"role":"assistant","content":"Hello"},{"role":"user","content":"And?"}]})";
  ASSERT_EQ(chat(shop_, told).status, 200);
  const auto sessions = served_.store().list_sessions({});
  for (const Session& each : sessions.value()) EXPECT_EQ(each.tenant, "shop");
  // The next message of a session, and the result of a call, of somebody else's.
  const Answered first =
      as(bank_, "POST", "/v1/responses",
         R"({"model":"parrot","input":"call look","tools":[{"type":"function","name":"look",)"
         R"("parameters":{"type":"object"}}]})");
  ASSERT_EQ(first.status, 200) << first.body;
  const Json json = first.json();
  const std::string id(json.at("id").as_string());
  const SessionId theirs = served_.store().list_sessions({.tenant = "bank"})->front().id;
  const WaitId wait = served_.store().get_waits({.session_id = theirs})->front().id;
  const std::string next =
      fmt::format(R"({{"model":"parrot","input":"More","previous_response_id":"{}"}})", id);
  EXPECT_EQ(as(shop_, "POST", "/v1/responses", next).status, 404);
  const std::string result = fmt::format(
      R"({{"model":"parrot","messages":[{{"role":"user","content":"x"}},{{"role":"assistant",)"
      R"("tool_calls":[{{"id":"call_{0}_{1}","type":"function","function":{{"name":"look",)"
      R"("arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"call_{0}_{1}",)"
      R"("content":"yes"}}]}})",
      theirs, wait);
  EXPECT_EQ(chat(shop_, result).status, 400);
  EXPECT_EQ(served_.store().get_wait(wait)->status, WaitStatus::open);
  EXPECT_EQ(chat(bank_, result).status, 200);
}

TEST_F(OfTenants, a_stream_of_events_tells_of_the_tenant_alone) {
  http::RawPeer peer(served_.http());
  peer.write(ServedService::request_text("GET", "/api/v1/events?after=0", {},
                                         shop_ + "Accept: text/event-stream\r\n"));
  const std::string head = peer.read_until("retry: 1000");
  ASSERT_NE(head.find("200"), std::string::npos) << head;
  begin(bank_, "secret of the bank");
  begin(all_, "secret of nobody");
  begin(shop_, "seen by the shop");
  const std::string seen = peer.read_until("seen by the shop");
  EXPECT_NE(seen.find("seen by the shop"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("secret"), std::string::npos) << seen;
}

TEST_F(OfTenants, a_key_that_another_tenant_used_is_a_new_one) {
  const auto post = [&](const std::string& token) {
    return served_.ask("POST", "/api/v1/sessions", R"({"agent":"parrot","prompt":"Hi"})",
                       token + "Idempotency-Key: k\r\n");
  };
  const std::string token = token_of("ci", {Scope::run}, "shop");
  const Answered first = post(token);
  ASSERT_TRUE(served_.tokens().remove("ci"));
  const Answered second = post(token_of("ci", {Scope::run}, "bank"));
  EXPECT_NE(first.json().at("id"), second.json().at("id"));
  EXPECT_EQ(second.json().at("tenant"), "bank");
}

TEST_F(OfTenants, programs_that_know_no_tenants_refuse_the_token) {
  // They look at scopes alone, and accept none that they do not know.
  ASSERT_EQ(served_.tokens().list()->front().tenant, "shop");
  std::stringstream text;
  text << std::ifstream(served_.tokens_file()).rdbuf();
  const Json first = parse_json(text.str())->as_array().front();
  EXPECT_EQ(first.at("scopes"), Json(JsonArray{"admin", "tenant"}));
  // And a file that lost half of it lets nobody in.
  for (const char* half :
       {R"([{"name":"a","scopes":["read","tenant"],"sha256":"00"}])",
        R"([{"name":"a","scopes":["read"],"tenant":"shop","sha256":"00"}])",
        R"([{"name":"a","scopes":["read","tenant"],"tenant":"","sha256":"00"}])"}) {
    std::ofstream(served_.tokens_file()) << half;
    EXPECT_TRUE(served_.tokens().list()->empty()) << half;
  }
  EXPECT_FALSE(served_.tokens().add("b", {Scope::read}, 5, ""));
  EXPECT_FALSE(served_.tokens().add("b", {Scope::read}, 5, "a b"));
}

}  // namespace
}  // namespace wright::server
