#include "postgres/cluster_testing.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>

#include "postgres/connection.h"
#include "postgres/errors.h"

namespace wright::postgres {

TestCluster& TestCluster::instance() {
  static TestCluster cluster;
  return cluster;
}

TestCluster::TestCluster() {
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  if (::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0) std::abort();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
  // Whoever kills the group of the test leaves the script to clean up.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::string script = WRIGHT_CLUSTER_SCRIPT;
  std::string shell = "bash";
  const std::array<char*, 3> arguments{shell.data(), script.data(), nullptr};
  const int failed =
      ::posix_spawnp(&process_, "bash", &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(to[0]);
  ::close(from[1]);
  to_ = to[1];
  from_ = from[0];
  if (failed == 0) url_ = read_line();
  if (url_.empty()) {
    ADD_FAILURE() << "There is no PostgreSQL to test with: install Debian's package postgresql-15, "
                     "as 'make test' does";
  }
}

TestCluster::~TestCluster() {
  ::close(to_);
  ::close(from_);
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
}

std::string TestCluster::read_line() {
  std::string line;
  char c = '\0';
  while (::read(from_, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

void TestCluster::tell(std::string_view command) {
  const std::string line = std::string(command) + "\n";
  EXPECT_EQ(::write(to_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  EXPECT_NE(read_line(), "") << command;
}

std::string TestCluster::new_schema() {
  static std::atomic<int> count = 0;
  return fmt::format("test_{}_{}", ::getpid(), ++count);
}

std::string TestCluster::run(std::string_view sql) {
  auto connection = Connection::open(url_);
  if (!connection) {
    ADD_FAILURE() << connection.error().message;
    return {};
  }
  std::string rows;
  const Sql statement{std::string(sql)};
  const Request request{&statement, {}, [&](const Row& row) -> Result<void> {
                          rows += row.text(0) + "\n";
                          return {};
                        }};
  const auto outcome = connection->exchange(
      {&request, 1}, std::chrono::steady_clock::now() + kPatience, Preparing::every_time);
  EXPECT_TRUE(outcome.is_done()) << sql << ": " << outcome.message;
  return rows;
}

void TestCluster::cut_connections(int most) {
  const std::string sql = fmt::format(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'wright' "
      "AND pid <> pg_backend_pid() ORDER BY random() LIMIT {}",
      most);
  // A pooler may hand out a connection that the cut before this one is just about to end.
  constexpr int kTries = 20;
  std::string said;
  for (int i = 0; i < kTries; ++i) {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url_.c_str()),
                                                                  PQfinish);
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(
        PQexec(connection.get(), sql.c_str()), PQclear);
    if (PQresultStatus(result.get()) == PGRES_TUPLES_OK) return;
    said = PQerrorMessage(connection.get());
  }
  ADD_FAILURE() << sql << ": " << said;
}

void TestCluster::run_alone(const std::string& sql) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url_.c_str()),
                                                                PQfinish);
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()),
                                                             PQclear);
  EXPECT_EQ(PQresultStatus(result.get()), PGRES_COMMAND_OK)
      << sql << ": " << PQerrorMessage(connection.get());
}

}  // namespace wright::postgres
