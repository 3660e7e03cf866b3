#include "sqlite/memory.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <thread>

#include "sqlite/connection.h"

namespace wright::sqlite {
namespace {

// Some megabytes, which the connection keeps.
void fill(sqlite3* connection) {
  ASSERT_EQ(sqlite3_exec(connection, "CREATE TABLE t AS SELECT zeroblob(4000000)", nullptr, nullptr,
                         nullptr),
            SQLITE_OK);
}

Connection empty_database() {
  return open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).connection;
}

class Memory : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(sqlite3_shutdown(), SQLITE_OK); }
  void TearDown() override {
    sqlite3_shutdown();
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1);
  }
};

TEST_F(Memory, is_counted_by_thread_where_a_program_wants_it) {
  ASSERT_TRUE(count_memory_by_thread());
  const std::int64_t before = memory_in_use();
  Connection own = empty_database();
  std::thread([] {
    const std::int64_t before_other = memory_in_use();
    const Connection other = empty_database();
    fill(other.get());
    EXPECT_GT(memory_in_use() - before_other, 4'000'000);
  }).join();
  EXPECT_LT(memory_in_use() - before, 1'000'000) << "what another thread has is not ours";
  fill(own.get());
  EXPECT_GT(memory_in_use() - before, 4'000'000);
  own.reset();
  EXPECT_LT(memory_in_use() - before, 1'000'000);
}

TEST_F(Memory, stays_as_it_is_where_sqlite_is_in_use) {
  const Connection connection = empty_database();
  EXPECT_FALSE(count_memory_by_thread());
}

}  // namespace
}  // namespace wright::sqlite
