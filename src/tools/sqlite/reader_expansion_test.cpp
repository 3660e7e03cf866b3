#include "tools/sqlite/reader_expansion.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wright::tools {
namespace {

TEST(QueryExpansion, counts_each_mention_as_a_copy) {
  QueryExpansion none;
  EXPECT_EQ(none.of("SELECT 1").queries, 1);
  EXPECT_EQ(none.of("SELECT a FROM t JOIN u, v").queries, 1) << "tables are not copied";
  const double one = none.of("WITH c AS (SELECT 1 x) SELECT x FROM c").queries;
  const double two = none.of("WITH c AS (SELECT 1 x) SELECT a.x FROM c a, c b").queries;
  EXPECT_EQ(two, one + 1);
}

// Every text names c0 … c19, each mentioning the one before twice.
TEST(QueryExpansion, sees_doubling_however_it_is_written) {
  const auto doubled = [](std::string_view first, std::string_view next, std::string_view last) {
    std::string sql(first);
    for (int i = 1; i < 20; ++i) {
      sql += fmt::format(fmt::runtime(next), fmt::arg("i", i), fmt::arg("j", i - 1));
    }
    return sql + std::string(last);
  };
  constexpr double kMillion = 500'000;
  for (const std::string& sql : {
           doubled("WITH c0 AS (SELECT 1 x)", ", c{i} AS (SELECT a.x FROM c{j} a, c{j} b)",
                   " SELECT * FROM c19"),
           doubled("WITH c0(x) AS (SELECT 1)", ", C{i}(x) AS(SELECT a.x FROM c{j} a JOIN C{j} b)",
                   " SELECT * FROM c19"),
           doubled("WITH c0 AS (SELECT 1 x)",
                   ", \"c{i}\" AS NOT MATERIALIZED (SELECT 1 FROM/**/[c{j}] a,--\n`c{j}` b)",
                   " SELECT * FROM 'c19'"),
           doubled("WITH c0 AS (SELECT 1 x)",
                   ", c{i} AS MATERIALIZED (SELECT x FROM c{j} WHERE x IN c{j})",
                   " SELECT * FROM (SELECT * FROM (c19))"),
       }) {
    QueryExpansion none;
    EXPECT_GT(none.of(sql).queries, kMillion) << sql;
  }
  // One name in many scopes.
  std::string nested = "SELECT 1 x";
  for (int i = 0; i < 20; ++i) nested = "WITH c AS (" + nested + ") SELECT a.x FROM c a, c b";
  QueryExpansion none;
  EXPECT_GT(none.of(nested).queries, kMillion);
}

TEST(QueryExpansion, follows_views) {
  QueryExpansion views;
  for (int i = 20; i > 0; --i) {
    views.add_view(fmt::format("v{}", i),
                   fmt::format("CREATE VIEW v{0} AS SELECT 1 FROM V{1} a, main.v{1} b", i, i - 1));
  }
  views.add_view("v0", "CREATE VIEW v0 AS SELECT 1");
  EXPECT_GT(views.of("SELECT * FROM v20").queries, 1'000'000);
  EXPECT_LT(views.of("SELECT * FROM v3, t").queries, 100);
  EXPECT_EQ(views.views_beyond({300'000, 150}, 1e9),
            (std::vector<std::string>{"v20", "v19", "v18"}));
  EXPECT_EQ(views.views_beyond({300'000, 150}, 400'000),
            (std::vector<std::string>{"v20", "v19", "v18", "v17"}));
  EXPECT_TRUE(views.views_beyond({1e9, 150}, 1e9).empty());
  EXPECT_EQ(views.of("SELECT * FROM v20").depth, 22);
}

TEST(QueryExpansion, calls_long_chains_too_deep_in_any_order) {
  for (const bool is_upwards : {true, false}) {
    QueryExpansion views;
    for (int i = 1; i < 20'000; ++i) {
      const int each = is_upwards ? i : 20'000 - i;
      views.add_view(fmt::format("v{:05}", each),
                     fmt::format("CREATE VIEW v AS SELECT 1 FROM v{:05}", each - 1));
    }
    EXPECT_EQ(views.views_beyond({1e9, 150}, 1e9).size(), 20'000U - 151U);
    EXPECT_LE(views.of("SELECT * FROM v00100").depth, 150);
    EXPECT_GT(views.of("SELECT * FROM v00200").depth, 150);
  }
  std::string chain = "WITH c0 AS (SELECT 1)";
  for (int i = 1; i < 3000; ++i) chain += fmt::format(",c{} AS (SELECT 1 FROM c{})", i, i - 1);
  QueryExpansion none;
  EXPECT_GT(none.of(chain + " SELECT * FROM c2999").depth, 150);
}

TEST(QueryExpansion, lets_pass_what_people_write) {
  QueryExpansion none;
  EXPECT_LT(none.of("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n, n m) "
                    "SELECT n.i, n.i, n.i, sum(n.i) OVER (ORDER BY n.i) FROM n")
                .queries,
            10)
      << "a recursion runs, a column is no mention";
  std::string report = "WITH s0 AS (SELECT 'from s0, s0' x)";
  for (int i = 1; i < 20; ++i) {
    report += fmt::format(
        ", s{0} AS (SELECT s{1}.x, s{1}.x, count(s{1}.x) FROM s{1} WHERE s{1}.x <> 'join s{1}')", i,
        i - 1);
  }
  EXPECT_LT(none.of(report + " SELECT * FROM s19").queries, 1000);
}

TEST(QueryExpansion, ends_on_texts_that_are_no_sql) {
  QueryExpansion views;
  views.add_view("a", "CREATE VIEW a AS SELECT * FROM b");
  views.add_view("b", "CREATE VIEW b AS SELECT * FROM a");
  for (const char* sql : {"", "(", ")", "as (", ") as (", "x as", "'", "\"a", "/*", "--", "from",
                          "from a.", "with a as (b as (c as (", "))))", "from a, b, c as (from a",
                          "() as ()", "a() as (select 1 from a)", "\xff\xfe from \xff"}) {
    EXPECT_GE(views.of(sql).queries, 1) << sql;
  }
}

}  // namespace
}  // namespace wright::tools
