// A worker that is told to end while a command runs that changes something.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "cli/process.h"
#include "postgres/paying.h"
#include "postgres/cluster_testing.h"

namespace wright::cli {
namespace {

using postgres::TestCluster;

class Draining : public ::testing::Test {
 protected:
  Draining() {
    home_.environment["WRIGHT_STORE"] =
        fmt::format("{}&schema={}", TestCluster::instance().url(), TestCluster::new_schema());
    prepare_payer(home_, model_, "while [ ! -e go ]; do sleep 0.02; done");
  }
  std::unique_ptr<Process> worker(const Arguments& more) {
    Arguments arguments{"worker", "--poll", "50ms", "--lease", "2s"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::make_unique<Process>(arguments, home_.environment, home_.project(), Streams::pipes);
  }
  // A worker that is in the middle of the first command.
  std::unique_ptr<Process> worker_at_work(const std::string& grace) {
    EXPECT_EQ(home_.wright({"run", "payer", "Pay 7", "--queue"}).output, "1\n");
    auto working = worker({"--grace", grace});
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!ledger_of(home_).contains("begins 7-0")) {
      if (std::chrono::steady_clock::now() > until) {
        ADD_FAILURE() << "the command does not begin";
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return working;
  }
  void let_go() { home_.write_file("go", ""); }
  Json session() { return home_.wright({"sessions", "show", "1", "--json"}).json(); }

  PayingModel model_;
  Home home_;
};

TEST_F(Draining, waits_for_a_write_that_is_under_way) {
  const auto working = worker_at_work("60s");
  working->send(SIGTERM);
  let_go();
  expect_ended_well(working->finish());
  const Json done = session();
  EXPECT_EQ(done.at("session").at("status").as_string(), "completed") << to_text(done);
  for (const auto& [line, count] : ledger_of(home_)) EXPECT_EQ(count, 1) << line;
  EXPECT_EQ(ledger_of(home_).size(), 4U) << "both commands began and did their work";
  EXPECT_FALSE(to_text(done).contains("unknown")) << to_text(done);
}

TEST_F(Draining, stops_a_write_that_takes_too_long_says_so_and_nobody_repeats_it) {
  const auto working = worker_at_work("1ms");
  working->send(SIGTERM);
  expect_ended_well(working->finish());
  EXPECT_EQ(session().at("session").at("status").as_string(), "running") << "nobody's";
  let_go();
  expect_ended_well(worker({"--until-idle"})->finish());
  const Json done = session();
  EXPECT_EQ(done.at("session").at("status").as_string(), "completed") << to_text(done);
  const Json& first = done.at("tool_calls").at(0);
  EXPECT_EQ(first.at("status").as_string(), "failed") << to_text(first);
  EXPECT_NE(to_text(first).find("stopped before it ended"), std::string::npos) << to_text(first);
  const auto counts = ledger_of(home_);
  EXPECT_EQ(counts.at("begins 7-0"), 1) << "it is not repeated";
  EXPECT_FALSE(counts.contains("did 7-0")) << "nobody goes on with it after the worker's end";
  EXPECT_EQ(counts.at("did 7-1"), 1) << "the next one is done";
}

}  // namespace
}  // namespace wright::cli
