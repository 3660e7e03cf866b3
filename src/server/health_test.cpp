// Probes of those who look after processes, and the figures for Prometheus.
#include <atomic>

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
  ServedService served({.store = &store});
  store.is_away = true;
  const Answered away = served.ask("GET", "/readyz");
  EXPECT_EQ(away.status, 503);
  EXPECT_EQ(away.body, "the store does not answer\n");
  EXPECT_EQ(served.ask("GET", "/healthz").status, 200) << "it lives, and need not be started anew";
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
