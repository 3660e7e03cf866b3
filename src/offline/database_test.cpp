// End to end: the offline model and the real sqlite_reader over databases on disk.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "offline/database_testing.h"

namespace wright {
namespace {

class OfflineOnDatabase : public DatabaseFixture {
 protected:
  void fill_shop() const {
    execute(R"(
      CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT, country TEXT);
      CREATE TABLE order_items(id INTEGER PRIMARY KEY, customer_id REFERENCES customers(id),
                               price REAL, status TEXT);
      CREATE VIEW rich AS SELECT * FROM customers WHERE id < 3;
      INSERT INTO customers VALUES (1, 'Ada', 'France'), (2, 'Bob', 'Spain'), (3, 'Eve', 'France');
      INSERT INTO order_items VALUES (1, 1, 10, 'paid'), (2, 1, 20, 'open'), (3, 2, 30, 'paid'),
                                     (4, 3, 40, 'paid');
    )");
  }
};

TEST_F(OfflineOnDatabase, tells_what_is_in_it) {
  fill_shop();
  for (const char* prompt :
       {"What is in this database?", "Summarise the data", "which tables are there?"}) {
    expect_answer(prompt, {"2 tables and 1 view", "7 rows in all", "`customers` (3 rows)",
                           "`order_items` (4 rows)", "`rich` (view)"});
  }
}

TEST_F(OfflineOnDatabase, counts) {
  fill_shop();
  expect_answer("How many customers are there?", {"`customers` has 3 rows"});
  expect_answer("how many rows are in order_items", {"`order_items` has 4 rows"});
  expect_answer("How many order items are there?", {"`order_items` has 4 rows"});
  expect_answer("How many tables are there?", {"2 tables and 1 view"});
  expect_answer("How many customers with country France?", {"is `France`: 2."});
  expect_answer("How many order_items have status = 'open'?", {"is `open`: 1."});
  expect_answer("Which is the largest table?", {"`order_items` with 4 rows"});
}

TEST_F(OfflineOnDatabase, counts_what_was_asked_for_and_not_everything) {
  fill_shop();
  expect_answer("How many customers are from France?", {"`country` is `France`: 2."});
  expect_answer("How many order items cost more than 15?", {"I cannot answer", "`price`"});
  expect_answer("How many order_items with a price greater than 15?", {"`price` > `15`: 3."});
  expect_answer("How many different countries are there?", {"`country` in `customers`: 2."});
  expect_answer("how many rows are there in total?", {"7 rows in all", "`customers`: 3 rows"});
  expect_answer("How many rows does each table have?", {"`order_items`: 4 rows"});
  expect_answer("List the customers from Spain", {"| 2 | Bob | Spain |\n\n```sql"});
  expect_answer("Show customers from Norway", {"I cannot answer", "`Norway`"});
}

TEST_F(OfflineOnDatabase, groups_and_sorts) {
  fill_shop();
  execute("ALTER TABLE customers ADD COLUMN joined_date TEXT");
  execute("UPDATE customers SET joined_date = '2024-01-0' || (4 - id)");
  expect_answer("customers by country", {"| France | 2 |\n| Spain | 1 |"});
  expect_answer("Count order items per status", {"| paid | 3 |\n| open | 1 |"});
  expect_answer("average price by status", {"| paid | 26.6", "| open | 20 |"});
  expect_answer("Which customer has the most order items?",
                {"| id | name | count |", "| 1 | Ada | 2 |"});
  expect_answer("newest customer", {"| 1 | Ada | France | 2024-01-03 |", "LIMIT 1"});
  expect_answer("What is the most expensive order item?", {"| 4 | 3 | 40 | paid |"});
  expect_answer("average name of customers", {"`name` does not hold numbers"});
}

TEST_F(OfflineOnDatabase, says_so_when_it_cannot_answer) {
  fill_shop();
  expect_answer("What is the weather in Oslo?", {"I cannot answer", "2 tables and 1 view"});
  expect_answer("Which customers are likely to leave?", {"I cannot answer", "`likely"});
  expect_answer("Delete all customers", {"I only read"});
  expect_answer("Which tables have a customer_id column?", {"1 table has", "`order_items`"});
}

TEST_F(OfflineOnDatabase, needs_no_name_for_the_only_table) {
  execute(
      "CREATE TABLE log_entries(id INTEGER PRIMARY KEY, level TEXT, duration_ms REAL); INSERT INTO "
      "log_entries(level, duration_ms) VALUES ('ERROR', 2), ('INFO', 4), ('error', 6)");
  expect_answer("how many errors are there?", {"`level` is `error`: 2."});
  expect_answer("average duration", {": 4."});
  expect_answer("How many unicorns?", {"I cannot answer", "`unicorns`"});
  expect_answer("What is in this database?", {"1 table with 3 rows"});
  expect_answer("How many rows?", {"3 rows"});
}

TEST_F(OfflineOnDatabase, knows_tables_by_the_end_of_their_names) {
  execute(R"(
    CREATE TABLE agent_sessions(id INTEGER PRIMARY KEY, agent_name TEXT, status TEXT);
    CREATE TABLE agent_messages(id INTEGER PRIMARY KEY, session_id INT, role TEXT, tool_call_id TEXT);
    CREATE TABLE agent_tool_calls(id INTEGER PRIMARY KEY, message_id INT, tool_name TEXT, status TEXT);
    CREATE TABLE agent_schema(version INT);
    INSERT INTO agent_sessions VALUES (1, 'a', 'completed');
    INSERT INTO agent_messages VALUES (1, 1, 'user', NULL), (2, 1, 'assistant', 'c1');
    INSERT INTO agent_tool_calls VALUES (1, 2, 'grep', 'failed'), (2, 2, 'grep', 'completed'),
                                        (3, 2, 'bash', 'completed');
  )");
  expect_answer("how many sessions are there?", {"`agent_sessions` has 1 row"});
  expect_answer("how many messages", {"`agent_messages` has 2 rows"});
  expect_answer("messages by role", {"| assistant | 1 |\n| user | 1 |"});
  expect_answer("schema of tool_calls", {"`agent_tool_calls` is a table"});
  expect_answer("how many tool calls failed?", {"`status` is `failed`: 1."});
  expect_answer("top tools", {"| grep | 2 |\n| bash | 1 |"});
  expect_answer("how many roles are there?",
                {"Different values of `role` in `agent_messages`: 2."});
}

TEST_F(OfflineOnDatabase, does_not_pass_over_that_there_is_more) {
  execute(
      "CREATE TABLE n(v); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i "
      "< 50) INSERT INTO n SELECT i FROM c");
  expect_answer("show rows of n", {"There are more rows than these."});
  expect_answer("show 50 rows of n", {"There are more rows than these."});
}

TEST_F(OfflineOnDatabase, reads_views_and_virtual_tables_also_beside_broken_ones) {
  fill_shop();
  execute(
      "CREATE VIRTUAL TABLE notes USING fts5(body, title); "
      "INSERT INTO notes VALUES ('a', 'x'), ('b', 'x'); PRAGMA writable_schema = ON; INSERT INTO "
      "sqlite_schema VALUES ('table', 'gone', 'gone', 0, 'CREATE VIRTUAL TABLE gone USING m(x)')");
  expect_answer("Top titles in notes", {"| x | 2 |"});
  expect_answer("columns of rich", {"`country`", "| 1 | Ada | France |"});
  expect_answer("What is in this database?", {"`gone` (rows not counted)", "`customers` (3 rows)"});
}

TEST_F(OfflineOnDatabase, describes_the_schema) {
  fill_shop();
  expect_answer("Show me the schema", {"`id` INTEGER (key), `name` TEXT, `country` TEXT",
                                       "| order_items | customer_id | customers | id |"});
  expect_answer("What columns does customers have?",
                {"`customers` is a table with 3 columns and 3 rows", "| 1 | Ada | France |"});
  expect_answer("How are the tables related?", {"| order_items | customer_id | customers |"});
}

TEST_F(OfflineOnDatabase, finds_top_values_and_figures) {
  fill_shop();
  expect_answer("Top values of country in customers", {"| France | 2 |\n| Spain | 1 |"});
  expect_answer("What are the most common status values?", {"| paid | 3 |\n| open | 1 |"});
  expect_answer("What is the average price?", {": 25.", "SELECT avg(\"price\")"});
  expect_answer("highest price of order_items", {": 40."});
}

TEST_F(OfflineOnDatabase, runs_the_sql_of_the_prompt_and_tells_why_it_is_refused) {
  fill_shop();
  expect_answer("SELECT name, country FROM customers ORDER BY id LIMIT 1", {"| Ada | France |"});
  expect_answer("Please run `SELECT count(*) AS n FROM customers`", {"| n |", "| 3 |"});
  expect_answer("WITH x AS (DELETE FROM customers) SELECT 1", {"syntax error"});
  expect_answer("SELECT load_extension('x')", {"load_extension() is not allowed"});
  expect_answer("How many customers are there?", {"3 rows"});
}

TEST_F(OfflineOnDatabase, compares_numbers_in_text_as_numbers_or_says_that_it_does_not) {
  execute(R"SQL(
    CREATE TABLE items(product TEXT, price TEXT, code TEXT, loose);
    INSERT INTO items VALUES ('x', '5.25', '9', '9'), ('y', '9', 'A10', 10), ('z', '10', '10', 7);
  )SQL");
  expect_answer("What is the highest price in items?", {": 10.", "CAST"});
  expect_answer("Which items have a price more than 8?", {"| y |", "| z |"});
  expect_answer("How many items have a price more than 8?", {": 2."});
  expect_answer("What is the highest loose in items?", {": 10."});
  expect_answer("What is the highest code in items?",
                {"I cannot answer", "`code` is text that is not all numbers"});
}

TEST_F(OfflineOnDatabase, tells_how_many_rows_a_join_leaves_out) {
  fill_shop();
  expect_answer("How many order items per customer?", {"| Ada |"});
  EXPECT_EQ(ask("How many order items per customer?").find("Not among these"), std::string::npos);
  execute("INSERT INTO order_items VALUES (5, 9, 50, 'paid'), (6, NULL, 60, 'open')");
  expect_answer("How many order items per customer?",
                {"Not among these: 2 rows of `order_items` that refer to no row of `customers`"});
}

TEST_F(OfflineOnDatabase, copes_with_odd_schemas) {
  execute(R"SQL(
    CREATE TABLE "select" ("from" TEXT, "group by" INT);
    CREATE TABLE "we""ird | name" (a);
    CREATE TABLE "größen" (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
    CREATE TABLE made(a INT, b INT AS (a * 2) VIRTUAL);
    CREATE VIRTUAL TABLE notes USING fts5(body);
    CREATE VIEW broken AS SELECT * FROM gone;
    INSERT INTO "select" VALUES ('x', 1), ('x', 2), ('it''s', 3);
    INSERT INTO "größen" VALUES ('S', 1);
    INSERT INTO made(a) VALUES (21);
  )SQL");
  expect_answer("How many rows are in \"select\"?", {"`select` has 3 rows"});
  expect_answer("Top values of \"from\" in \"select\"", {"| x | 2 |"});
  expect_answer("How many größen are there?", {"1 row"});
  expect_answer("Show rows of made", {"| 21 | 42 |"});
  expect_answer("What is in \"we\"ird | name\"?", {"we\"ird | name"});
  expect_answer("What is in this database?", {"`notes` (0 rows)"});
}

TEST_F(OfflineOnDatabase, answers_for_an_empty_a_huge_and_a_missing_database) {
  expect_answer("What is in this database?", {"There is no database"});
  execute("");
  expect_answer("What is in this database?", {"is empty"});
  std::string sql = "BEGIN;";
  for (int i = 0; i < 500; ++i) sql += fmt::format("CREATE TABLE table_{:03}(a, b);", i);
  execute(sql + "COMMIT");
  expect_answer("How many tables are there?", {"500 tables"});
  expect_answer("What is in this database?", {"500 tables", "more tables"});
}

}  // namespace
}  // namespace wright
