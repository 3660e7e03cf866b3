// The real program with its sessions in PostgreSQL: choosing it, queueing, workers, moving there
// and back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/process.h"
#include "postgres/test_cluster.h"

namespace wright::cli {
namespace {

using postgres::TestCluster;

std::string new_place() {
  return fmt::format("{}&schema={}", TestCluster::instance().url(), TestCluster::new_schema());
}

TEST(StoreChoice, by_flag_environment_and_file) {
  Home home;
  const std::string place = new_place();
  const Finished ran =
      home.wright({"run", "codebase-analysis", "How many files?", "-q", "--store", place});
  EXPECT_EQ(ran.exit_code, 0) << ran.error;
  EXPECT_FALSE(std::filesystem::exists(home.database()));
  EXPECT_EQ(home.wright({"sessions", "--json", "--store", place}).json().as_array().size(), 1U);
  home.environment["WRIGHT_STORE"] = place;
  EXPECT_EQ(home.wright({"sessions", "--json"}).json().as_array().size(), 1U);
  EXPECT_EQ(home.wright({"sessions", "show", "last"}).exit_code, 0);
  EXPECT_EQ(
      home.wright({"sessions", "--json", "--database-path", "other.db"}).json().as_array().size(),
      0U)
      << "a flag is stronger than the environment";
  home.environment.erase("WRIGHT_STORE");
  home.write_config(fmt::format("[sessions]\nstore = \"{}\"\n", place));
  EXPECT_EQ(home.wright({"sessions", "--json"}).json().as_array().size(), 1U);
  home.write_config("[sessions]\nstore = \"sqlite:~/elsewhere.db\"\n");
  EXPECT_EQ(home.wright({"run", "codebase-analysis", "How many files?", "-q"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(home.path() / "elsewhere.db"));
}

TEST(StoreChoice, complains_in_a_way_that_helps_and_shows_no_password) {
  Home home;
  const auto complaint = [&](const Arguments& arguments) {
    const Finished finished = home.wright(arguments);
    EXPECT_NE(finished.exit_code, 0);
    return finished.error;
  };
  EXPECT_TRUE(complaint({"sessions", "--store", "mysql://x"}).contains("postgresql://"));
  EXPECT_TRUE(
      complaint({"sessions", "--store", "a", "--database-path", "b"}).contains("one of them"));
  const std::string away = "postgresql://me:geheim@/x?host=/nonexistent";
  const std::string lost = complaint({"sessions", "--store", away});
  EXPECT_TRUE(lost.contains("/nonexistent")) << lost;
  EXPECT_FALSE(lost.contains("geheim"));
  const Finished config = home.wright({"config", "--store", away});
  EXPECT_TRUE(config.output.contains("me:***@")) << config.output;
  EXPECT_FALSE(config.output.contains("geheim"));
  EXPECT_TRUE(complaint({"sessions", "--store", TestCluster::instance().url() + "&schema=a-b"})
                  .contains("schema"));
}

class Worker : public ::testing::TestWithParam<bool> {
 protected:
  Worker() : place_(GetParam() ? new_place() : (home_.path() / "queue.db").string()) {
    home_.environment["WRIGHT_STORE"] = place_;
  }
  std::string status_of(const std::string& id) {
    return std::string(home_.wright({"sessions", "show", id, "--json"})
                           .json()
                           .at("session")
                           .at("status")
                           .as_string());
  }
  std::string queue(const Arguments& more = {}) {
    Arguments arguments{"run", "codebase-analysis", "How many files?", "--queue"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Finished queued = home_.wright(arguments);
    EXPECT_EQ(queued.exit_code, 0) << queued.error;
    while (queued.output.ends_with('\n')) queued.output.pop_back();
    return queued.output;
  }

  Home home_;
  std::string place_;
};
INSTANTIATE_TEST_SUITE_P(On, Worker, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "postgres" : "sqlite"; });

TEST_P(Worker, drives_what_was_queued) {
  const std::string first = queue();
  const std::string second = queue({"--priority", "5"});
  EXPECT_EQ(status_of(first), "queued");
  const Finished worked = home_.wright({"worker", "--until-idle", "--poll", "100ms"});
  EXPECT_EQ(worked.exit_code, 0) << worked.error;
  EXPECT_EQ(status_of(first), "completed") << worked.error;
  EXPECT_EQ(status_of(second), "completed");
  EXPECT_LT(worked.error.find(fmt::format("session {}", second)), worked.error.size());
}

TEST_P(Worker, leaves_other_agents_alone) {
  const std::string id = queue();
  Process worker({"worker", "--agents", "sqlite-analysis", "--poll", "50ms"}, home_.environment,
                 home_.project(), Streams::pipes);
  worker.await("Worker with room");
  worker.send(SIGTERM);
  EXPECT_EQ(worker.finish().exit_code, 0);
  EXPECT_EQ(status_of(id), "queued");
}

TEST_P(Worker, ends_on_sigterm_and_takes_what_comes_while_it_lives) {
  Process worker({"worker", "--poll", "100ms"}, home_.environment, home_.project(), Streams::pipes);
  worker.await("Worker with room");
  const std::string id = queue();
  worker.await(fmt::format("session {}", id));
  worker.send(SIGTERM);
  EXPECT_EQ(worker.finish().exit_code, 0);
  EXPECT_EQ(status_of(id), "completed");
}

TEST_P(Worker, refuses_what_makes_no_sense) {
  EXPECT_EQ(home_.wright({"worker", "--lease", "1ms"}).exit_code, 2);
  EXPECT_EQ(home_.wright({"worker", "--poll", "soon"}).exit_code, 2);
  EXPECT_EQ(home_.wright({"worker", "--concurrency", "0"}).exit_code, 2);
}

TEST(Migrate, takes_everything_there_and_back) {
  Home home;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(home.wright({"run", "codebase-analysis", "How many files?", "-q"}).exit_code, 0);
  }
  const std::string place = new_place();
  const std::string there = home.wright({"sessions", "export", "1"}).output;
  const Arguments go{"migrate", "--from", home.database().string(), "--to", place, "--json"};
  const Finished gone = home.wright(go);
  EXPECT_EQ(gone.exit_code, 0) << gone.error;
  EXPECT_EQ(gone.json().at("agent_sessions"), 2);
  EXPECT_EQ(home.wright(go).json(), gone.json()) << "once more changes nothing";
  EXPECT_EQ(home.wright({"sessions", "export", "1", "--store", place}).output, there);

  EXPECT_EQ(home.wright({"run", "codebase-analysis", "And now?", "-q", "--store", place}).exit_code,
            0)
      << "numbers go on behind those that were copied";
  const Finished back = home.wright({"migrate", "--from", place, "--to", "back.db", "--json"});
  EXPECT_EQ(back.exit_code, 0) << back.error;
  EXPECT_EQ(back.json().at("agent_sessions"), 3);
  EXPECT_EQ(home.wright({"sessions", "export", "1", "--store", "back.db"}).output, there);

  EXPECT_EQ(home.wright({"run", "codebase-analysis", "Else", "-q"}).exit_code, 0);
  const Finished refused = home.wright(go);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(refused.error.contains("not the same")) << refused.error;
  EXPECT_EQ(home.wright({"migrate", "--from", "nothing.db", "--to", place}).exit_code, 1);
  EXPECT_EQ(home.wright({"migrate", "--from", place, "--to", place}).exit_code, 2);
}

TEST(Doctor, shows_how_the_database_is_doing) {
  Home home;
  home.environment["WRIGHT_STORE"] = new_place();
  EXPECT_TRUE(home.wright({"doctor"}).output.contains("without Wright's tables yet"));
  EXPECT_EQ(home.wright({"run", "codebase-analysis", "Files?", "--queue"}).exit_code, 0);
  const std::string shown = home.wright({"doctor"}).output;
  EXPECT_TRUE(shown.contains("1 queued")) << shown;
  EXPECT_TRUE(shown.contains("oldest snapshot")) << shown;
}

}  // namespace
}  // namespace wright::cli
