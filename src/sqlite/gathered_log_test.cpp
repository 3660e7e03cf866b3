#include "sqlite/gathered_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/temporary_folder_testing.h"
#include "sqlite/connection.h"

namespace wright::sqlite {
namespace {

constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A database in a file of its own, with a log.
class Database {
 public:
  Database(const std::filesystem::path& path, const char* vfs, int page_size = 4096) : path_(path) {
    sqlite3* opened = nullptr;
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &opened, kFlags, vfs), SQLITE_OK);
    connection_.reset(opened);
    run(fmt::format("PRAGMA page_size = {}", page_size));
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA synchronous = NORMAL");
    run("PRAGMA wal_autocheckpoint = 0");
  }

  void run(const std::string& sql) {
    char* said = nullptr;
    EXPECT_EQ(sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, &said), SQLITE_OK)
        << sql << ": " << (said == nullptr ? "" : said);
    sqlite3_free(said);
  }

  // What the frames of all whole transactions hold: the numbers of the pages, how large the database
  // is behind them, the pages. Salts and sums are others in every log.
  std::vector<std::string> frames() const {
    const std::string log = content_of(path_.string() + "-wal");
    std::vector<std::string> all;
    std::size_t whole = 0;
    if (log.size() < 32) return all;
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(log[at]); };
    const std::size_t page = std::size_t{byte(8)} << 24U | std::size_t{byte(9)} << 16U |
                             std::size_t{byte(10)} << 8U | byte(11);
    for (std::size_t at = 32; at + 24 + page <= log.size(); at += 24 + page) {
      if (log.compare(at + 8, 8, log, 16, 8) != 0) break;  // of the log before this one
      all.push_back(log.substr(at, 8) + log.substr(at + 24, page));
      if (log.substr(at + 4, 4) != std::string(4, '\0')) whole = all.size();
    }
    all.resize(whole);
    return all;
  }

  const std::filesystem::path& path() const { return path_; }
  sqlite3* get() const { return connection_.get(); }

 private:
  std::filesystem::path path_;
  Connection connection_;
};

std::string text_in(sqlite3* connection, const char* sql) {
  std::string text;
  const auto keep = [](void* into, int, char** values, char**) {
    *static_cast<std::string*>(into) += values[0] == nullptr ? "null" : values[0];
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(connection, sql, keep, &text, nullptr), SQLITE_OK) << sql;
  return text;
}

// As somebody else sees it.
std::string seen_in(const std::filesystem::path& path, const char* sql) {
  return text_in(open(path.native(), SQLITE_OPEN_READONLY).connection.get(), sql);
}

// Of this process, since it began.
long writes_of_the_system() {
  std::ifstream file("/proc/self/io");
  std::string name;
  long count = 0;
  while (file >> name >> count) {
    if (name == "syscw:") return count;
  }
  return -1;
}

TEST(GatheredLog, takes_one_write_for_a_transaction_of_many_pages) {
  const TemporaryFolder folder;
  Database database(folder.path() / "a", gathering_log());
  database.run("CREATE TABLE t(x)");
  const long before = writes_of_the_system();
  database.run("INSERT INTO t VALUES(zeroblob(100000))");
  const long after = writes_of_the_system();
  EXPECT_GT(database.frames().size(), 24U);
  EXPECT_EQ(after - before, 1);
  EXPECT_EQ(seen_in(database.path(), "SELECT sum(length(x)) FROM t"), "100000");
}

// Statements of which some fill the cache, so that pages go to the log before their transaction ends,
// are read from there again, and are overwritten there.
std::string some_statement(std::mt19937& random, bool& is_within) {
  switch (random() % 12) {
    case 0:
      is_within = !is_within;
      return is_within ? "BEGIN IMMEDIATE" : "COMMIT";
    case 1:
      if (is_within) return std::exchange(is_within, false) ? "ROLLBACK" : "";
      return "PRAGMA wal_checkpoint(PASSIVE)";
    case 2:
      if (is_within) return "SAVEPOINT s";
      return "PRAGMA wal_checkpoint(RESTART)";
    case 3:
      if (is_within) return "SAVEPOINT s; DELETE FROM t WHERE id % 3 = 0; ROLLBACK TO s; RELEASE s";
      return "PRAGMA wal_checkpoint(TRUNCATE)";
    case 4:
      return fmt::format("UPDATE t SET x = zeroblob({}) WHERE id % 5 = {}", random() % 9000,
                         random() % 5);
    case 5:
      return fmt::format("DELETE FROM t WHERE id % 7 = {}", random() % 7);
    case 6:
      return fmt::format("INSERT INTO t(x) VALUES(zeroblob({}))", random() % 60'000);
    case 7:
      return fmt::format("PRAGMA synchronous = {}", random() % 2 == 0 ? "FULL" : "NORMAL");
    default:
      return fmt::format("INSERT INTO t(x) VALUES(hex(zeroblob({})))", random() % 3000);
  }
}

TEST(GatheredLog, holds_what_the_log_of_sqlite_would_hold) {
  for (const int page_size : {512, 1024, 4096, 65536}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      const TemporaryFolder folder;
      Database plain(folder.path() / "plain", nullptr, page_size);
      Database gathered(folder.path() / "gathered", gathering_log(), page_size);
      std::mt19937 random(seed);
      bool is_within = false;
      const auto run = [&](const std::string& sql) {
        plain.run(sql);
        gathered.run(sql);
      };
      run("CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX i ON t(length(x))");
      run("PRAGMA cache_size = 8; PRAGMA cache_spill = 4");
      for (int i = 0; i < 80; ++i) {
        const std::string sql = some_statement(random, is_within);
        // "PRAGMA synchronous" waits for the end of a transaction.
        if (is_within && sql.starts_with("PRAGMA")) continue;
        run(sql);
        if (is_within || i % 8 != 0) continue;
        ASSERT_TRUE(gathered.frames() == plain.frames()) << page_size << ' ' << seed << ": " << sql;
      }
      if (is_within) run("COMMIT");
      EXPECT_TRUE(gathered.frames() == plain.frames());
      constexpr const char* kAll = "SELECT count(*) || ':' || sum(id * length(x)) FROM t";
      EXPECT_EQ(seen_in(gathered.path(), kAll), seen_in(plain.path(), kAll));
      EXPECT_EQ(seen_in(gathered.path(), "PRAGMA integrity_check"), "ok");
      // As a crash would leave it: the files as they are now, and a log that is read from its start.
      for (const Database* database : {&plain, &gathered}) {
        const auto copy = folder.path() / (database->path().filename().string() + "_copy");
        std::filesystem::copy_file(database->path(), copy);
        if (std::filesystem::exists(database->path().string() + "-wal")) {
          std::filesystem::copy_file(database->path().string() + "-wal", copy.string() + "-wal");
        }
        const auto [after_crash, code] = open(copy.native(), kFlags);
        ASSERT_EQ(code, SQLITE_OK);
        EXPECT_EQ(text_in(after_crash.get(), kAll), seen_in(plain.path(), kAll));
        EXPECT_EQ(text_in(after_crash.get(), "PRAGMA integrity_check"), "ok");
      }
    }
  }
}

}  // namespace
}  // namespace wright::sqlite
