// Several real workers on one store, and a model behind HTTP that answers when the test says so:
// who may ask it, who goes on when a worker ends in the middle, and what a copy that was killed
// leaves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/process.h"
#include "net/canned_server_testing.h"
#include "postgres/connection.h"
#include "postgres/cluster_testing.h"
#include "wright/postgres.h"

namespace wright::cli {
namespace {

using net::testing::CannedServer;
using postgres::TestCluster;

std::string place_in(const std::string& schema) {
  return fmt::format("{}&schema={}", TestCluster::instance().url(), schema);
}

// Holds every request until it is let go, in the order in which they came. What it asks for first
// may be a page of its own, which is held as well; then it says that it is done.
class HeldModel {
 public:
  enum class Asks { nothing, for_a_page };
  explicit HeldModel(Asks asks = Asks::nothing)
      : asks_(asks), server_([this](net::testing::Connection& c) { serve(c); }) {}
  ~HeldModel() { let_go(1'000'000); }

  std::string config(std::string_view more = {}) const {
    return fmt::format(
        "[agent]\nmodel = \"local:any\"\n[web]\nfetch = true\nallow = [\"127.0.0.1\"]\nports = "
        "[\"any\"]\n[vendors.local]\nneeds_key = false\nprotocol = \"openai-chat\"\nbase_url = "
        "\"{}\"\n{}\n",
        server_.url("/v1"), more);
  }
  void let_go(int count) {
    const std::lock_guard lock(mutex_);
    free_ += count;
    changed_.notify_all();
  }
  // Waits until so many have come in all.
  bool await(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return come_ >= count; });
  }
  // Waits until so many have gone in all. From then on counts how many are there at once.
  bool await_gone(int count) {
    std::unique_lock lock(mutex_);
    const bool is_so =
        changed_.wait_for(lock, std::chrono::seconds(60), [&] { return gone_ >= count; });
    most_ = come_ - gone_;
    return is_so;
  }
  int most_at_once() {
    const std::lock_guard lock(mutex_);
    return most_;
  }
  int pages() {
    const std::lock_guard lock(mutex_);
    return pages_;
  }
  // When each request came.
  std::vector<std::chrono::steady_clock::time_point> arrivals() {
    const std::lock_guard lock(mutex_);
    return arrivals_;
  }

 private:
  void serve(net::testing::Connection& connection) {
    for (std::string request; !(request = connection.read_request()).empty();) {
      const bool is_page = request.starts_with("GET");
      hold(is_page);
      if (is_page) {
        connection.answer(200, "<h1>Held</h1>", "Content-Type: text/html\r\n");
      } else {
        connection.answer(200, to_text(answer_to(request)), "Content-Type: application/json\r\n");
      }
    }
  }
  void hold(bool is_page) {
    std::unique_lock lock(mutex_);
    const int number = ++come_;
    arrivals_.push_back(std::chrono::steady_clock::now());
    if (is_page) ++pages_;
    most_ = std::max(most_, come_ - gone_);
    changed_.notify_all();
    changed_.wait(lock, [&] { return number <= free_; });
    ++gone_;
    changed_.notify_all();
  }
  Json answer_to(const std::string& request) const {
    JsonObject message{{"role", "assistant"}, {"content", "Done"}};
    const bool is_first = !request.contains("\"role\":\"tool\"");
    if (asks_ == Asks::for_a_page && is_first) {
      const std::string url = to_text(Json{{"url", server_.url("/page")}});
      message["content"] = nullptr;
      message["tool_calls"] = JsonArray{
          JsonObject{{"id", "call_1"},
                     {"type", "function"},
                     {"function", JsonObject{{"name", "fetch_url"}, {"arguments", url}}}}};
    }
    return {{"choices",
             JsonArray{JsonObject{{"index", 0}, {"message", message}, {"finish_reason", "stop"}}}},
            {"usage", JsonObject{{"prompt_tokens", 10}, {"completion_tokens", 5}}}};
  }

  const Asks asks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::chrono::steady_clock::time_point> arrivals_;
  int come_ = 0;
  int pages_ = 0;
  int gone_ = 0;
  int most_ = 0;
  int free_ = 0;
  CannedServer server_;  // last: its threads use the others
};

class FleetOn : public ::testing::TestWithParam<bool> {
 protected:
  FleetOn() : schema_(TestCluster::new_schema()) {
    home_.environment["WRIGHT_STORE"] =
        GetParam() ? place_in(schema_) : (home_.path() / "queue.db").string();
  }
  std::string queue(const Arguments& more = {}) {
    Arguments arguments{"run", "codebase-analysis", "Say it", "--queue"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Finished queued = home_.wright(arguments);
    EXPECT_EQ(queued.exit_code, 0) << queued.error;
    while (queued.output.ends_with('\n')) queued.output.pop_back();
    return queued.output;
  }
  std::unique_ptr<Store> open_store() {
    auto store = GetParam()
                     ? open_postgres_store(TestCluster::instance().url(), {.schema = schema_})
                     : open_sqlite_store(home_.path() / "queue.db");
    EXPECT_TRUE(store.has_value());
    return store ? std::move(*store) : nullptr;
  }
  // Others like it.
  void queue_more(const std::string& id, int count) {
    const auto store = open_store();
    const Session one = store->get_session(std::stoll(id)).value();
    for (int i = 0; i < count; ++i) {
      EXPECT_TRUE(store->create_session({.agent_name = one.agent_name,
                                         .provider = one.provider,
                                         .model = one.model,
                                         .system_prompt = one.system_prompt,
                                         .user_prompt = one.user_prompt,
                                         .config = one.config,
                                         .is_queued = true}));
    }
  }
  Json session(const std::string& id) {
    return home_.wright({"sessions", "show", id, "--json"}).json();
  }
  std::string status_of(const std::string& id) {
    return std::string(session(id).at("session").at("status").as_string());
  }
  Arguments worker(const Arguments& more = {}) {
    Arguments arguments{"worker", "--poll", "50ms", "--lease", "2s"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  Home home_;
  std::string schema_;
};
INSTANTIATE_TEST_SUITE_P(On, FleetOn, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "postgres" : "sqlite"; });

TEST_P(FleetOn, asks_a_model_no_more_at_once_than_all_may_together) {
  HeldModel model;
  home_.write_config(model.config("concurrent_requests = 2"));
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(queue());
  const auto start = [&](const char* room) {
    return std::make_unique<Process>(worker({"--concurrency", room}), home_.environment,
                                     home_.project(), Streams::pipes);
  };
  // The first takes three, and asks for two of them. It dies with both requests under way.
  auto doomed = start("3");
  ASSERT_TRUE(model.await(2));
  auto second = start("4");
  auto third = start("4");
  second->await("Worker with room");
  third->await("Worker with room");
  doomed->send(SIGKILL);
  doomed->finish();
  ASSERT_TRUE(model.await(4)) << "what it had is free again";
  model.let_go(2);  // nobody is there any more who hears these
  ASSERT_TRUE(model.await_gone(2));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(model.await(std::min(4 + i, 7)));
    model.let_go(1);
  }
  for (Process* each : {second.get(), third.get()}) each->send(SIGTERM);
  expect_ended_well(second->finish());
  const Finished last = third->finish();
  EXPECT_EQ(last.exit_code, 0) << last.signal << last.error;
  for (const std::string& id : ids) EXPECT_EQ(status_of(id), "completed") << id;
  EXPECT_EQ(model.most_at_once(), 2);
}

// A minute is a bucket that holds ten seconds' worth, for all of them together. Requests may come
// late, and never early.
TEST_P(FleetOn, asks_a_model_no_more_in_a_minute_than_all_may_together) {
  constexpr int kSessions = 28;
  constexpr double kPerSecond = 2;
  constexpr double kAtOnce = 20;
  HeldModel model;
  model.let_go(kSessions);
  home_.write_config(model.config("requests_per_minute = 120\n"));
  queue_more(queue(), kSessions - 1);
  Process one(worker({"--concurrency", "40", "--until-idle"}), home_.environment, home_.project(),
              Streams::pipes);
  Process two(worker({"--concurrency", "40", "--until-idle"}), home_.environment, home_.project(),
              Streams::pipes);
  EXPECT_TRUE(model.await(kSessions));
  const auto arrivals = model.arrivals();
  ASSERT_EQ(arrivals.size(), std::size_t{kSessions});
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const double seconds = std::chrono::duration<double>(arrivals[i] - arrivals.front()).count();
    // Permits are counted from when they are taken, which is a moment before.
    EXPECT_LE(static_cast<double>(i + 1), kAtOnce + kPerSecond * seconds + 3) << seconds << " s";
  }
  expect_ended_well(one.finish());
  expect_ended_well(two.finish());
}

TEST_P(FleetOn, goes_on_with_what_a_worker_left_in_the_middle_of_a_call) {
  HeldModel model(HeldModel::Asks::for_a_page);
  home_.write_config(model.config());
  const std::string id = queue();
  Process first(worker({"--grace", "1ms"}), home_.environment, home_.project(), Streams::pipes);
  ASSERT_TRUE(model.await(1));
  model.let_go(1);
  ASSERT_TRUE(model.await(2)) << "it fetches the page";
  first.send(SIGTERM);
  expect_ended_well(first.finish());
  EXPECT_EQ(status_of(id), "running") << "nobody's, and not ended";
  Process second(worker({"--until-idle"}), home_.environment, home_.project(), Streams::pipes);
  ASSERT_TRUE(model.await(3)) << "the page again: it only reads";
  model.let_go(10);
  const Finished finished = second.finish();
  EXPECT_EQ(finished.exit_code, 0);
  const Json done = session(id);
  EXPECT_EQ(done.at("session").at("status"), "completed") << finished.error;
  EXPECT_EQ(model.pages(), 2) << to_text(done);
}

TEST_P(FleetOn, stops_what_somebody_else_wants_cancelled) {
  HeldModel model;
  home_.write_config(model.config());
  const std::string id = queue();
  Process driving(worker(), home_.environment, home_.project(), Streams::pipes);
  ASSERT_TRUE(model.await(1));
  ASSERT_TRUE(open_store()->request_cancel(std::stoll(id), "Enough").has_value());
  driving.await("Enough");
  driving.send(SIGTERM);
  expect_ended_well(driving.finish());
  EXPECT_EQ(status_of(id), "cancelled");
}

TEST_P(FleetOn, leaves_what_is_delayed_and_serves_each_tenant) {
  const std::string later = queue({"--delay", "1h", "--priority", "9"});
  std::vector<std::string> ids;
  for (const char* tenant : {"loud", "loud", "quiet"}) ids.push_back(queue({"--tenant", tenant}));
  Process one(worker({"--until-idle"}), home_.environment, home_.project(), Streams::pipes);
  Process two(worker({"--until-idle"}), home_.environment, home_.project(), Streams::pipes);
  expect_ended_well(one.finish());
  expect_ended_well(two.finish());
  for (const std::string& id : ids) EXPECT_EQ(status_of(id), "completed");
  EXPECT_EQ(status_of(later), "queued");
  EXPECT_EQ(home_.wright({"sessions", "--tenant", "loud", "--json"}).json().as_array().size(), 2U);
  EXPECT_EQ(home_.wright({"run", "codebase-analysis", "x", "--queue", "--tenant", "a b"}).exit_code,
            2);
}

TEST_P(FleetOn, gives_an_agent_that_needs_a_place_to_a_worker_that_has_it) {
  const std::filesystem::path agents = home_.path() / ".config/wright/agents";
  std::filesystem::create_directories(agents);
  std::ofstream(agents / "painter.toml")
      << "instructions = \"Answer briefly.\"\ntools = [\"grep\"]\nlabels = [\"gpu\"]\n";
  std::ofstream(agents / "chief.toml")
      << "instructions = \"Answer briefly.\"\nspecialists = [\"painter\"]\n";
  const Finished shown = home_.wright({"agents", "show", "painter"});
  EXPECT_TRUE(shown.output.contains("labels")) << shown.output;
  EXPECT_TRUE(shown.output.contains("gpu")) << shown.output;
  std::vector<std::string> ids;
  for (const char* agent : {"painter", "chief"}) {
    Finished queued = home_.wright({"run", agent, "Where is alpha_function?", "--queue"});
    ASSERT_EQ(queued.exit_code, 0) << queued.error;
    queued.output.pop_back();
    ids.push_back(queued.output);
  }
  EXPECT_EQ(home_.wright(worker({"--until-idle", "--labels", "office"})).exit_code, 0);
  for (const std::string& id : ids) EXPECT_EQ(status_of(id), "queued");
  EXPECT_EQ(home_.wright(worker({"--until-idle", "--labels", "office,gpu"})).exit_code, 0);
  for (const std::string& id : ids) EXPECT_EQ(status_of(id), "completed");
}

TEST_P(FleetOn, takes_no_more_than_may_wait) {
  home_.write_config("[sessions]\nmax_queued = 2\nmax_queued_per_tenant = 1\n");
  const auto code = [&](const char* tenant) {
    return home_.wright({"run", "codebase-analysis", "Say it", "--queue", "--tenant", tenant})
        .exit_code;
  };
  EXPECT_EQ(code("loud"), 0);
  EXPECT_EQ(code("loud"), 75);
  EXPECT_EQ(code("quiet"), 0);
  const Finished refused = home_.wright({"run", "codebase-analysis", "Say it", "--queue"});
  EXPECT_EQ(refused.exit_code, 75);
  EXPECT_TRUE(refused.error.contains("The queue is full: 2 sessions")) << refused.error;
  EXPECT_EQ(home_.wright({"sessions", "--json"}).json().as_array().size(), 2U);
  // What is asked for here and now does not wait in it.
  EXPECT_EQ(home_.wright({"run", "codebase-analysis", "How many files are there?", "-q"}).exit_code,
            0);
  EXPECT_EQ(home_.wright(worker({"--until-idle"})).exit_code, 0);
  EXPECT_EQ(code("loud"), 0);
}

// A table that somebody has locked is where the copy stops.
class LockedTable {
 public:
  LockedTable(const std::string& schema, const char* mode)
      : connection_(store_connection()), schema_(schema) {
    const postgres::Sql begin("BEGIN");
    const postgres::Sql lock(
        fmt::format("LOCK TABLE {}.agent_tool_calls IN {} MODE", schema, mode));
    const std::array<postgres::Request, 2> requests{postgres::Request{&begin},
                                                    postgres::Request{&lock}};
    EXPECT_TRUE(connection_
                    ->exchange(requests, std::chrono::steady_clock::now() + std::chrono::minutes(1),
                               postgres::Preparing::every_time)
                    .is_done());
  }
  // Whether somebody stands before it, before long.
  bool is_waited_for() const {
    const std::string waiting = fmt::format(
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = "
        "'{}.agent_tool_calls'::regclass",
        schema_);
    for (int i = 0; i < 3'000; ++i) {
      if (TestCluster::instance().run(waiting) != "0\n") return true;
      ::usleep(10'000);
    }
    return false;
  }

 private:
  static std::optional<postgres::Connection> store_connection() {
    auto opened = postgres::Connection::open(TestCluster::instance().url());
    EXPECT_TRUE(opened.has_value());
    return std::optional(std::move(*opened));
  }
  std::optional<postgres::Connection> connection_;
  const std::string schema_;
};

TEST(MigrateKilled, goes_on_where_it_was_in_both_directions) {
  Home home;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(home.wright({"run", "codebase-analysis", "How many files?", "-q"}).exit_code, 0);
  }
  const std::string schema = TestCluster::new_schema();
  const std::string place = place_in(schema);
  // The tables are there, so that one of them can be locked.
  ASSERT_TRUE(open_postgres_store(TestCluster::instance().url(), {.schema = schema}).has_value());
  const auto kill_in_the_middle = [&](const Arguments& arguments, const char* mode) {
    const LockedTable locked(schema, mode);
    Process copying(arguments, home.environment, home.project(), Streams::pipes);
    EXPECT_TRUE(locked.is_waited_for());
    copying.send(SIGKILL);
    copying.finish();
  };
  const Arguments there{"migrate", "--from", home.database().string(), "--to", place, "--json"};
  kill_in_the_middle(there, "SHARE");
  EXPECT_EQ(
      TestCluster::instance().run(fmt::format("SELECT count(*) FROM {}.agent_sessions", schema)),
      "2\n")
      << "half of it is there";
  const Finished gone = home.wright(there);
  ASSERT_EQ(gone.exit_code, 0) << gone.error;
  EXPECT_EQ(gone.json().at("agent_sessions"), 2);
  EXPECT_GT(gone.json().at("agent_tool_calls").as_int64(), 0);

  const Arguments back{"migrate", "--from", place, "--to", "back.db", "--json"};
  kill_in_the_middle(back, "ACCESS EXCLUSIVE");
  const Finished came = home.wright(back);
  ASSERT_EQ(came.exit_code, 0) << came.error;
  EXPECT_EQ(came.json(), gone.json());
  EXPECT_EQ(home.wright({"sessions", "export", "1", "--store", "back.db"}).output,
            home.wright({"sessions", "export", "1"}).output);
}

}  // namespace
}  // namespace wright::cli
