#include "sqlite/statement.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

#include "sqlite/connection.h"
#include "sqlite/error.h"
#include "sqlite/transaction.h"

namespace wright::sqlite {
namespace {

Connection in_memory() {
  Opened opened = open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  EXPECT_EQ(opened.code, SQLITE_OK);
  return std::move(opened.connection);
}

std::int64_t count(sqlite3* connection) {
  auto statement = Statement::prepare(connection, "SELECT count(*) FROM t");
  std::int64_t rows = -1;
  EXPECT_TRUE(statement && statement->query([&](const Row& row) -> Result<void> {
    rows = row.integer(0);
    return {};
  }));
  return rows;
}

TEST(SqliteConnection, says_why_it_did_not_open) {
  const Opened opened = open("/nowhere/at/all.db", SQLITE_OPEN_READONLY);
  EXPECT_EQ(opened.code & 0xFF, SQLITE_CANTOPEN);
  EXPECT_NE(error_of(opened.connection.get(), opened.code).message.find("cannot be opened"),
            std::string::npos);
}

TEST(SqliteStatement, tells_the_kinds_of_values_and_how_many_there_are) {
  const Connection connection = in_memory();
  auto statement = Statement::prepare(connection.get(), "SELECT ?1, ?2, ?3, ?4");
  ASSERT_TRUE(statement);
  int rows = 0;
  const auto done = statement->query(
      [&](const Row& row) -> Result<void> {
        ++rows;
        EXPECT_EQ(row.columns(), 4);
        EXPECT_TRUE(row.is_integer(0));
        EXPECT_EQ(row.integer(0), 7);
        EXPECT_TRUE(row.is_text(1));
        EXPECT_EQ(row.text(1), "caf\xC3\xA9");
        EXPECT_TRUE(row.is_text(2));
        EXPECT_EQ(row.text(2), "");
        EXPECT_TRUE(row.is_null(3));
        EXPECT_FALSE(row.is_text(3));
        return {};
      },
      7, "caf\xC3\xA9", "", std::optional<int>());
  EXPECT_TRUE(done);
  EXPECT_EQ(rows, 1);
}

TEST(SqliteStatement, binds_a_copy_of_a_text) {
  const Connection connection = in_memory();
  sqlite3_stmt* made = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(connection.get(), "SELECT ?1, ?2", -1, &made, nullptr), SQLITE_OK);
  const StatementHandle statement(made);
  EXPECT_EQ(bind_copy(made, 1, std::string("gone soon")), SQLITE_OK);
  EXPECT_EQ(bind_copy(made, 2, {}), SQLITE_OK);
  ASSERT_EQ(sqlite3_step(made), SQLITE_ROW);
  EXPECT_EQ(Row(made).text(0), "gone soon");
  EXPECT_TRUE(Row(made).is_text(1));
  EXPECT_NE(bind_copy(made, 3, "no such parameter"), SQLITE_OK);
}

TEST(SqliteTransaction, is_rolled_back_unless_it_was_committed) {
  const Connection connection = in_memory();
  ASSERT_TRUE(execute(connection.get(), "CREATE TABLE t (x)"));
  {
    const RollbackGuard guard(connection.get());
    ASSERT_TRUE(execute(connection.get(), "BEGIN; INSERT INTO t VALUES (1)"));
  }
  EXPECT_EQ(count(connection.get()), 0);
  {
    const RollbackGuard guard(connection.get());
    ASSERT_TRUE(execute(connection.get(), "BEGIN; INSERT INTO t VALUES (1); COMMIT"));
  }
  EXPECT_EQ(count(connection.get()), 1);
}

}  // namespace
}  // namespace wright::sqlite
