// How connections begin: what libpq and the server say at the side, and files of passwords.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "core/temporary_folder_testing.h"
#include "postgres/connecting.h"
#include "postgres/connection.h"
#include "postgres/cluster_testing.h"
#include "wright/postgres.h"

namespace wright::postgres {
namespace {

std::string with(const std::string& url, std::string_view parameter) {
  return fmt::format("{}{}{}", url, url.contains('?') ? '&' : '?', parameter);
}

TEST(PostgresConnecting, leaves_a_file_of_passwords_that_others_may_read_alone) {
  const TemporaryFolder folder;
  const std::string file = folder / "pgpass";
  std::ofstream(file) << "*:*:*:*:secret\n";
  const std::string place = with(TestCluster::instance().url(), fmt::format("passfile={}", file));
  for (const mode_t mode : {0644, 0600}) {
    ASSERT_EQ(::chmod(file.c_str(), mode), 0);
    EXPECT_EQ(open_password_file(place).has_value(), mode == 0644);
    ::testing::internal::CaptureStderr();
    const auto opened = Connection::open(place);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_TRUE(opened) << opened.error().message;
  }
  EXPECT_EQ(open_password_file(with(TestCluster::instance().url(), "passfile=/nowhere")),
            std::nullopt);
}

// As after an upgrade of the system below it, from the first moment of every connection on.
TEST(PostgresConnecting, takes_what_the_server_says_at_the_side_to_the_log) {
  if (std::getenv("WRIGHT_TEST_POOLER") != nullptr) GTEST_SKIP() << "a pooler keeps it to itself";
  const std::string url = TestCluster::instance().url();
  // No transaction may be around these.
  const auto run_alone = [&](const char* sql) {
    PGconn* connection = PQconnectdb(url.c_str());
    PGresult* done = PQexec(connection, sql);
    EXPECT_EQ(PQresultStatus(done), PGRES_COMMAND_OK) << PQerrorMessage(connection);
    PQclear(done);
    PQfinish(connection);
  };
  run_alone("CREATE DATABASE wright_old LOCALE_PROVIDER icu ICU_LOCALE 'en' TEMPLATE template0");
  run_alone("UPDATE pg_database SET datcollversion = '1' WHERE datname = 'wright_old'");
  std::mutex mutex;
  std::vector<std::string> told;
  const Logger logger(
      [&](const LogRecord& record) {
        const std::lock_guard lock(mutex);
        EXPECT_EQ(record.level, LogLevel::warning);
        ASSERT_EQ(record.fields.size(), 1U);
        told.emplace_back(std::get<std::string_view>(record.fields[0].value));
      },
      LogLevel::info);
  std::string place = url;
  const std::size_t end = std::min(place.find('?'), place.size());
  const std::size_t begin = place.rfind('/', end) + 1;
  place.replace(begin, end - begin, "wright_old");
  ::testing::internal::CaptureStderr();
  {
    const auto opened = Connection::open(place, logger);
    ASSERT_TRUE(opened) << opened.error().message;
    // And those of a store.
    ASSERT_TRUE(open_postgres_store(place, {.connections = 1, .logger = logger}));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_TRUE(told[0].contains("collation version mismatch")) << told[0];
  run_alone("DROP DATABASE wright_old WITH (FORCE)");
}

TEST(PostgresConnecting, does_not_wait_for_ever_for_one_that_says_nothing) {
  // It takes connections and never answers.
  const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listening, 8), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string silent = fmt::format("127.0.0.1:{}", ntohs(address.sin_port));
  const auto refused =
      Connection::open(fmt::format("postgresql://{}/db?connect_timeout=2", silent));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("timeout expired")) << refused.error().message;
  ::close(listening);
}

}  // namespace
}  // namespace wright::postgres
