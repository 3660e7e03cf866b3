// Front doors that drive nothing, and a worker: real programs on one PostgreSQL. What is asked of
// one door is seen at the other, and the worker is told of it before it would have looked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/process.h"
#include "cli/unix_socket.h"
#include "postgres/cluster_testing.h"

namespace wright::cli {
namespace {

using postgres::TestCluster;

Json json_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  auto parsed = parse_json(end == std::string::npos ? "" : answer.substr(end + 4));
  EXPECT_TRUE(parsed) << answer;
  return parsed ? *parsed : Json();
}

class Doors : public ::testing::Test {
 protected:
  Doors() {
    home_.environment["WRIGHT_STORE"] =
        fmt::format("{}&schema={}", TestCluster::instance().url(), TestCluster::new_schema());
    for (const char* name : {"a", "b"}) doors_.push_back(open(name));
  }
  std::unique_ptr<Process> open(const std::string& name) {
    auto door = std::make_unique<Process>(Arguments{"serve", "--concurrency", "0", "--listen",
                                                    "unix:" + (home_.path() / name).string()},
                                          home_.environment, home_.project(), Streams::pipes);
    door->await("Listening on unix:");
    return door;
  }
  // The worker would look by itself in ten minutes only.
  std::unique_ptr<Process> worker() {
    auto worker = std::make_unique<Process>(
        Arguments{"worker", "--poll", "10m", "--lease", "2s", "--labels", "shop", "--listen",
                  "unix:" + (home_.path() / "worker").string()},
        home_.environment, home_.project(), Streams::pipes);
    worker->await("Worker with room");
    return worker;
  }
  Json ask(const std::string& door, const std::string& method, const std::string& path,
           const std::string& body = {}) {
    return json_of(over_socket(home_.path() / door, request_for(method, path, body)));
  }
  std::string status(const std::string& door, std::int64_t id) {
    return std::string(
        ask(door, "GET", fmt::format("/api/v1/sessions/{}", id)).at("status").as_string());
  }
  // Far less than the worker's own pause.
  bool becomes(const std::string& door, std::int64_t id, const std::string& wanted) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (std::chrono::steady_clock::now() < until) {
      if (status(door, id) == wanted) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  // The last event comes just after the session is stored as completed.
  bool hears(const std::string& door, std::int64_t id, const std::string& event) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (std::chrono::steady_clock::now() < until) {
      const std::string events = over_socket(
          home_.path() / door, request_for("GET", fmt::format("/api/v1/sessions/{}/events", id)));
      if (events.contains(event)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  Home home_;
  std::vector<std::unique_ptr<Process>> doors_;
};

TEST_F(Doors, leave_sessions_and_their_next_messages_to_a_worker) {
  const Json begun = ask("a", "POST", "/api/v1/sessions",
                         R"({"agent":"codebase-analysis","prompt":"How many files are there?",)"
                         R"("queue":{"labels":["shop"]}})");
  const std::int64_t id = begun.at("id").as_int64();
  EXPECT_EQ(begun.at("status").as_string(), "queued");
  const auto working = worker();
  EXPECT_TRUE(becomes("b", id, "completed"));
  // One door dies; the other knows all that happened.
  doors_.front()->send(SIGKILL);
  doors_.front()->finish();
  EXPECT_TRUE(hears("b", id, "run_ended"));
  const std::string path = fmt::format("/api/v1/sessions/{}/messages", id);
  working->send(SIGSTOP);  // it would be quicker than the look
  const Json sent = ask("b", "POST", path, R"({"text":"Where is alpha_function defined?"})");
  EXPECT_EQ(sent.at("status").as_string(), "queued") << to_text(sent);
  working->send(SIGCONT);
  EXPECT_TRUE(becomes("b", id, "completed"));
  const std::string messages = to_text(ask("b", "GET", path));
  EXPECT_NE(messages.find("alpha_function"), std::string::npos) << messages;
  working->send(SIGTERM);
  expect_ended_well(working->finish());
}

TEST_F(Doors, cancel_what_waits_in_the_queue) {
  const Json begun = ask("a", "POST", "/api/v1/sessions",
                         R"({"agent":"codebase-analysis","prompt":"How many files?"})");
  const std::int64_t id = begun.at("id").as_int64();
  EXPECT_EQ(begun.at("status").as_string(), "queued");
  ask("b", "POST", fmt::format("/api/v1/sessions/{}/cancel", id), "{}");
  EXPECT_EQ(status("a", id), "cancelled");
}

TEST_F(Doors, leave_the_figures_of_sessions_to_the_worker_that_drives_them) {
  const auto working = worker();
  const Json begun = ask("a", "POST", "/api/v1/sessions",
                         R"({"agent":"codebase-analysis","prompt":"How many files are there?",)"
                         R"("queue":{"labels":["shop"]}})");
  EXPECT_TRUE(becomes("b", begun.at("id").as_int64(), "completed"));
  const auto asked = [&](const char* who, const char* path) {
    return over_socket(home_.path() / who, request_for("GET", path));
  };
  // The event comes just after the session is stored as completed.
  const std::string ended = "\nwright_sessions_ended_total{agent=\"codebase-analysis\"";
  std::string figures = asked("worker", "/metrics");
  while (figures.find(ended) == std::string::npos && figures.starts_with("HTTP/1.1 200")) {
    std::this_thread::yield();
    figures = asked("worker", "/metrics");
  }
  for (const char* name : {"wright_model_turns_total{", "wright_sessions_running 0\n",
                           "wright_runners_alive ", "wright_store_duration_seconds_count{"}) {
    EXPECT_NE(figures.find(std::string("\n") + name), std::string::npos) << name << figures;
  }
  EXPECT_EQ(asked("a", "/metrics").find(ended), std::string::npos) << "it drives none";
  EXPECT_TRUE(asked("worker", "/healthz").ends_with("ok\n"));
  EXPECT_TRUE(asked("worker", "/readyz").ends_with("ready\n"));
  EXPECT_TRUE(asked("worker", "/api/v1/sessions").starts_with("HTTP/1.1 404"));
  working->send(SIGTERM);
  expect_ended_well(working->finish());
}

// A door that nobody can look at is started anew, which helps nobody while the database is away.
TEST_F(Doors, tell_of_themselves_while_the_database_is_away) {
  const auto first_line = [&](const std::string& method, const std::string& path,
                              const std::string& body = {}) {
    const std::string answer = over_socket(home_.path() / "a", request_for(method, path, body));
    return answer.substr(0, answer.find("\r\n"));
  };
  EXPECT_EQ(first_line("GET", "/readyz"), "HTTP/1.1 200 OK");
  TestCluster::instance().tell("stop");
  std::vector<std::jthread> waiting;
  std::atomic<int> refused = 0;
  for (int i = 0; i < 12; ++i) {
    waiting.emplace_back([&] {
      const std::string line =
          first_line("POST", "/api/v1/sessions",
                     R"({"agent":"codebase-analysis","prompt":"How many files?"})");
      // 500 where the connection broke while the store was asked.
      if (line.starts_with("HTTP/1.1 503") || line.starts_with("HTTP/1.1 500")) ++refused;
    });
  }
  while (first_line("GET", "/readyz").starts_with("HTTP/1.1 200")) std::this_thread::yield();
  EXPECT_TRUE(first_line("GET", "/readyz").starts_with("HTTP/1.1 503"));
  EXPECT_EQ(first_line("GET", "/healthz"), "HTTP/1.1 200 OK");
  EXPECT_EQ(first_line("GET", "/"), "HTTP/1.1 200 OK");
  const std::string metrics = over_socket(home_.path() / "a", request_for("GET", "/metrics"));
  EXPECT_NE(metrics.find("\nwright_sessions_running 0\n"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("\nwright_store_ready 0\n"), std::string::npos) << metrics;
  waiting.clear();
  EXPECT_EQ(refused, 12);
  TestCluster::instance().tell("start");
  while (!first_line("GET", "/readyz").starts_with("HTTP/1.1 200")) std::this_thread::yield();
  EXPECT_TRUE(ask("a", "GET", "/api/v1/sessions").at("sessions").as_array().empty())
      << "a client that asks again has begun two";
}

}  // namespace
}  // namespace wright::cli
