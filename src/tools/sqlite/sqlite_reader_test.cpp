#include "tools/sqlite/reader_testing.h"

namespace wright::tools {
namespace {

using ::testing::Test;

constexpr const char* kShop = R"(
  CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL, created_at TEXT DEFAULT 'now');
  CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(id)
                        ON DELETE CASCADE, total REAL);
  CREATE INDEX purchase_by_customer ON purchase(customer_id, total);
  CREATE VIEW spending AS SELECT name, sum(total) AS spent FROM customer
    JOIN purchase ON customer.id = customer_id GROUP BY name;
  INSERT INTO customer(id, name) VALUES (1, 'Ada'), (2, 'Bob'), (3, 'Eve');
  INSERT INTO purchase VALUES (1, 1, 2.5), (2, 1, 4), (3, 2, 1);
)";

TEST(SqliteReader, answers_a_query_with_columns_and_rows) {
  const DatabaseFile shop(kShop);
  EXPECT_EQ(to_text(shop.query("SELECT id, name FROM customer ORDER BY id")),
            R"({"columns":["id","name"],"rows":[[1,"Ada"],[2,"Bob"],[3,"Eve"]],"row_count":3,)"
            R"("truncated":false})");
}

TEST(SqliteReader, reads_what_looks_like_a_writing_word) {
  const DatabaseFile shop(kShop);
  EXPECT_EQ(shop.rows("SELECT created_at FROM customer WHERE id = 1"), R"([["now"]])");
  EXPECT_EQ(shop.rows("SELECT 'DROP TABLE x; DELETE' AS \"update\""),
            R"([["DROP TABLE x; DELETE"]])");
  EXPECT_EQ(shop.rows("SELECT replace('a', 'a', 'b')"), R"([["b"]])");
}

TEST(SqliteReader, takes_everything_that_reads) {
  const DatabaseFile shop(kShop);
  EXPECT_EQ(shop.rows("  -- how many\n SELECT count(*) FROM customer; -- done\n ; /* end */ "),
            "[[3]]");
  EXPECT_EQ(shop.rows("VALUES (1), (2)"), "[[1],[2]]");
  EXPECT_EQ(shop.rows("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) "
                      "SELECT i FROM n"),
            "[[1],[2],[3]]");
  EXPECT_EQ(shop.rows("SELECT spent FROM spending ORDER BY name"), "[[6.5],[1]]");
  EXPECT_EQ(shop.rows("SELECT name FROM pragma_table_info('purchase')"),
            R"([["id"],["customer_id"],["total"]])");
  EXPECT_EQ(shop.rows("PRAGMA user_version"), "[[0]]");
  EXPECT_NE(shop.rows("EXPLAIN QUERY PLAN SELECT * FROM customer").find("SCAN"), std::string::npos);
  EXPECT_EQ(shop.rows("SELECT name, row_number() OVER (ORDER BY name DESC) FROM customer LIMIT 1"),
            R"([["Eve",1]])");
}

TEST(SqliteReader, shows_as_many_rows_as_asked_for_and_says_when_there_are_more) {
  const DatabaseFile shop(kShop);
  const auto all = shop.call({{"query", "SELECT id FROM customer"}, {"limit", 3}});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->at("truncated"), false);
  const auto some = shop.call({{"query", "SELECT id FROM customer"}, {"limit", 2}});
  ASSERT_TRUE(some) << some.error().message;
  EXPECT_EQ(some->at("row_count"), 2);
  EXPECT_EQ(some->at("truncated"), true);
  EXPECT_TRUE(some->as_object().contains("note"));
  for (const int limit : {0, -1, 1001}) {
    EXPECT_FALSE(shop.call({{"query", "SELECT 1"}, {"limit", limit}})) << limit;
  }
  const std::string series =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
  EXPECT_EQ(shop.query(series).at("row_count"), 100);
}

TEST(SqliteReader, shows_every_kind_of_value) {
  const DatabaseFile empty;
  EXPECT_EQ(empty.rows("SELECT NULL, 1, -9223372036854775808, 9007199254740993, 0.1, 1e300"),
            "[[null,1,-9223372036854775808,9007199254740993,0.1,1e+300]]");
  EXPECT_EQ(empty.rows("SELECT 9e999, -9e999, 9e999 - 9e999"),
            R"([["Infinity","-Infinity",null]])");
  EXPECT_EQ(empty.rows("SELECT x'', x'00ff', zeroblob(1000)"),
            R"__([["x'' (0 bytes)","x'00ff' (2 bytes)","x')__" + std::string(64, '0') +
                R"__(…' (1000 bytes)"]])__");
  EXPECT_EQ(empty.rows("SELECT CAST(x'61ff62' AS TEXT), CAST(x'610062' AS TEXT)"),
            "[[\"a\xEF\xBF\xBD"
            "b\",\"a\\u0000b\"]]");
  EXPECT_EQ(to_text(empty.query("SELECT 1 AS a, 2 AS a, 3 AS \"\"").at("columns")),
            R"(["a","a",""])");
}

TEST(SqliteReader, cuts_long_texts_between_characters) {
  const DatabaseFile file("CREATE TABLE t(x)");
  file.execute("INSERT INTO t VALUES ('a' || replace(hex(zeroblob(2000)), '00', 'é'))");
  const std::string text(file.query("SELECT x FROM t").at("rows").at(0).at(0).as_string());
  EXPECT_TRUE(is_valid_utf8(text));
  EXPECT_TRUE(text.ends_with("é… (4001 bytes in all)")) << text;
  EXPECT_LT(text.size(), 2100U);
}

TEST(SqliteReader, keeps_the_answer_within_what_a_model_reads) {
  const DatabaseFile empty;
  const auto answer =
      empty.call({{"query",
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                   "SELECT hex(zeroblob(1000)), '\"\n' FROM n"},
                  {"limit", 1000}});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->at("truncated"), true);
  EXPECT_LT(to_text(*answer).size(), 64U * 1024);
  EXPECT_GT(answer->at("row_count").as_uint64(), 20U);
}

TEST(SqliteReader, reads_utf_16_and_write_ahead_logs) {
  const DatabaseFile wide(
      "PRAGMA encoding = 'UTF-16be'; CREATE TABLE t(x); INSERT INTO t VALUES "
      "('grüße 𝄞')");
  EXPECT_EQ(wide.rows("SELECT x FROM t"), R"([["grüße 𝄞"]])");
  const DatabaseFile log("PRAGMA journal_mode = WAL; CREATE TABLE t(x)");
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(log.path().c_str(), &writer), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(writer, "INSERT INTO t VALUES (1); BEGIN; INSERT INTO t VALUES (2)",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_EQ(log.rows("SELECT x FROM t"), "[[1]]");
  sqlite3_close(writer);
}

TEST(SqliteReader, leaves_no_trace_beside_an_immutable_database) {
  const DatabaseFile file("PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES (7)",
                          "odd ?#%20name.db");
  auto options = file.options();
  options.sharing = DatabaseSharing::immutable;
  const auto answer = DatabaseFile::call(options, {{"query", "SELECT x FROM t"}});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(DatabaseFile::rows_of(*answer), "[[7]]");
  const auto entries = std::filesystem::directory_iterator(file.folder().path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(SqliteReader, reflects_what_a_database_is_made_of) {
  const DatabaseFile shop(kShop);
  EXPECT_EQ(to_text(shop.reflect("tables").at("rows")),
            R"([["customer","table",3,0,0],["purchase","table",3,0,0]])");
  EXPECT_EQ(to_text(shop.reflect("table_info", "customer").at("rows")),
            R"([["id","INTEGER",0,null,1,null],["name","TEXT",1,null,0,null],)"
            R"(["created_at","TEXT",0,"'now'",0,null]])");
  EXPECT_EQ(to_text(shop.reflect("indexes").at("rows")),
            R"([["purchase_by_customer","purchase",0,"c",0,"customer_id, total"]])");
  EXPECT_EQ(to_text(shop.reflect("foreign_keys").at("rows")),
            R"([["purchase","customer_id","customer","id","NO ACTION","CASCADE"]])");
  EXPECT_EQ(shop.reflect("views").at("rows").at(0).at(0), "spending");
  const Json schema = shop.reflect("schema");
  EXPECT_EQ(schema.at("row_count"), 4);
  EXPECT_EQ(to_text(schema.at("columns")), R"(["type","name","table_name","sql"])");
  const Json stats = shop.reflect("stats");
  EXPECT_EQ(to_text(stats.at("rows")), R"([["customer",3],["purchase",3]])");
  EXPECT_EQ(stats.at("database").at("tables"), 2);
  EXPECT_EQ(stats.at("database").at("views"), 1);
  EXPECT_EQ(stats.at("database").at("size_bytes"),
            static_cast<std::int64_t>(std::filesystem::file_size(shop.path())));
  EXPECT_EQ(stats.at("target"), "stats");
}

TEST(SqliteReader, reflects_odd_schemas) {
  const DatabaseFile odd(R"SQL(
    CREATE TABLE "we""ird [na]me; --" ("select" TEXT, "a b" INT, `c"d` BLOB);
    CREATE TABLE "größe" (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
    CREATE TABLE made(a INT, b INT GENERATED ALWAYS AS (a * 2) VIRTUAL, c AS (a + 1) STORED);
    CREATE TABLE firm(a INT) STRICT;
    CREATE VIRTUAL TABLE words USING fts5(body);
    INSERT INTO words VALUES ('hello world');
    INSERT INTO "we""ird [na]me; --" VALUES ('x', 1, x'01');
  )SQL");
  const Json stats = odd.reflect("stats");
  EXPECT_EQ(to_text(stats.at("rows")),
            R"([["firm",0],["größe",0],["made",0],["we\"ird [na]me; --",1],["words",1]])");
  EXPECT_EQ(to_text(odd.reflect("table_info", "we\"ird [na]me; --").at("rows").at(2).at(0)),
            R"("c\"d")");
  EXPECT_EQ(
      to_text(odd.reflect("table_info", "made").at("rows")),
      R"([["a","INT",0,null,0,null],["b","INT",0,null,0,"virtual"],["c","",0,null,0,"stored"]])");
  EXPECT_EQ(odd.rows("SELECT body FROM words WHERE words MATCH 'hello'"), R"([["hello world"]])");
}

TEST(SqliteReader, reads_virtual_tables_of_every_kind) {
  const DatabaseFile file(R"(
    CREATE VIRTUAL TABLE boxes USING rtree(id, low, high);
    CREATE VIRTUAL TABLE old USING fts4(title, body);
    CREATE VIRTUAL TABLE words USING fts5(body, title);
    INSERT INTO boxes VALUES (7, 1, 2);
    INSERT INTO old VALUES ('a', 'b');
  )");
  EXPECT_EQ(file.rows("SELECT id FROM boxes WHERE low < 1.5"), "[[7]]");
  EXPECT_EQ(to_text(file.reflect("stats").at("rows")), R"([["boxes",1],["old",1],["words",0]])");
  EXPECT_EQ(file.reflect("stats").at("database").at("tables"), 3) << "not those behind them";
  EXPECT_EQ(to_text(file.reflect("tables").at("rows")),
            R"([["boxes","virtual",3,0,0],["old","virtual",2,0,0],["words","virtual",2,0,0]])");
  EXPECT_EQ(file.reflect("table_info", "boxes").at("row_count"), 3);
  // One whose module is not there does not spoil the others.
  file.execute(
      "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('table', 'gone', 'gone', 0, "
      "'CREATE VIRTUAL TABLE gone USING spatial(x)')");
  EXPECT_EQ(to_text(file.reflect("tables").at("rows").at(1)), R"(["gone","virtual",null,0,0])");
  EXPECT_EQ(to_text(file.reflect("stats").at("rows").at(1)), R"(["gone",null])");
  EXPECT_EQ(file.rows("SELECT title FROM old"), R"([["a"]])");
}

TEST(SqliteReader, says_when_a_name_in_double_quotes_was_read_as_a_text) {
  const DatabaseFile shop(kShop);
  const Json answer = shop.query("SELECT \"nmae\" FROM customer WHERE name = \"Ada\"");
  EXPECT_EQ(DatabaseFile::rows_of(answer), R"([["nmae"]])");
  EXPECT_NE(answer.at("note").as_string().find("There is no column nmae"), std::string::npos);
  EXPECT_FALSE(shop.query("SELECT \"name\" FROM \"customer\"").as_object().contains("note"));
}

TEST(SqliteReader, refuses_parameters_that_nobody_gives_a_value) {
  const DatabaseFile shop(kShop);
  EXPECT_NE(shop.rows("SELECT * FROM customer WHERE id = ?").find("write the value itself"),
            std::string::npos);
  EXPECT_NE(shop.rows("SELECT * FROM customer WHERE id = :id").find("(:id)"), std::string::npos);
}

TEST(SqliteReader, matches_patterns_as_sqlite_does) {
  const DatabaseFile empty;
  EXPECT_EQ(empty.rows("SELECT 'Ada' LIKE 'a_A', 'Ada' GLOB 'a*', 'Ada' GLOB '[A-C]d?', "
                       "NULL LIKE 'a', 'a' LIKE NULL, 12 LIKE '1%', 'Ä' LIKE 'ä', "
                       "'10%' LIKE '10!%' ESCAPE '!', '100' LIKE '10!%' ESCAPE '!', "
                       "'ab' NOT LIKE '%%'"),
            "[[1,0,1,null,null,1,0,1,0,0]]");
  EXPECT_NE(empty.rows("SELECT 'a' LIKE 'a' ESCAPE 'xx'").find("single character"),
            std::string::npos);
  EXPECT_NE(empty.rows("SELECT 'a' LIKE hex(zeroblob(600))").find("too complex"),
            std::string::npos);
}

TEST(SqliteReader, forgives_how_a_model_writes_its_choices) {
  const DatabaseFile shop(kShop);
  const auto tables = shop.call({{"mode", "REFLECT"}, {"target", "Tables"}});
  ASSERT_TRUE(tables) << tables.error().message;
  EXPECT_EQ(tables->at("row_count"), 2);
  const auto one = shop.call({{"mode", "reflect"}, {"target", "tables"}, {"limit", 1}});
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->at("row_count"), 1);
  EXPECT_EQ(one->at("truncated"), true);
  EXPECT_TRUE(shop.call({{"target", "table_info"}, {"table", "customer"}}));
  EXPECT_TRUE(shop.call({{"sql", "SELECT 1"}, {"max_rows", 5}}));
}

TEST(SqliteReader, reflects_hundreds_of_tables) {
  const DatabaseFile many;
  std::string sql = "BEGIN;";
  for (int i = 0; i < 500; ++i) sql += fmt::format("CREATE TABLE table_{:03}(x);", i);
  many.execute(sql + "COMMIT");
  EXPECT_EQ(many.reflect("tables").at("row_count"), 500);
  EXPECT_EQ(many.reflect("stats").at("rows").at(499).at(0), "table_499");
}

TEST(SqliteReader, tells_what_there_is_when_a_name_is_wrong) {
  const DatabaseFile shop(kShop);
  EXPECT_NE(shop.rows("SELECT * FROM custmer").find("did you mean 'customer'"), std::string::npos);
  EXPECT_NE(shop.rows("SELECT * FROM zebra").find("there is customer, purchase, spending"),
            std::string::npos);
  EXPECT_NE(shop.rows("SELECT * FROM main.custmer").find("did you mean 'customer'"),
            std::string::npos);
  EXPECT_NE(shop.rows("SELECT c.nam FROM customer c").find("did you mean 'name'"),
            std::string::npos);
  EXPECT_NE(shop.rows("SELECT city FROM customer")
                .find("no such column: city; customer has id, name, created_at"),
            std::string::npos);
  EXPECT_NE(shop.rows("SHOW TABLES").find("mode reflect"), std::string::npos);
  for (const char* target : {"tables", "schema", "indexes", "views", "foreign_keys", "stats"}) {
    EXPECT_NE(
        shop.reflect(target, "zebra").as_string().find("there is customer, purchase, spending"),
        std::string::npos)
        << target;
  }
  const Json info = shop.reflect("table_info", "purchases");
  ASSERT_TRUE(info.is_string());
  EXPECT_NE(info.as_string().find("did you mean 'purchase'"), std::string::npos);
}

TEST(SqliteReader, says_which_parameter_is_missing) {
  const DatabaseFile shop(kShop);
  EXPECT_NE(DatabaseFile::shown(shop.call({})).as_string().find("query"), std::string::npos);
  EXPECT_NE(DatabaseFile::shown(shop.call({{"mode", "reflect"}})).as_string().find("target"),
            std::string::npos);
  EXPECT_NE(shop.reflect("table_info").as_string().find("table_name"), std::string::npos);
  EXPECT_NE(shop.reflect("nonsense").as_string().find("foreign_keys"), std::string::npos);
  EXPECT_TRUE(shop.call({{"target", "tables"}})) << "the mode goes without saying";
}

TEST(SqliteReader, chooses_between_named_databases_and_knows_no_others) {
  const DatabaseFile first("CREATE TABLE t AS SELECT 1 AS x");
  const DatabaseFile second("CREATE TABLE t AS SELECT 2 AS x");
  SqliteReaderOptions options;
  options.databases = {{"first", first.path()}, {"second", second.path()}};
  const auto ask = [&](std::string_view name) {
    return DatabaseFile::rows_of(DatabaseFile::shown(
        DatabaseFile::call(options, {{"query", "SELECT x FROM t"}, {"database", name}})));
  };
  EXPECT_EQ(ask("first"), "[[1]]");
  EXPECT_EQ(ask("second"), "[[2]]");
  EXPECT_NE(ask(first.path().native()).find("there is first, second"), std::string::npos);
  EXPECT_FALSE(DatabaseFile::call(options, {{"query", "SELECT 1"}}));
  const auto tool = sqlite_reader_tool(options);
  ASSERT_TRUE(tool);
  EXPECT_EQ(to_text(tool->spec.parameters.at("properties").at("database").at("enum")),
            R"(["first","second"])");
  options.databases[1].name = "first";
  EXPECT_FALSE(sqlite_reader_tool(options));
  EXPECT_FALSE(DatabaseFile::call({}, {{"query", "SELECT 1"}})) << "there is no database at all";
}

TEST(SqliteReader, is_also_called_sqlite3_reader) {
  const DatabaseFile shop(kShop);
  const std::vector<Tool> tools{sqlite_reader_tool(shop.options()).value()};
  for (const std::string name : {"sqlite_reader", "sqlite3_reader"}) {
    const auto outcome = execute(tools, {}, {"1", name, R"({"query":"SELECT 1"})"}, Context{});
    EXPECT_EQ(outcome.error_message(), "");
    EXPECT_EQ(outcome.result.name, name) << "as the model called it";
  }
  EXPECT_TRUE(execute(tools, {}, {"1", "sqlite_writer", "{}"}, Context{}).error);
}

TEST(SqliteReader, offers_no_way_to_name_a_file) {
  const DatabaseFile shop(kShop);
  const auto tool = sqlite_reader_tool(shop.options());
  ASSERT_TRUE(tool);
  EXPECT_EQ(tool->spec.name, "sqlite_reader");
  EXPECT_EQ(tool->spec.options.effect, Effect::read);
  EXPECT_FALSE(tool->spec.parameters.at("properties").as_object().contains("database"));
  EXPECT_EQ(tool->spec.parameters.at("properties").at("limit").at("maximum"), 1000);
  EXPECT_EQ(tool->spec.parameters.at("properties").at("limit").at("default"), 100);
  EXPECT_FALSE(shop.call({{"query", "SELECT 1"}, {"db_path", "/etc/passwd"}}));
}

}  // namespace
}  // namespace wright::tools
