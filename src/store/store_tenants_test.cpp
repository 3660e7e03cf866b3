// What every store promises about tenants, and about models that are to be left alone.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

class StoreTenants : public StoreSuite {
 protected:
  void SetUp() override {
    StoreSuite::SetUp();
    runner_ = new_runner("worker");
  }
  SessionId queue(std::string tenant, std::string agent_name, int priority = 0) {
    NewSession session = session_named(std::move(agent_name));
    session.is_queued = true;
    session.priority = priority;
    session.tenant = std::move(tenant);
    return value_of(store().create_session(session));
  }
  using Ids = std::vector<SessionId>;
  Ids claim(std::size_t most, std::vector<std::string> except_models = {}) {
    Ids ids;
    const auto claimed = value_of(store().apply_one(
        Claim{.runner_id = runner_, .most = most, .except_models = std::move(except_models)}));
    for (const ClaimedSession& each : claimed.claimed) ids.push_back(each.session_id);
    return ids;
  }

  RunnerId runner_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Every, StoreTenants, kEveryStore, name_of_kind);

TEST_P(StoreTenants, take_turns_however_much_one_of_them_queues) {
  Ids loud;
  for (int i = 0; i < 6; ++i) loud.push_back(queue("loud", i % 2 == 0 ? "a" : "b", 5));
  const SessionId quiet = queue("quiet", "a");
  const SessionId nobody = queue("", "a");
  EXPECT_EQ(claim(4), (Ids{loud[0], quiet, nobody, loud[1]}))
      << "by priority where none was served, then each in its turn";
  EXPECT_EQ(claim(1), Ids{loud[2]});
  const SessionId later = queue("quiet", "b");
  EXPECT_EQ(claim(2), (Ids{later, loud[3]})) << "served longest ago";
}

TEST_P(StoreTenants, with_many_agents_get_no_more_than_others) {
  Ids many;
  for (const char* agent : {"a", "b", "c", "d"}) many.push_back(queue("many", agent));
  const Ids few{queue("few", "a"), queue("few", "a")};
  EXPECT_EQ(claim(4), (Ids{many[0], few[0], many[1], few[1]}));
}

TEST_P(StoreTenants, are_kept_below_and_beside) {
  NewSession session = session_named("a");
  session.tenant = "shop";
  const SessionId id = value_of(store().create_session(session));
  EXPECT_EQ(value_of(store().get_session(id)).tenant, "shop");
  NewSession child = session_named("b");
  child.parent_session_id = id;
  child.tenant = "other";
  const SessionId below = value_of(store().create_session(child));
  EXPECT_EQ(value_of(store().get_session(below)).tenant, "shop");
  const MessageId last = value_of(store().create_message(id, Role::user, "Hello"));
  const SessionId fork = value_of(store().fork_session(id, last));
  EXPECT_EQ(value_of(store().get_session(fork)).tenant, "shop");
}

TEST_P(StoreTenants, have_lists_of_their_own) {
  const SessionId shop = queue("shop", "a");
  const SessionId nobody = queue("", "a");
  const auto listed = [&](std::optional<std::string> tenant) {
    Ids ids;
    for (const Session& each : value_of(store().list_sessions({.tenant = std::move(tenant)}))) {
      ids.push_back(each.id);
    }
    return ids;
  };
  EXPECT_EQ(listed("shop"), Ids{shop});
  EXPECT_EQ(listed(""), Ids{nobody});
  EXPECT_EQ(listed("shop\0"), Ids{shop});
  EXPECT_EQ(listed("' OR ''='"), Ids{});
  EXPECT_EQ(listed(std::nullopt), (Ids{nobody, shop}));
}

TEST_P(StoreTenants, have_waits_events_and_figures_of_their_own) {
  const auto begin = [&](std::string tenant) {
    NewSession session = session_named("a");
    session.tenant = std::move(tenant);
    const SessionId id = value_of(store().create_session(session));
    NewSession child = session_named("b");
    child.parent_session_id = id;
    const SessionId below = value_of(store().create_session(child));
    const CallId call = new_call(below);
    expect_ok(store().start_tool_call(call));
    value_of(store().apply_one(UpdateCall{.call_id = call, .status = CallStatus::waiting}));
    value_of(store().apply_one(OpenWait{.session_id = below, .call_id = call}));
    value_of(store().apply_one(AppendEvents{below, {{.type = "told"}}}));
    const CallId done = new_call(id);
    expect_ok(store().start_tool_call(done));
    expect_ok(store().complete_tool_call(done, "x", 1));
    return below;
  };
  const SessionId shop = begin("shop");
  const SessionId bank = begin("bank");
  begin("");
  using Tenant = std::optional<std::string>;
  const auto waits = [&](Tenant tenant, std::optional<SessionId> session = {}) {
    Ids ids;
    for (const StoredWait& each : value_of(store().get_waits(
             {.session_id = session, .status = WaitStatus::open, .tenant = std::move(tenant)}))) {
      ids.push_back(each.session_id);
    }
    return ids;
  };
  const auto events = [&](Tenant tenant, std::optional<SessionId> session = {}) {
    Ids ids;
    for (const StoredEvent& each :
         value_of(store().get_events({.session_id = session, .tenant = std::move(tenant)}))) {
      ids.push_back(each.session_id);
    }
    return ids;
  };
  EXPECT_EQ(waits("shop"), Ids{shop});
  EXPECT_EQ(waits("nobody"), Ids{});
  EXPECT_EQ(waits("").size(), 1U);
  EXPECT_EQ(waits({}).size(), 3U);
  EXPECT_EQ(waits("shop", bank), Ids{});
  EXPECT_EQ(waits("bank", bank), Ids{bank});
  EXPECT_EQ(events("shop"), Ids{shop});
  EXPECT_EQ(events("' OR ''='"), Ids{});
  EXPECT_EQ(events({}).size(), 3U);
  EXPECT_EQ(events("shop", bank), Ids{});
  const auto figures = [&](Tenant tenant) {
    const StoreStats stats = value_of(store().get_stats({.tenant = std::move(tenant)}));
    std::pair<std::int64_t, std::int64_t> counts;
    for (const RunSamples& each : stats.runs) counts.first += each.count;
    for (const CallSamples& each : stats.calls) counts.second += each.count;
    return counts;
  };
  EXPECT_EQ(figures("shop"), std::pair(std::int64_t{2}, std::int64_t{1}));
  EXPECT_EQ(figures({}), std::pair(std::int64_t{6}, std::int64_t{3}));
  EXPECT_EQ(figures("nobody"), std::pair(std::int64_t{0}, std::int64_t{0}));
}

TEST_P(StoreTenants, have_names_like_labels) {
  for (const std::string& name : {std::string("a b"), std::string("a,b"), std::string("\xff"),
                                  std::string("é"), std::string(64, 'a')}) {
    NewSession session = session_named("a");
    session.tenant = name;
    EXPECT_EQ(code_of(store().create_session(session)), ErrorCode::invalid_argument) << name;
  }
}

TEST_P(StoreTenants, lists_keep_the_oldest_where_these_are_wanted) {
  Ids ids;
  for (int i = 0; i < 4; ++i) ids.push_back(queue("", "a"));
  const auto first = value_of(store().list_sessions({.limit = 2, .keep = Page::Keep::first}));
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].id, ids[1]) << "newest first, as ever";
  EXPECT_EQ(first[1].id, ids[0]);
  const auto next = value_of(
      store().list_sessions({.after = first[0].id, .limit = 2, .keep = Page::Keep::first}));
  ASSERT_EQ(next.size(), 2U);
  EXPECT_EQ(next[1].id, ids[2]);
}

TEST_P(StoreTenants, sessions_of_busy_models_stay_in_the_queue) {
  const auto with_model = [&](std::string provider, std::string model) {
    NewSession session = session_named("a");
    session.is_queued = true;
    session.provider = std::move(provider);
    session.model = std::move(model);
    return value_of(store().create_session(session));
  };
  const SessionId large = with_model("openai", "large");
  const SessionId small = with_model("openai", "small");
  const SessionId other = with_model("other", "large");
  EXPECT_EQ(claim(9, {"openai"}), Ids{other});
  EXPECT_EQ(claim(9, {"openai:large", "small"}), Ids{small});
  EXPECT_EQ(claim(9), Ids{large});
}

}  // namespace
}  // namespace wright::store
