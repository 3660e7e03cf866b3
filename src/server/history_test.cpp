// Figures over time as the API tells them; that stores count right is for their own tests.
#include "server/service_testing.h"
#include "store/store_testing.h"

namespace wright::server {
namespace {

std::int64_t sum_of(const Json& buckets, std::string_view name) {
  std::int64_t sum = 0;
  for (const Json& each : buckets.as_array()) sum += each.at(name).to_number<std::int64_t>();
  return sum;
}

TEST(History, tells_sessions_and_calls_by_agent_model_and_tool) {
  ServedService served;
  served.begin("hello");
  served.begin("call ask");
  served.begin("call missing");
  const auto series = [&](std::string_view query) {
    const Answered answered = served.ask("GET", fmt::format("/api/v1/stats/series?{}", query));
    EXPECT_EQ(answered.status, 200) << answered.body;
    return answered.json();
  };
  const Json agents = series("by=agent");
  EXPECT_EQ(agents.at("counted").as_string(), "sessions");
  ASSERT_EQ(agents.at("series").as_array().size(), 1U);
  const Json& parrots = agents.at("series").at(0);
  EXPECT_EQ(parrots.at("name").as_string(), "parrot");
  EXPECT_EQ(parrots.at("count").to_number<int>(), 3);
  EXPECT_EQ(parrots.at("buckets").as_array().size(), 48U);
  EXPECT_EQ(sum_of(parrots.at("buckets"), "count"), 3);
  EXPECT_EQ(sum_of(parrots.at("buckets"), "input_tokens"), 20) << "of the two that have said it";

  EXPECT_EQ(series("by=model").at("series").at(0).at("name").as_string(), "test:parrot");
  const Json tools = series("by=tool&buckets=4");
  EXPECT_EQ(tools.at("counted").as_string(), "calls");
  ASSERT_EQ(tools.at("series").as_array().size(), 1U) << "one that waits has not been made";
  EXPECT_EQ(tools.at("series").at(0).at("name").as_string(), "missing");
  EXPECT_EQ(sum_of(tools.at("series").at(0).at("buckets"), "failed"), 1);
  EXPECT_EQ(series("tool=missing").at("series").at(0).at("count").to_number<int>(), 1);
  EXPECT_TRUE(series("by=agent&model=other:one").at("series").as_array().empty());
  EXPECT_TRUE(series("by=agent&since=0&until=1000").at("series").as_array().empty());

  const Json together = served.ask("GET", "/api/v1/stats/history?buckets=3").json();
  EXPECT_EQ(together.at("buckets").as_array().size(), 3U);
  EXPECT_EQ(sum_of(together.at("buckets"), "sessions"), 3);
}

TEST(History, refuses_what_makes_no_sense) {
  ServedService served;
  for (const char* query :
       {"by=colour", "buckets=0", "buckets=501", "series=0", "series=51", "since=then"}) {
    const Answered answered = served.ask("GET", std::string("/api/v1/stats/series?") + query);
    EXPECT_EQ(answered.status, 400) << query << answered.body;
  }
  EXPECT_EQ(served.ask("GET", "/api/v1/stats/series?since=9999999999999&until=5").status, 200);
}

TEST(History, tells_what_a_session_of_an_agent_may_use) {
  ServedService served;
  const Json agent = served.ask("GET", "/api/v1/agents/parrot").json();
  EXPECT_EQ(agent.at("limits").at("iterations").to_number<int>(), 10);
  EXPECT_TRUE(agent.at("limits").at("cost_usd").is_null());
}

TEST(Feedback, counts_the_calls_of_a_session_that_has_many) {
  constexpr int kCalls = 1'001;
  ServedService served;
  const SessionId id = served.begin("hello");
  Message asked{.role = Role::assistant};
  for (int i = 0; i < kCalls; ++i) {
    asked.parts.emplace_back(ToolCall{.id = fmt::format("c{}", i), .name = "dig"});
  }
  const auto stored = served.store().apply_one(
      AppendMessage{.session_id = id, .message = std::move(asked), .started_calls = kCalls});
  ASSERT_TRUE(stored) << stored.error().message;
  std::vector<Write> ends;
  for (const CallId call : stored->calls) {
    ends.emplace_back(UpdateCall{.call_id = call, .status = CallStatus::failed});
  }
  ASSERT_TRUE(served.store().apply(ends));
  const Json summary = served.ask("GET", "/api/v1/feedback").json();
  EXPECT_TRUE(summary.at("is_complete").as_bool());
  ASSERT_EQ(summary.at("troubled_tools").as_array().size(), 1U) << to_text(summary);
  EXPECT_EQ(summary.at("troubled_tools").at(0).at("failed").to_number<int>(), kCalls);
  EXPECT_EQ(summary.at("sessions").to_number<int>(), 1);
}

// A session or a call that cannot be read is left out; what is beside it counts.
TEST(Feedback, counts_what_is_beside_a_damaged_row) {
  const TemporaryFolder folder;
  const auto path = folder / "store.db";
  const auto store = store::value_of(open_sqlite_store(path));
  ServedService served{{.store = store.get()}};
  for (int i = 0; i < 3; ++i) {
    const SessionId id = served.begin("hello");
    const auto stored = store::value_of(store->apply_one(
        AppendMessage{.session_id = id,
                      .message = {Role::assistant, {ToolCall{.id = "c", .name = "dig"}}},
                      .started_calls = 1}));
    store::value_of(
        store->apply_one(UpdateCall{.call_id = stored.calls.at(0), .status = CallStatus::failed}));
  }
  const auto failed_calls = [&](std::string_view damage, int sessions) {
    const auto connection = store::connect_plainly(path);
    store::rows_of(connection.get(), "PRAGMA busy_timeout = 60000");  // the sessions may still write
    store::rows_of(connection.get(), damage);
    const Json summary = served.ask("GET", "/api/v1/feedback").json();
    EXPECT_FALSE(summary.at("is_complete").as_bool());
    EXPECT_EQ(summary.at("sessions").to_number<int>(), sessions) << to_text(summary);
    return summary.at("troubled_tools").at(0).at("failed").to_number<int>();
  };
  EXPECT_EQ(failed_calls("UPDATE agent_sessions SET config = '{broken' WHERE id = 1", 2), 2);
  EXPECT_EQ(
      failed_calls("UPDATE agent_tool_calls SET response = '{broken' WHERE session_id = 2", 2), 1);
}

// Nobody can cancel it first, so its status does not count; one that can be read is spared.
TEST(Removal, takes_a_damaged_session_that_seems_to_run) {
  const TemporaryFolder folder;
  const auto path = folder / "store.db";
  const auto store = store::value_of(open_sqlite_store(path));
  ServedService served{{.store = store.get()}};
  const SessionId damaged = store::value_of(store->create_session({.agent_name = "parrot"}));
  const SessionId sound = store::value_of(store->create_session({.agent_name = "parrot"}));
  {
    const auto connection = store::connect_plainly(path);
    store::rows_of(connection.get(), "PRAGMA busy_timeout = 60000");
    store::rows_of(connection.get(),
                   fmt::format("UPDATE agent_sessions SET config = '{{broken' WHERE id = {}", damaged));
  }
  const auto remove = [&](SessionId id) {
    return served.ask("DELETE", fmt::format("/api/v1/sessions/{}", id));
  };
  EXPECT_EQ(remove(sound).status, 503);
  EXPECT_EQ(remove(damaged).status, 204);
  EXPECT_EQ(remove(damaged).status, 404);
}

}  // namespace
}  // namespace wright::server
