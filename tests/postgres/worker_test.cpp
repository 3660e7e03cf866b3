// The real program with its sessions in PostgreSQL: choosing it, queueing, workers, moving there
// and back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

#include "cli/process.h"
#include "postgres/connection.h"
#include "postgres/cluster_testing.h"

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

TEST(StoreChoice, says_what_to_do_when_the_database_refuses) {
  Home home;
  TestCluster& cluster = TestCluster::instance();
  const auto complaint = [&](const std::string& place) {
    const Finished finished = home.wright({"sessions", "--store", place});
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_FALSE(finished.error.contains("falsch")) << finished.error;
    return finished.error;
  };
  const std::string rest = cluster.url().substr(cluster.url().find("@") + 1);
  cluster.run("CREATE ROLE locked LOGIN PASSWORD 'richtig'");
  EXPECT_TRUE(complaint("postgresql://locked@" + rest).contains("~/.pgpass"));
  EXPECT_TRUE(complaint("postgresql://locked:falsch@" + rest).contains("Check the user"));
  const std::string right = "postgresql://locked:richtig@" + rest;
  EXPECT_EQ(home.wright({"sessions", "--store", right}).exit_code, 0) << "there are none yet";
  const Finished run = home.wright({"run", "codebase-analysis", "Files?", "-q", "--store", right});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(run.error.contains("CREATE SCHEMA")) << run.error;
  EXPECT_FALSE(run.error.contains("richtig")) << run.error;
  const std::string doctor = home.wright({"doctor", "--store", right}).output;
  EXPECT_TRUE(doctor.contains("locked:***@")) << doctor;

  const std::string schema = TestCluster::new_schema();
  const std::string place = cluster.url() + "&schema=" + schema;
  EXPECT_EQ(home.wright({"run", "codebase-analysis", "Files?", "-q", "--store", place}).exit_code,
            0);
  cluster.run(fmt::format("UPDATE {}.agent_schema SET version = 99, oldest = 99", schema));
  EXPECT_TRUE(complaint(place).contains("Use the newer Wright"));
  std::string nowhere = cluster.url();
  nowhere.replace(nowhere.find("/postgres?"), 10, "/nowhere?");
  EXPECT_TRUE(complaint(nowhere).contains("createdb"));
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
  expect_ended_well(worker.finish());
  EXPECT_EQ(status_of(id), "queued");
}

TEST_P(Worker, ends_on_sigterm_and_takes_what_comes_while_it_lives) {
  Process worker({"worker", "--poll", "100ms"}, home_.environment, home_.project(), Streams::pipes);
  worker.await("Worker with room");
  const std::string id = queue();
  worker.await(fmt::format("session {}", id));
  worker.send(SIGTERM);
  expect_ended_well(worker.finish());
  EXPECT_EQ(status_of(id), "completed");
}

TEST_P(Worker, goes_on_when_somebody_has_answered_elsewhere) {
  home_.write_config("[permissions]\ngrep = \"ask\"\n");
  Finished queued =
      home_.wright({"run", "codebase-analysis", "Where is alpha_function defined?", "--queue"});
  ASSERT_EQ(queued.exit_code, 0) << queued.error;
  Process worker({"worker", "--poll", "100ms", "--lease", "2s"}, home_.environment, home_.project(),
                 Streams::pipes);
  worker.await("waits for a person");
  EXPECT_EQ(home_.wright({"waits", "--json"}).json().as_array().empty(), false);
  EXPECT_EQ(home_.wright({"answer", "1", "--approve", "session"}).exit_code, 0);
  worker.await("completed");
  worker.send(SIGTERM);
  expect_ended_well(worker.finish());
  EXPECT_EQ(status_of("1"), "completed");
}

TEST_P(Worker, takes_only_what_it_has_the_labels_for) {
  const std::string special = queue({"--labels", "gpu,repository=shop"});
  const std::string plain = queue();
  const Arguments worker{"worker", "--poll", "50ms", "--until-idle"};
  const auto with = [&](const char* labels) {
    Arguments arguments = worker;
    arguments.insert(arguments.end(), {"--labels", labels});
    return home_.wright(arguments);
  };
  Process other({"worker", "--poll", "50ms", "--labels", "gpu"}, home_.environment, home_.project(),
                Streams::pipes);
  other.await(fmt::format("session {}", plain));
  other.send(SIGTERM);
  expect_ended_well(other.finish());
  EXPECT_EQ(status_of(special), "queued");
  EXPECT_EQ(with("repository=shop,gpu").exit_code, 0);
  EXPECT_EQ(status_of(special), "completed");
  EXPECT_EQ(home_.wright({"run", "codebase-analysis", "x", "--queue", "--labels", "a b"}).exit_code,
            2);
}

TEST_P(Worker, puts_back_what_has_its_folder_elsewhere) {
  home_.write_file("inner/file.txt", "x");
  const auto inner = home_.project() / "inner";
  const std::string id = queue({"--base-path", inner.string()});
  std::filesystem::rename(inner, home_.project() / "moved");
  Process worker({"worker", "--poll", "50ms"}, home_.environment, home_.project(), Streams::pipes);
  worker.await(fmt::format("Session {} is left", id));
  const std::string second = queue();
  worker.await(fmt::format("session {}", second));
  worker.send(SIGTERM);
  expect_ended_well(worker.finish());
  EXPECT_EQ(status_of(id), "queued");
  std::filesystem::rename(home_.project() / "moved", inner);
  EXPECT_EQ(home_.wright({"worker", "--poll", "50ms", "--until-idle"}).exit_code, 0);
  EXPECT_EQ(status_of(id), "completed");
}

// A worker is killed with a session that it has claimed: while somebody has locked the messages, it
// cannot go on.
TEST(DeadWorker, has_its_session_taken_over) {
  Home home;
  const std::string schema = TestCluster::new_schema();
  home.environment["WRIGHT_STORE"] = TestCluster::instance().url() + "&schema=" + schema;
  ASSERT_EQ(home.wright({"run", "codebase-analysis", "How many files?", "--queue"}).exit_code, 0);
  Process doomed({"worker", "--lease", "60s"}, home.environment, home.project(), Streams::pipes);
  {
    auto locking = postgres::Connection::open(TestCluster::instance().url());
    ASSERT_TRUE(locking.has_value());
    const postgres::Sql begin("BEGIN");
    const postgres::Sql lock(fmt::format("LOCK TABLE {}.agent_messages", schema));
    const std::array<postgres::Request, 2> requests{postgres::Request{&begin},
                                                    postgres::Request{&lock}};
    ASSERT_TRUE(locking
                    ->exchange(requests, std::chrono::steady_clock::now() + std::chrono::minutes(1),
                               postgres::Preparing::every_time)
                    .is_done());
    const std::string status = fmt::format("SELECT status FROM {}.agent_sessions", schema);
    for (int i = 0; i < 1'000 && TestCluster::instance().run(status) == "queued\n"; ++i) {
      ::usleep(10'000);
    }
    doomed.send(SIGKILL);
    doomed.finish();
  }
  const Finished worked = home.wright({"worker", "--until-idle", "--poll", "50ms"});
  EXPECT_EQ(worked.exit_code, 0) << worked.error;
  const Json session = home.wright({"sessions", "show", "1", "--json"}).json().at("session");
  EXPECT_EQ(session.at("status"), "completed") << worked.error;
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
  EXPECT_EQ(home.wright({"migrate", "--from", place, "--to", ":memory:"}).exit_code, 2)
      << "which would keep nothing";
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
