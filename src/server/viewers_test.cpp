// Many who look at the same figures cost the store as much as one.
#include <atomic>
#include <thread>

#include "server/service_testing.h"
#include "server/snapshots.h"
#include "store/forwarding_store.h"

namespace wright::server {
namespace {

class CountingStore : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override {
    ++walks;
    return ForwardingStore::list_sessions(filter);
  }
  Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) override {
    ++waits;
    return ForwardingStore::get_waits(filter);
  }
  Result<StoreStats> get_stats(const StatsFilter& filter) override {
    ++stats;
    return ForwardingStore::get_stats(filter);
  }
  Result<StoreHistory> get_history(const HistoryFilter& filter) override {
    ++stats;
    return ForwardingStore::get_history(filter);
  }
  std::atomic<int> walks = 0;
  std::atomic<int> waits = 0;
  std::atomic<int> stats = 0;
};

constexpr int kViewers = 10;
// No test takes as long.
constexpr SnapshotAges kLasting{std::chrono::hours(1), std::chrono::hours(1)};

void look_at(ServedService& served, const std::string& path, Answered& first) {
  std::vector<Answered> seen(kViewers);
  std::vector<std::thread> viewers;
  for (Answered& each : seen) {
    viewers.emplace_back([&] { each = served.ask("GET", path); });
  }
  for (std::thread& viewer : viewers) viewer.join();
  for (const Answered& each : seen) {
    EXPECT_EQ(each.status, 200) << path << each.body;
    EXPECT_EQ(each.body, seen.front().body) << path;
  }
  first = seen.front();
}

TEST(Viewers, cost_the_store_one_walk_together) {
  const auto inner = open_memory_store();
  CountingStore store(*inner);
  ServedService served({.store = &store, .ages = kLasting});
  served.begin("hello");
  served.begin("call ask");
  Answered answered;
  store.walks = store.waits = store.stats = 0;
  look_at(served, "/api/v1/stats", answered);
  EXPECT_EQ(store.stats, 1);
  look_at(served, "/api/v1/stats/history?since=0", answered);
  EXPECT_EQ(store.stats, 2);
  look_at(served, "/api/v1/stats/series?since=0&by=agent", answered);
  EXPECT_EQ(store.stats, 3);
  EXPECT_EQ(store.walks, 0);
  look_at(served, "/api/v1/feedback?since=0", answered);
  EXPECT_EQ(store.walks, 1);
  look_at(served, "/api/v1/runners", answered);
  EXPECT_EQ(store.walks, 3) << "those that run, and those that are queued";
  look_at(served, "/api/v1/waits", answered);
  EXPECT_EQ(store.waits, 1);
  EXPECT_EQ(answered.json().at("waits").as_array().size(), 1U);
  // Another question is another walk.
  look_at(served, "/api/v1/stats?agent=parrot", answered);
  EXPECT_EQ(store.stats, 4);
}

TEST(Viewers, see_at_once_what_was_answered_here) {
  ServedService served({.ages = kLasting});
  served.begin("call ask");
  EXPECT_EQ(served.ask("GET", "/api/v1/waits").json().at("waits").as_array().size(), 1U);
  EXPECT_EQ(served.ask("POST", "/api/v1/waits/1/answer", R"({"answer":"yes"})").status, 200);
  EXPECT_TRUE(served.ask("GET", "/api/v1/waits").json().at("waits").as_array().empty());
}

TEST(Snapshots, are_made_anew_when_they_are_old_and_after_failures) {
  int made = 0;
  bool fails = false;
  const auto make = [&]() -> Result<Json> {
    if (fails) return fail(ErrorCode::unavailable, "Not now");
    return Json(++made);
  };
  Snapshots lasting{std::chrono::hours(1)};
  EXPECT_EQ(lasting.get("a", make), "1");
  EXPECT_EQ(lasting.get("a", make), "1");
  EXPECT_EQ(lasting.get("b", make), "2");
  lasting.forget();
  fails = true;
  EXPECT_FALSE(lasting.get("a", make));
  fails = false;
  EXPECT_EQ(lasting.get("a", make), "3");
  Snapshots fleeting{std::chrono::milliseconds(0)};
  EXPECT_EQ(fleeting.get("a", make), "4");
  EXPECT_EQ(fleeting.get("a", make), "5");
}

TEST(Snapshots, of_one_tenant_are_not_those_of_another) {
  EXPECT_NE(snapshot_key("since=1", "a"), snapshot_key("since=1", "b"));
  EXPECT_NE(snapshot_key("since=1", "a"), snapshot_key("since=1", std::nullopt));
}

}  // namespace
}  // namespace wright::server
