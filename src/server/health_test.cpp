// Probes of those who look after processes, and the figures for Prometheus.
#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

#include "core/temporary_folder_testing.h"
#include "server/health.h"
#include "server/service_testing.h"
#include "store/forwarding_store.h"

namespace wright::server {
namespace {

class StoreThatIsAway : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Result<std::vector<Runner>> get_runners() override {
    if (is_away) return fail(ErrorCode::unavailable, "Not now");
    return ForwardingStore::get_runners();
  }
  std::atomic<bool> is_away = false;
};

// Says nothing while it is blocked, as a database does whose machine has lost its network.
class StoreThatBlocks : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  void set_blocked(bool is_blocked) {
    const std::lock_guard lock(mutex_);
    is_blocked_ = is_blocked;
    changed_.notify_all();
  }
  // Until somebody waits for a list.
  void await_blocked() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return blocked_ > 0; });
  }

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    wait();
    return ForwardingStore::apply_all(batches);
  }
  Result<Session> get_session(SessionId id) override {
    wait();
    return ForwardingStore::get_session(id);
  }
  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override {
    const auto count = [&](int change) {
      const std::lock_guard lock(mutex_);
      blocked_ += change;
      changed_.notify_all();
    };
    count(1);
    wait();
    count(-1);
    return ForwardingStore::list_sessions(filter);
  }
  Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) override {
    wait();
    return ForwardingStore::get_waits(filter);
  }
  Result<std::vector<StoredEvent>> get_events(const EventFilter& filter) override {
    wait();
    return ForwardingStore::get_events(filter);
  }
  Result<std::vector<Runner>> get_runners() override {
    wait();
    return ForwardingStore::get_runners();
  }
  Result<StoreCounts> get_counts(std::int64_t now) override {
    ++counted;
    wait();
    return ForwardingStore::get_counts(now);
  }
  std::atomic<int> counted = 0;  // how often

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !is_blocked_; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_blocked_ = false;
  int blocked_ = 0;
};

constexpr StoreFiguresTimes kQuick{.look = std::chrono::milliseconds(10),
                                   .count = std::chrono::milliseconds(10),
                                   .patience = std::chrono::milliseconds(500)};

Answered probe(ServedService& served, std::string_view path, std::string_view host,
               std::string_view headers = {}) {
  http::RawPeer peer(served.http());
  peer.write(ServedService::request_text("GET", path, {}, headers, host));
  return ServedService::answered_from(peer.read_all());
}

TEST(Health, is_told_whatever_the_server_is_called) {
  ServedService served;
  for (const char* path : {"/healthz", "/readyz"}) {
    EXPECT_EQ(probe(served, path, "10.42.0.17:7411").status, 200) << path;
    EXPECT_EQ(probe(served, path, "wright.default.svc").status, 200) << path;
    // A page that has made a name of its own point here learns nothing.
    EXPECT_EQ(probe(served, path, "evil.example", "Origin: http://evil.example\r\n").status, 403);
    EXPECT_EQ(probe(served, path, "evil.example", "Sec-Fetch-Site: same-origin\r\n").status, 403);
  }
  EXPECT_EQ(probe(served, "/metrics", "10.42.0.17:7411").status, 403);
  EXPECT_EQ(probe(served, "/api/v1/sessions", "10.42.0.17:7411").status, 403);
  EXPECT_EQ(probe(served, "/", "10.42.0.17:7411").status, 403);
}

TEST(Health, is_not_ready_while_the_store_is_away) {
  const auto inner = open_memory_store();
  StoreThatIsAway store(*inner);
  ServedService served({.store = &store, .store_figures = kQuick});
  store.is_away = true;
  Answered away = served.ask("GET", "/readyz");
  while (away.status == 200) away = served.ask("GET", "/readyz");
  EXPECT_EQ(away.status, 503);
  EXPECT_TRUE(away.body.starts_with("the store does not answer")) << away.body;
  EXPECT_EQ(served.ask("GET", "/healthz").status, 200) << "it lives, and need not be started anew";
}

TEST(Health, is_told_at_once_while_the_store_says_nothing) {
  const auto inner = open_memory_store();
  StoreThatBlocks store(*inner);
  ServedService served({.store = &store, .store_figures = kQuick});
  EXPECT_EQ(served.ask("GET", "/readyz").status, 200);
  while (!served.ask("GET", "/metrics").body.contains("wright_queue_sessions 0\n")) {
    std::this_thread::yield();
  }
  store.set_blocked(true);
  std::list<http::RawPeer> waiting;
  for (int i = 0; i < 50; ++i) {
    waiting.emplace_back(served.http())
        .write(ServedService::request_text("GET", "/api/v1/sessions"));
  }
  EXPECT_EQ(served.ask("GET", "/healthz").status, 200);
  Answered ready = served.ask("GET", "/readyz");
  while (ready.status == 200) ready = served.ask("GET", "/readyz");
  EXPECT_EQ(ready.status, 503);
  const Answered metrics = served.ask("GET", "/metrics");
  EXPECT_EQ(metrics.status, 200);
  for (const char* line : {"wright_sessions_running 0\n", "wright_queue_sessions 0\n",
                           "wright_store_ready 0\n", "wright_store_figures_age_seconds "}) {
    EXPECT_NE(metrics.body.find(line), std::string::npos) << line << metrics.body;
  }
  for (const char* file : {"/", "/app.js", "/favicon.ico"}) {
    EXPECT_NE(served.ask("GET", file).status, 0) << file;
  }
  EXPECT_EQ(std::ranges::count_if(waiting, &http::RawPeer::has_something), 0) << "all of it blocks";
  store.set_blocked(false);
  for (http::RawPeer& peer : waiting) {
    EXPECT_EQ(ServedService::answered_from(peer.read_all()).status, 200);
  }
  while (served.ask("GET", "/readyz").status != 200) std::this_thread::yield();
}

double value_of_gauge(const std::vector<Gauge>& gauges, std::string_view name) {
  const auto found = std::ranges::find(gauges, name, &Gauge::name);
  return found == gauges.end() ? -1 : found->value;
}

TEST(StoreFigures, are_counted_when_somebody_asks_and_not_before) {
  const auto inner = open_memory_store();
  StoreThatBlocks store(*inner);
  StoreFigures figures(store, {}, {.count = std::chrono::hours(1)});
  EXPECT_FALSE(figures.trouble()) << "it was asked whether it answers, and nothing else";
  EXPECT_EQ(store.counted, 0);
  NewSession session{.agent_name = "a", .user_prompt = "Go"};
  session.is_queued = true;
  constexpr int kMany = 1'234;
  for (int i = 0; i < kMany; ++i) ASSERT_TRUE(inner->create_session(session));
  EXPECT_EQ(value_of_gauge(figures.gauges(), "wright_queue_sessions"), kMany);
  EXPECT_EQ(store.counted, 1);
  ASSERT_TRUE(inner->create_session(session));
  const auto again = figures.gauges();
  EXPECT_EQ(value_of_gauge(again, "wright_queue_sessions"), kMany) << "they are still good";
  EXPECT_GE(value_of_gauge(again, "wright_store_figures_age_seconds"), 0);
  EXPECT_EQ(store.counted, 1);
}

TEST(StoreFigures, that_are_old_are_told_while_the_store_is_slow) {
  const auto inner = open_memory_store();
  StoreThatBlocks store(*inner);
  StoreFigures figures(store, {}, {.count = std::chrono::milliseconds(0)});
  EXPECT_EQ(value_of_gauge(figures.gauges(), "wright_queue_sessions"), 0);
  store.set_blocked(true);
  NewSession session{.agent_name = "a", .user_prompt = "Go"};
  session.is_queued = true;
  ASSERT_TRUE(inner->create_session(session));
  for (int i = 0; i < 3; ++i) {
    const auto told = figures.gauges();
    EXPECT_EQ(value_of_gauge(told, "wright_queue_sessions"), 0) << "as it was";
    EXPECT_GE(value_of_gauge(told, "wright_store_figures_age_seconds"), 0);
  }
  store.set_blocked(false);
  while (value_of_gauge(figures.gauges(), "wright_queue_sessions") != 1) std::this_thread::yield();
}

TEST(StoreFigures, that_were_never_counted_are_left_out) {
  const auto inner = open_memory_store();
  StoreThatBlocks store(*inner);
  store.set_blocked(true);
  StoreFigures figures(store, {}, {.patience = std::chrono::milliseconds(1)});
  const auto told = figures.gauges();
  EXPECT_EQ(value_of_gauge(told, "wright_queue_sessions"), -1);
  EXPECT_EQ(value_of_gauge(told, "wright_store_figures_age_seconds"), -1);
  EXPECT_EQ(value_of_gauge(told, "wright_store_ready"), 0);
  store.set_blocked(false);
}

TEST(Health, what_was_refused_for_want_of_a_handler_is_not_begun_later) {
  const auto inner = open_memory_store();
  StoreThatBlocks store(*inner);
  ServedService served(
      {.store = &store,
       .http = {.handler_threads = 1, .handler_time = std::chrono::milliseconds(1'000)},
       .store_figures = {.look = std::chrono::hours(1), .count = std::chrono::hours(1)}});
  while (!served.ask("GET", "/metrics").body.contains("wright_queue_sessions 0\n")) {
    std::this_thread::yield();
  }
  store.set_blocked(true);
  http::RawPeer first(served.http());
  first.write(ServedService::request_text("GET", "/api/v1/sessions"));
  store.await_blocked();
  const Answered refused =
      served.ask("POST", "/api/v1/sessions", R"({"agent":"parrot","prompt":"Hello"})");
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_NE(refused.head.find("Retry-After"), std::string::npos) << refused.head;
  store.set_blocked(false);
  EXPECT_EQ(ServedService::answered_from(first.read_all()).status, 200);
  // Behind it in the same thread: what waited has been looked at by now.
  EXPECT_EQ(served.ask("GET", "/api/v1/sessions").status, 200);
  const auto sessions = inner->list_sessions({});
  ASSERT_TRUE(sessions);
  EXPECT_TRUE(sessions->empty()) << "a client that asks again has begun two";
}

TEST(HealthServer, tells_of_a_process_that_serves_nothing_else) {
  const auto store = open_memory_store();
  Metrics metrics;
  metrics.observe(SessionStarted{7}, {.session_id = 7, .agent = "clerk", .time_ms = 1'000});
  const TemporaryFolder folder;
  Tokens tokens(folder / "tokens.json");
  const std::string shop = tokens.add("shop", {Scope::admin}, 5, "shop").value_or("");
  const std::string all = tokens.add("all", {Scope::read}, 5).value_or("");
  const auto server = HealthServer::open({fmt::format("unix:{}/socket", folder.path().native())}, {}, tokens,
                                         {.store = *store, .metrics = &metrics});
  ASSERT_TRUE(server) << server.error().message;
  const auto ask = [&](std::string_view method, std::string_view path, std::string_view headers,
                       std::string_view host = "localhost") {
    http::RawPeer peer((*server)->addresses().at(0));
    peer.write(ServedService::request_text(method, path, {}, headers, host));
    return ServedService::answered_from(peer.read_all());
  };
  EXPECT_EQ(ask("GET", "/healthz", {}, "10.0.0.7:9411").body, "ok\n");
  EXPECT_EQ(ask("GET", "/readyz", {}, "10.0.0.7:9411").body, "ready\n");
  const auto bearer = [](const std::string& token) {
    return fmt::format("Authorization: Bearer {}\r\n", token);
  };
  const Answered figures = ask("GET", "/metrics", bearer(all));
  EXPECT_EQ(figures.status, 200) << figures.body;
  EXPECT_NE(figures.body.find("wright_sessions_started_total{agent=\"clerk\"} 1\n"),
            std::string::npos)
      << figures.body;
  EXPECT_NE(figures.body.find("wright_runners_alive 0\n"), std::string::npos) << figures.body;
  EXPECT_EQ(ask("GET", "/metrics", bearer(shop)).status, 403);
  EXPECT_EQ(ask("GET", "/metrics", bearer("wright_no")).status, 401);
  EXPECT_EQ(ask("GET", "/metrics", bearer(all), "10.0.0.7:9411").status, 403);
  EXPECT_EQ(ask("POST", "/metrics", bearer(all)).status, 405);
  EXPECT_EQ(ask("GET", "/api/v1/sessions", bearer(all)).status, 404);
}

TEST(Metrics, say_how_long_the_first_in_the_queue_has_been_ready) {
  constexpr std::int64_t kMinute = 60'000;
  std::int64_t ago = 0;
  const auto store = open_memory_store(Clocks([&ago] { return system_clock_ms() - ago; }));
  const auto begin = [&](SessionStatus status, std::optional<std::int64_t> ready_at = {}) {
    NewSession session{.agent_name = "a", .user_prompt = "Go", .ready_at = ready_at};
    session.is_queued = status == SessionStatus::queued;
    const auto created = store->create_session_with(
        session, std::vector<Write>{AppendMessage{.message = Message::user("Go")}});
    EXPECT_TRUE(created) << created.error().message;
    if (status != SessionStatus::queued) {
      EXPECT_TRUE(store->apply_one(UpdateSession{.session_id = created->first, .status = status}));
    }
    return created->first;
  };
  const auto minutes = [&] {
    for (const Gauge& gauge : StoreFigures(*store).gauges()) {
      if (gauge.name == "wright_queue_oldest_seconds") return static_cast<int>(gauge.value / 60);
    }
    return -1;
  };
  EXPECT_EQ(minutes(), 0);
  begin(SessionStatus::queued, system_clock_ms() + 60 * kMinute);
  EXPECT_EQ(minutes(), 0) << "nobody could have taken it yet";
  ago = 3 * 24 * 60 * kMinute;
  const SessionId old = begin(SessionStatus::completed);
  ago = 2 * kMinute;
  ASSERT_TRUE(store->apply_one(Enqueue{.session_id = old, .message = Message::user("More")}));
  EXPECT_EQ(minutes(), 2) << "it has a message since two minutes, not since three days";
  ago = 90 * kMinute;
  begin(SessionStatus::queued, system_clock_ms() - 5 * kMinute);
  EXPECT_EQ(minutes(), 5) << "it was delayed until five minutes ago";
  ago = 10 * kMinute;
  begin(SessionStatus::queued);
  ago = 0;
  for (int i = 0; i < 300; ++i) begin(SessionStatus::queued);
  EXPECT_EQ(minutes(), 10);
}

TEST(Metrics, tell_models_errors_and_durations_apart) {
  Metrics metrics;
  EventOrigin origin{.session_id = 7, .agent = "clerk", .time_ms = 1'000};
  metrics.observe(SessionStarted{7}, origin);
  metrics.observe(ModelStarted{1, "openai", "gpt"}, origin);
  const Error busy{ErrorCode::overloaded, "Busy"};
  metrics.observe(ModelRetried{{busy, "openai:gpt", std::chrono::milliseconds(1)}}, origin);
  wright::Response response = testing::says("x");
  response.usage = {.input_tokens = 30, .output_tokens = 4, .cost_usd = 0.5};
  metrics.observe(ModelEnded{response, 20}, origin);
  metrics.observe(ModelStarted{2, "anthropic", "claude"}, origin);
  const Error denied{ErrorCode::authentication, "No"};
  origin.time_ms = 3'500;
  metrics.observe(RunEnded{Phase::failed, "", &denied}, origin);
  const std::string text = metrics.text({});
  for (
      const char* line : {
          R"(wright_model_turns_total{agent="clerk",provider="openai",model="gpt"} 1)",
          R"(wright_model_retries_total{agent="clerk",provider="openai",model="gpt"} 1)",
          R"(wright_model_errors_total{agent="clerk",provider="openai",model="gpt",code="overloaded"} 1)",
          R"(wright_model_errors_total{agent="clerk",provider="anthropic",model="claude",code="authentication"} 1)",
          R"(wright_model_tokens_total{agent="clerk",provider="openai",model="gpt",kind="input"} 30)",
          R"(wright_model_tokens_total{agent="clerk",provider="openai",model="gpt",kind="output"} 4)",
          R"(wright_model_cost_dollars_total{agent="clerk",provider="openai",model="gpt"} 0.5)",
          R"(wright_model_duration_seconds_bucket{agent="clerk",provider="openai",model="gpt",le="0.01"} 0)",
          R"(wright_model_duration_seconds_bucket{agent="clerk",provider="openai",model="gpt",le="0.02"} 1)",
          R"(wright_model_duration_seconds_count{agent="clerk",provider="openai",model="gpt"} 1)",
          "# TYPE wright_session_duration_seconds histogram",
          R"(wright_session_duration_seconds_bucket{agent="clerk",phase="failed",le="1.6"} 0)",
          R"(wright_session_duration_seconds_bucket{agent="clerk",phase="failed",le="3.2"} 1)",
          R"(wright_session_duration_seconds_sum{agent="clerk",phase="failed"} 2.5)",
          R"(wright_session_duration_seconds_count{agent="clerk",phase="failed"} 1)",
      }) {
    EXPECT_NE(text.find(std::string(line) + "\n"), std::string::npos) << line << "\n" << text;
  }
}

TEST(Metrics, count_no_error_of_a_model_that_nobody_asked) {
  Metrics metrics;
  const EventOrigin origin{.session_id = 7, .agent = "clerk", .time_ms = 1'000};
  metrics.observe(SessionStarted{7}, origin);
  const Error limit{ErrorCode::limit_reached, "Enough"};
  metrics.observe(RunEnded{Phase::failed, "", &limit}, origin);
  EXPECT_EQ(metrics.text({}).find("wright_model_errors_total{"), std::string::npos);
}

}  // namespace
}  // namespace wright::server
