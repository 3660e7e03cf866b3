// sqlite_reader against SQL and files that mean harm: nothing is changed, and everything ends.
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <fstream>

#include "sqlite/memory.h"
#include "tools/sqlite/reader_testing.h"

namespace wright::tools {
namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr const char* kSample =
    "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2); CREATE TABLE target(x); "
    "CREATE TRIGGER tr AFTER INSERT ON t BEGIN DELETE FROM target; END; "
    "CREATE VIRTUAL TABLE words USING fts5(body); INSERT INTO words VALUES ('a'); "
    "CREATE VIRTUAL TABLE boxes USING rtree(id, low, high); INSERT INTO boxes VALUES (1, 2, 3)";

struct Refused {
  std::string sql;
  std::string says;  // part of the message
};

TEST(SqliteReaderHostile, refuses_every_statement_that_is_no_query_and_names_it) {
  const DatabaseFile file(kSample);
  const std::string before = bytes_of(file.path());
  const std::string other = (file.folder() / "other.db").native();
  for (const Refused& refused : std::vector<Refused>{
           {"INSERT INTO t VALUES (3)", "INSERT"},
           {"REPLACE INTO t VALUES (3)", "INSERT"},
           {"WITH n AS (SELECT 1) INSERT INTO t SELECT * FROM n", "INSERT"},
           {"INSERT INTO t VALUES (3) RETURNING x", "INSERT"},
           {"UPDATE t SET x = 3", "UPDATE"},
           {"DELETE FROM t", "DELETE"},
           {"DROP TABLE t", "DROP"},
           {"DROP VIEW IF EXISTS t2; ", ""},
           {"CREATE TABLE u(x)", "CREATE"},
           {"CREATE TEMP TABLE u(x)", "CREATE"},
           {"CREATE VIEW v AS SELECT 1", "CREATE"},
           {"CREATE VIRTUAL TABLE v USING fts5(x)", "CREATE"},
           {"ALTER TABLE t ADD COLUMN y", "ALTER"},
           {"CREATE INDEX i ON t(x)", "CREATE"},
           {"REINDEX t", ""},
           {"ANALYZE", "not allowed"},
           {"VACUUM", "not allowed"},
           {fmt::format("VACUUM INTO '{}'", other), "not allowed"},
           {fmt::format("ATTACH '{}' AS other", other), "ATTACH"},
           {"ATTACH ':memory:' AS other", "ATTACH"},
           {"DETACH main", "DETACH"},
           {"UPDATE sqlite_master SET sql = ''", "sqlite_master may not be modified"},
           {"INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)",
            "sqlite_master may not be modified"},
           {"CREATE TABLE u AS SELECT * FROM t", "CREATE"},
           {"BEGIN", "BEGIN"},
           {"COMMIT", "COMMIT"},
           {"SAVEPOINT a", "SAVEPOINT"},
           {"PRAGMA user_version = 5", "user_version"},
           {"PRAGMA journal_mode = DELETE", "journal_mode"},
           {"PRAGMA journal_mode(wal)", "journal_mode"},
           {"PRAGMA query_only = OFF", "query_only"},
           {"PRAGMA writable_schema = ON", "writable_schema"},
           {"PRAGMA trusted_schema = ON", "trusted_schema"},
           {"PRAGMA database_list", "database_list"},
           {"PRAGMA wal_checkpoint(TRUNCATE)", "wal_checkpoint"},
           {"PRAGMA optimize", "optimize"},
           {"PRAGMA temp_store_directory = '/'", "temp_store_directory"},
           {"SELECT * FROM pragma_database_list", "database_list"},
           {"SELECT load_extension('x')", "load_extension"},
           {"SELECT LOAD_EXTENSION('x', 'y') FROM t", "load_extension"},
           {"SELECT writefile('/tmp/x', 'y')", "writefile"},
           {"SELECT readfile('/etc/passwd')", "readfile"},
           {"SELECT fts3_tokenizer('simple', x'00')", "fts3_tokenizer"},
           {"INSERT INTO words(words) VALUES ('rebuild')", "INSERT"},
           {"INSERT INTO boxes_node VALUES (1, 2)", "may not be modified"},
           {"DELETE FROM boxes_rowid", "may not be modified"},
           {"SELECT 1; SELECT 2", "Only one statement"},
           {"SELECT 1; DROP TABLE t", "Only one statement"},
           {"SELECT 1; nonsense", "Only one statement"},
           {"", "query"},
           {" ; -- nothing\n;", "empty"},
           {std::string("SELECT 1\0; DROP TABLE t", 23), "NUL"},
           {"EXPLAIN DELETE FROM t", "DELETE"},
           {"SELECT * FROM t WHERE", "incomplete input"},
       }) {
    const std::string told = file.rows(refused.sql);
    if (refused.says.empty() && told == "[]") continue;  // nothing to do is no harm
    EXPECT_NE(told.find(": "), std::string::npos) << refused.sql << " gave " << told;
    EXPECT_NE(told.find(refused.says), std::string::npos) << refused.sql << " gave " << told;
  }
  EXPECT_EQ(bytes_of(file.path()), before);
  EXPECT_FALSE(std::filesystem::exists(other));
  EXPECT_EQ(file.rows("SELECT count(*) FROM t"), "[[2]]");
}

TEST(SqliteReaderHostile, ends_what_would_never_end) {
  const DatabaseFile file(kSample);
  auto options = file.options();
  options.deadline = std::chrono::milliseconds(100);
  for (const char* sql : {
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT i FROM n WHERE i > "
           "1",
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) "
           "SELECT max(a.i + b.i + c.i) FROM n a, n b, n c",
       }) {
    const auto answer = DatabaseFile::call(options, {{"query", sql}});
    ASSERT_FALSE(answer) << sql;
    EXPECT_EQ(answer.error().code, ErrorCode::timeout) << answer.error().message;
  }
}

TEST(SqliteReaderHostile, ends_when_it_is_asked_to) {
  const DatabaseFile file(kSample);
  std::stop_source stop;
  stop.request_stop();
  const auto answer = DatabaseFile::call(
      file.options(),
      {{"query",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"}},
      stop.get_token());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::cancelled);
}

void expect_memory_is_bounded() {
  const DatabaseFile file(kSample);
  auto options = file.options();
  options.memory_limit = 4U << 20U;
  for (const char* sql : {
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
           "SELECT i, hex(randomblob(500)) AS r FROM n ORDER BY r",
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT count(*) FROM n",
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
           "SELECT count(DISTINCT randomblob(100)) FROM n",
       }) {
    const auto answer = DatabaseFile::call(options, {{"query", sql}});
    ASSERT_FALSE(answer) << sql;
    EXPECT_EQ(answer.error().code, ErrorCode::limit_reached) << answer.error().message;
    EXPECT_NE(answer.error().message.find("4 MB"), std::string::npos) << answer.error().message;
  }
}

TEST(SqliteReaderHostile, bounds_what_a_query_needs_to_think) {
  expect_memory_is_bounded();
}

// As in the program.
TEST(SqliteReaderHostile, bounds_it_where_memory_is_counted_by_thread) {
  ASSERT_EQ(sqlite3_shutdown(), SQLITE_OK);
  ASSERT_TRUE(sqlite::count_memory_by_thread());
  expect_memory_is_bounded();
}

TEST(SqliteReaderHostile, refuses_values_and_queries_of_absurd_size) {
  const DatabaseFile file(kSample);
  for (const char* sql : {"SELECT randomblob(1000000000)", "SELECT zeroblob(2000000000)",
                          "SELECT hex(zeroblob(15000000))",
                          "SELECT group_concat(hex(randomblob(1000000))) FROM pragma_function_list",
                          "SELECT replace(hex(zeroblob(1000000)), '0', 'xxxxxxxxxxxxxxxx')"}) {
    const std::string told = file.rows(sql);
    EXPECT_TRUE(told.starts_with("limit_reached: ")) << sql << " gave " << utf8_prefix(told, 200);
  }
  std::string deep = "SELECT ";
  for (int i = 0; i < 5000; ++i) deep += "(1+";
  EXPECT_TRUE(file.query(deep + "1" + std::string(5000, ')')).is_string());
  std::string wide = "SELECT 1";
  for (int i = 0; i < 2000; ++i) wide += " UNION ALL SELECT 1";
  EXPECT_NE(file.rows(wide).find("compound SELECT"), std::string::npos);
  EXPECT_TRUE(file.rows("SELECT '" + std::string(200'000, 'x') + "'").starts_with("limit_reached"));
  std::string columns = "SELECT 1";
  for (int i = 0; i < 1500; ++i) columns += fmt::format(" AS {}, 1", std::string(50, 'c'));
  EXPECT_TRUE(file.rows(columns).starts_with("limit_reached")) << "names alone are too much";
}

// Nothing can interrupt a function, so these are refused before they begin.
TEST(SqliteReaderHostile, refuses_functions_that_would_take_hours) {
  const DatabaseFile file(kSample);
  for (const char* sql :
       {"SELECT printf('%.*c', 1000000000, 'x')", "SELECT format('%.*c', '1000000000', 'x')",
        "SELECT printf('%.1000000000c', 'x')",
        "SELECT instr(zeroblob(8000000), zeroblob(7999999) || 'x')",
        "SELECT replace(zeroblob(8000000), zeroblob(4000000) || 'x', '')",
        "SELECT hex(zeroblob(4000000)) LIKE '%' || hex(zeroblob(490)) || '1'",
        "SELECT hex(zeroblob(4000000)) GLOB '*' || hex(zeroblob(490)) || '1'",
        "SELECT json_patch(json_quote(hex(zeroblob(40000))), json_quote(hex(zeroblob(40000))))",
        "SELECT trim(hex(zeroblob(4000000)), hex(zeroblob(4000000)))"}) {
    EXPECT_TRUE(file.rows(sql).starts_with("invalid_argument: SQLite says: ")) << sql;
  }
  EXPECT_EQ(
      file.rows("SELECT printf('%.2f|%*d|%s', 3.14159, 5, 42, 'x'), format('%05d', 7), printf()"),
      R"([["3.14|   42|x","00007",null]])");
  EXPECT_EQ(file.rows("SELECT instr('grün', 'n'), replace('aXbX', 'X', 'yy'), trim('  a '), "
                      "ltrim('xxa', 'x'), rtrim('axx', 'x'), trim(NULL)"),
            R"([[4,"ayybyy","a","a","a",null]])");
  EXPECT_NE(file.rows("SELECT instr('a')").find("wrong number of arguments"), std::string::npos);
}

// SQLite copies a query for each mention of its name while it prepares, where nothing interrupts
// it.
TEST(SqliteReaderHostile, refuses_names_that_stand_for_queries_without_end) {
  const DatabaseFile file(kSample);
  std::string sql = "WITH c0 AS (SELECT 1 x)";
  for (int i = 1; i < 40; ++i) {
    sql += fmt::format(", c{0} AS (SELECT a.x FROM c{1} a, c{1} b)", i, i - 1);
  }
  const std::string told = file.rows(sql + " SELECT count(*) FROM c39");
  EXPECT_TRUE(told.starts_with("limit_reached: The names in the query")) << told;
  EXPECT_EQ(file.rows("WITH a AS (SELECT 1 x), b AS (SELECT a.x FROM a, a c) SELECT * FROM b, b d"),
            "[[1,1]]");
}

// A chain of views is as deep a recursion in SQLite, and ends the process.
TEST(SqliteReaderHostile, refuses_chains_of_views_that_no_stack_holds) {
  const DatabaseFile file(
      "CREATE TABLE v0(x); PRAGMA writable_schema = ON; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
      "SELECT i + 1 FROM n WHERE i < 4999) INSERT INTO sqlite_schema SELECT 'view', 'v' || i, "
      "'v' || i, 0, 'CREATE VIEW v' || i || ' AS SELECT x FROM v' || (i - 1) FROM n");
  for (const char* query :
       {"SELECT * FROM v4999", "SELECT 1 WHERE 1 IN v200", "PRAGMA table_info(v4999)",
        "SELECT * FROM pragma_table_xinfo('v4999')"}) {
    const std::string told = file.rows(query);
    EXPECT_TRUE(told.starts_with("limit_reached: The names in the query")) << told;
  }
  // The name of the view is only known while it runs.
  for (const char* query :
       {"PRAGMA table_list", "SELECT count(*) FROM pragma_table_list",
        "SELECT count(*) FROM sqlite_schema m, pragma_table_info(m.name)",
        "SELECT count(*) FROM sqlite_schema m, pragma_table_xinfo(upper(m.name))"}) {
    const std::string told = file.rows(query);
    EXPECT_TRUE(told.starts_with("permission_denied: PRAGMA table_")) << query << ": " << told;
    EXPECT_NE(told.find("views of views without end"), std::string::npos) << told;
  }
}

TEST(SqliteReaderHostile, shows_everything_else_beside_views_without_end) {
  const DatabaseFile file(
      "CREATE TABLE v0(x, y); INSERT INTO v0 VALUES (1, 2), (3, 4); CREATE TABLE other(z); "
      "PRAGMA writable_schema = ON; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
      "SELECT i + 1 FROM n WHERE i < 999) INSERT INTO sqlite_schema SELECT 'view', 'v' || i, "
      "'v' || i, 0, 'CREATE VIEW v' || i || ' AS SELECT x FROM v' || (i - 1) FROM n");
  EXPECT_EQ(file.rows("SELECT sum(x) FROM v0"), "[[4]]");
  EXPECT_EQ(file.rows("SELECT sum(x) FROM v100"), "[[4]]");
  EXPECT_EQ(file.rows("SELECT name FROM pragma_table_info('v100')"), R"([["x"]])");
  const Json tables = file.reflect("tables");
  EXPECT_EQ(DatabaseFile::rows_of(tables),
            R"([["other","table",1,null,null],["v0","table",2,null,null]])");
  const std::string note(tables.at("note").as_string());
  EXPECT_TRUE(
      note.starts_with("849 views stand for views of views without end and cannot be read: "
                       "'v999', 'v998'"))
      << note;
  const Json stats = file.reflect("stats");
  EXPECT_EQ(DatabaseFile::rows_of(stats), R"([["other",0],["v0",2]])");
  EXPECT_EQ(stats.at("database").at("tables"), 2);
  EXPECT_EQ(stats.at("database").at("views"), 999);
  EXPECT_EQ(stats.at("note").as_string(), note);
  EXPECT_EQ(DatabaseFile::rows_of(file.reflect("table_info", "v0")),
            R"([["x","",0,null,0,null],["y","",0,null,0,null]])");
  EXPECT_TRUE(file.reflect("table_info", "v999").is_string());
}

// One step may take long, so each of these looks at the clock itself.
TEST(SqliteReaderHostile, looks_at_the_clock_between_slow_functions) {
  const DatabaseFile file(kSample);
  auto options = file.options();
  options.deadline = std::chrono::milliseconds(100);
  const auto answer = DatabaseFile::call(
      options, {{"query",
                 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n), "
                 "slow(x) AS (SELECT hex(zeroblob(100000)) LIKE '%' || hex(zeroblob(490)) || i "
                 "FROM n) SELECT max(x) FROM slow"}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::timeout) << answer.error().message;
}

TEST(SqliteReaderHostile, refuses_what_is_no_database_file) {
  const DatabaseFile file(kSample);
  const auto ask = [&](const std::filesystem::path& path) {
    auto options = file.options();
    options.databases[0].path = path;
    return DatabaseFile::rows_of(DatabaseFile::shown(
        DatabaseFile::call(options, {{"query", "SELECT * FROM sqlite_schema"}})));
  };
  const TemporaryFolder& folder = file.folder();
  EXPECT_NE(ask(folder / "missing.db").find("There is no database"), std::string::npos);
  EXPECT_NE(ask(folder.path()).find("a folder"), std::string::npos);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_NE(ask(folder / "pipe").find("a pipe"), std::string::npos);
  EXPECT_NE(ask("/dev/zero").find("device"), std::string::npos);
  folder.write("text.db",
               "This is not a database, but it is long enough to be one." + std::string(1000, '.'));
  EXPECT_NE(ask(folder / "text.db").find("not a SQLite database"), std::string::npos);
  folder.write("empty.db");
  EXPECT_EQ(ask(folder / "empty.db"), "[]");
  EXPECT_NE(ask("").find("empty"), std::string::npos);
  EXPECT_NE(ask(std::string("a\0b", 3)).find("NUL"), std::string::npos);
  EXPECT_NE(ask("file:" + file.path().native() + "?mode=rwc").find("There is no database"),
            std::string::npos);
}

TEST(SqliteReaderHostile, survives_damage_anywhere_in_the_file) {
  const DatabaseFile file(kSample);
  const std::string whole = bytes_of(file.path());
  const std::string path = (file.folder() / "damaged.db").native();
  auto options = file.options();
  options.databases[0].path = path;
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); at += 397) {
    std::string damaged = whole;
    for (std::size_t i = at; i < std::min(at + 16, damaged.size()); ++i) {
      damaged[i] = static_cast<char>(damaged[i] ^ 0x5A);
    }
    if (at % 5 == 0) damaged.resize(damaged.size() - at);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
    for (const char* sql : {"SELECT * FROM t", "SELECT * FROM words WHERE words MATCH 'a'",
                            "SELECT * FROM sqlite_schema", "PRAGMA integrity_check"}) {
      const auto answer = DatabaseFile::call(options, {{"query", sql}});
      refused += answer ? 0 : 1;
      EXPECT_TRUE(answer || !answer.error().message.empty());
    }
  }
  EXPECT_GT(refused, 10);
}

TEST(SqliteReaderHostile, tells_that_a_database_is_locked) {
  const DatabaseFile file(kSample);
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(file.path().c_str(), &writer), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(writer, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  auto options = file.options();
  options.deadline = std::chrono::milliseconds(50);
  const auto answer = DatabaseFile::call(options, {{"query", "SELECT * FROM t"}});
  sqlite3_close(writer);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable) << answer.error().message;
  EXPECT_NE(answer.error().message.find("locked"), std::string::npos);
}

// A journal that a crashed writer left behind; reading would have to write first.
TEST(SqliteReaderHostile, tells_that_an_interrupted_write_must_be_undone_first) {
  const DatabaseFile file(kSample);
  const std::string crashed = (file.folder() / "crashed.db").native();
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(file.path().c_str(), &writer), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(writer,
                         "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; "
                         "INSERT INTO target SELECT hex(zeroblob(2000)) FROM pragma_function_list",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  std::filesystem::copy_file(file.path(), crashed);
  std::filesystem::copy_file(file.path().native() + "-journal", crashed + "-journal");
  sqlite3_close(writer);
  const std::string before = bytes_of(crashed);
  auto options = file.options();
  options.databases[0].path = crashed;
  const auto answer = DatabaseFile::call(options, {{"query", "SELECT * FROM t"}});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("interrupted"), std::string::npos)
      << answer.error().message;
  EXPECT_EQ(bytes_of(crashed), before);
}

TEST(SqliteReaderHostile, stays_below_the_base) {
  const DatabaseFile outside("CREATE TABLE secret(x)");
  const DatabaseFile file("CREATE TABLE t(x)", "inside.db");
  const TemporaryFolder& base = file.folder();
  base.link("absolute.db", outside.path())
      .link("relative.db", "../" + outside.folder().path().filename().native() + "/test.db")
      .link("folder", outside.folder().path())
      .link("alias.db", "inside.db");
  const auto ask = [&](const std::string& path) {
    SqliteReaderOptions options;
    options.base = base.path();
    options.databases = {{.path = path}};
    return DatabaseFile::rows_of(DatabaseFile::shown(
        DatabaseFile::call(options, {{"query", "SELECT name FROM sqlite_schema"}})));
  };
  EXPECT_EQ(ask("inside.db"), R"([["t"]])");
  EXPECT_EQ(ask("./x/../inside.db"), R"([["t"]])");
  EXPECT_EQ(ask("alias.db"), R"([["t"]])");
  EXPECT_EQ(ask(file.path().native()), R"([["t"]])");
  for (const std::string& path :
       {outside.path().native(), std::string("absolute.db"), std::string("relative.db"),
        std::string("folder/test.db"), std::string("/etc/passwd"), std::string("/proc/self/exe"),
        "../" + outside.folder().path().filename().native() + "/test.db"}) {
    EXPECT_TRUE(ask(path).starts_with("permission_denied: ")) << path << " gave " << ask(path);
  }
}

}  // namespace
}  // namespace wright::tools
