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
#include "sqlite/faulty_disk_testing.h"

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

// What the files hold, without what the processes that have them open know of the log.
std::string left_by_a_crash(const Database& database, const char* sql) {
  const std::string copy = database.path().string() + "_left";
  for (const std::string side : {"", "-wal"}) {
    std::filesystem::copy_file(database.path().string() + side, copy + side);
  }
  const auto left = open(copy, kFlags).connection;
  return text_in(left.get(), "PRAGMA integrity_check") + ' ' + text_in(left.get(), sql);
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

// Two connections take turns, one transaction at a time.
TEST(GatheredLog, holds_what_the_log_of_sqlite_would_hold) {
  for (const int page_size : {512, 1024, 4096, 65536}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      const TemporaryFolder folder;
      const auto plain_path = folder.path() / "plain";
      const auto gathered_path = folder.path() / "gathered";
      Database plain(plain_path, nullptr, page_size);
      Database gathered(gathered_path, gathering_log(), page_size);
      Database plain_other(plain_path, nullptr, page_size);
      Database gathered_other(gathered_path, gathering_log(), page_size);
      std::mt19937 random(seed);
      bool is_within = false;
      bool is_other = false;
      const auto run = [&](const std::string& sql) {
        (is_other ? plain_other : plain).run(sql);
        (is_other ? gathered_other : gathered).run(sql);
      };
      run("CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX i ON t(length(x))");
      for (const bool each : {true, false}) {
        is_other = each;
        run("PRAGMA cache_size = 8; PRAGMA cache_spill = 4");
      }
      for (int i = 0; i < 80; ++i) {
        if (!is_within) is_other = random() % 2 == 0;
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
      // As a crash leaves it, which for SQLite before 3.50.2 is not all that was committed: a page
      // that went to the log early may have no sum when a savepoint was given up.
      EXPECT_EQ(left_by_a_crash(gathered, kAll), left_by_a_crash(plain, kAll)) << page_size << seed;
    }
  }
}

// What was given up is not written over what others have written there since.
TEST(GatheredLog, forgets_what_was_rolled_back) {
  const TemporaryFolder folder;
  Database gathered(folder.path() / "a", gathering_log());
  gathered.run("PRAGMA cache_size = 8; PRAGMA cache_spill = 4; CREATE TABLE t(x)");
  gathered.run("PRAGMA wal_checkpoint(TRUNCATE)");  // giving up reads nothing from the log
  Database other(gathered.path(), nullptr);
  gathered.run("BEGIN IMMEDIATE; INSERT INTO t VALUES(zeroblob(200000)); ROLLBACK");
  other.run("INSERT INTO t VALUES(hex(zeroblob(150000)))");
  const auto frames = other.frames();
  constexpr const char* kAll = "SELECT count(*) || ':' || sum(length(x)) FROM t";
  EXPECT_EQ(text_in(gathered.get(), kAll), "1:300000");
  EXPECT_TRUE(other.frames() == frames) << "reading has written";
  gathered.run("INSERT INTO t VALUES('more')");
  EXPECT_EQ(text_in(other.get(), kAll), "2:300004");
  EXPECT_EQ(text_in(other.get(), "PRAGMA integrity_check"), "ok");
}

// Whichever write fails, once: what was told to be stored is, and nothing else.
TEST(GatheredLog, loses_nothing_when_a_write_fails) {
  const TemporaryFolder folder;
  FaultyDisk disk;
  bool has_failed = true;
  for (int writes = 0; has_failed; ++writes) {
    ASSERT_LT(writes, 1000);
    Database database(folder.path() / std::to_string(writes), gathering_log());
    database.run("PRAGMA cache_size = 8; PRAGMA cache_spill = 4; CREATE TABLE t(x)");
    database.run("WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
                 "INSERT INTO t SELECT i FROM n");
    int rows = 40;
    int more = 0;
    disk.fail_after(writes, SQLITE_FULL, 1);
    database.run("BEGIN IMMEDIATE");
    for (int i = 0; i < 6; ++i) {
      const int code =
          sqlite3_exec(database.get(), "INSERT INTO t SELECT zeroblob(3000) FROM t LIMIT 10", nullptr,
                       nullptr, nullptr);
      if (code == SQLITE_OK) more += 10;
      if (sqlite3_get_autocommit(database.get()) != 0) break;
    }
    const int code = sqlite3_exec(database.get(), "COMMIT", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) rows += more;
    if (sqlite3_get_autocommit(database.get()) == 0) database.run("ROLLBACK");
    has_failed = disk.has_failed();
    EXPECT_TRUE(has_failed || code == SQLITE_OK);
    disk.heal();
    EXPECT_EQ(text_in(database.get(), "SELECT count(*) FROM t"), std::to_string(rows)) << writes;
    EXPECT_EQ(seen_in(database.path(), "PRAGMA integrity_check"), "ok") << writes;
  }
}

// A file system that cannot map files, as programs have had theirs before SQLite 3.7.17.
class OlderDisk {
 public:
  OlderDisk() {
    disk_ = *real_;
    disk_.zName = "older";
    disk_.xOpen = [](sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
      const int code = real_->xOpen(real_, name, file, flags, out);
      if (file->pMethods == nullptr || (flags & SQLITE_OPEN_MAIN_DB) == 0) return code;
      methods_ = *file->pMethods;
      methods_.iVersion = 2;
      file->pMethods = &methods_;
      return code;
    };
    EXPECT_EQ(sqlite3_vfs_register(&disk_, 1), SQLITE_OK);
  }
  OlderDisk(const OlderDisk&) = delete;
  OlderDisk& operator=(const OlderDisk&) = delete;
  ~OlderDisk() {
    sqlite3_vfs_unregister(&disk_);
    sqlite3_vfs_register(real_, 1);
  }

 private:
  static inline sqlite3_vfs* const real_ = sqlite3_vfs_find(nullptr);
  static inline sqlite3_vfs disk_{};
  static inline sqlite3_io_methods methods_{};
};

TEST(GatheredLog, leaves_the_file_system_of_somebody_else_alone) {
  const TemporaryFolder folder;
  const OlderDisk disk;
  Database database(folder.path() / "a", gathering_log());
  database.run("CREATE TABLE t(x); INSERT INTO t VALUES(zeroblob(100000))");
  EXPECT_EQ(text_in(database.get(), "PRAGMA journal_mode"), "wal");
  EXPECT_EQ(seen_in(database.path(), "SELECT length(x) FROM t"), "100000");
}

}  // namespace
}  // namespace wright::sqlite
