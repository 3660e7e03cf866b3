// What a question about a database says of values: which are looked for, which are missing, and
// which are no values at all. The answer is the right one, or none.
#include <gtest/gtest.h>

#include <string>

#include "offline/database_testing.h"

namespace wright {
namespace {

class DatabaseValues : public DatabaseFixture {
 protected:
  void SetUp() override {
    execute(R"(
      CREATE TABLE clients(id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city TEXT,
                           country TEXT, since_day TEXT);
      INSERT INTO clients VALUES (1, 'Zoë', 'Müller', 'Köln', 'DE', '2024-01-05'),
          (2, 'Bob', 'Smith', 'London', 'UK', '2023-01-05'),
          (3, 'Ann', 'Smith', 'london', 'UK', NULL), (4, 'Élise', 'Roy', '', 'FR', '2022-01-01'),
          (5, 'Cid', NULL, NULL, 'FR', '2021-01-01');
      CREATE TABLE goods(id INTEGER PRIMARY KEY, label TEXT, price_cents INTEGER, price_usd REAL,
                         state TEXT);
      INSERT INTO goods VALUES (1, 'Red lamp', 9900, 99, 'unknown'), (2, 'Pen', 150, 1.5, NULL),
          (3, 'Desk lamp', 30000, 300, 'sold');
      CREATE TABLE probes(probe TEXT, browser_name TEXT, user_agent TEXT, celsius REAL);
      INSERT INTO probes VALUES ('a', 'x', 'curl', 1), ('a', 'y', 'wget', 2), ('b', 'x', NULL, -3);
    )");
  }
};

TEST_F(DatabaseValues, words_that_are_no_value_are_not_looked_for_as_one) {
  for (const char* prompt :
       {"clients whose country is UK ordered by id", "clients with country UK only",
        "How many clients whose city is empty?", "How many clients whose city is not empty?",
        "clients whose since_day is not set", "clients whose country is british"}) {
    expect_refusal(prompt, "is no value of");
  }
  expect_answer("How many clients with country Norway?", {"`country` is `Norway`: 0."});
  expect_answer("clients whose last name is smith", {"| Bob |", "| Ann |"});
  expect_answer("goods whose label is red lamp", {"| Red lamp |"});
}

TEST_F(DatabaseValues, a_part_of_a_longer_name_says_nothing_of_its_own) {
  expect_answer("How many clients whose last name is Smith?", {"`last_name` is `Smith`: 2."});
  expect_answer("Who is the latest client?", {"| Zoë |", "2024-01-05"});
}

TEST_F(DatabaseValues, what_is_missing_may_be_stored_as_a_word) {
  expect_refusal("How many goods have state unknown?", "`unknown` is also a value of `state`");
  expect_answer("goods whose state is null", {"| Pen |"});
  expect_answer("goods with a null state", {"| Pen |"});
  expect_answer("How many goods whose state is not null?", {"`state` is not missing: 2."});
  expect_answer("How many clients whose city is missing?",
                {"`city` is missing: 1.", "1 value of `city` is one"});
}

TEST_F(DatabaseValues, texts_are_compared_by_letters_and_not_by_bytes) {
  expect_answer("clients whose city starts with Kö", {"| Zoë |", "É is not é"});
  expect_answer("clients whose first_name ends with ë", {"| Zoë |"});
  expect_answer("clients whose first_name starts with É", {"| Élise |"});
  EXPECT_EQ(ask("clients whose first_name starts with B").find("É"), std::string::npos);
}

TEST_F(DatabaseValues, what_introduces_a_text_is_no_part_of_it) {
  expect_answer("goods whose label contains the word lamp", {"contains `lamp`", "| Desk lamp |"});
  expect_answer("clients whose last name starts with the letter S", {"| Bob |", "| Ann |"});
  expect_refusal("goods whose label contains a number", "which text");
}

TEST_F(DatabaseValues, money_is_not_compared_with_cents) {
  expect_refusal("goods with price_cents over $100", "another unit");
  expect_refusal("goods with price_cents between 1€ and 100€", "another unit");
  expect_answer("goods with price_usd over $100", {"| Desk lamp |"});
  expect_answer("goods with price_cents over 10000", {"| Desk lamp |"});
}

TEST_F(DatabaseValues, different_ones_are_those_of_the_column_that_is_named) {
  expect_answer("How many different cities are there?",
                {"`city` in `clients`: 4.", "nothing in it counts as one", "They are 3 when"});
  expect_answer("How many different probes are there?", {"`probe` in `probes`: 2."});
  expect_answer("How many probes are there?", {"3 rows"});
  expect_answer("How many browsers are there?", {"`browser_name` in `probes`: 2."});
  for (const char* prompt : {"How many users are there?", "Which users are there?"})
    expect_refusal(prompt, "`users` may be something else than `user_agent`");
}

TEST_F(DatabaseValues, how_many_are_wanted_is_no_value) {
  expect_answer("sample of 2 rows from goods", {"| Red lamp |", "LIMIT 2"});
  expect_refusal("any 2 goods", "how many are wanted");
  expect_answer("goods 2", {"| Pen |"});
  execute(
      "CREATE TABLE movies(id INTEGER PRIMARY KEY, year INTEGER, title TEXT); "
      "CREATE TABLE movie_actors(movie_id INTEGER, role TEXT); "
      "INSERT INTO movies VALUES (1, 1979, 'x'), (2, 2001, 'y')");
  expect_answer("newest movie by year", {"| 2 | 2001 | y |"});
}

TEST_F(DatabaseValues, paths_and_addresses_are_whole) {
  execute(
      "CREATE TABLE hits(path TEXT, ip TEXT, mail TEXT, seen_on TEXT); "
      "INSERT INTO hits VALUES ('/', '10.0.0.1', 'a@x.org', '2024-01-10'), "
      "('/api/users', '10.0.0.2', 'b@max.org', '2024-02-10')");
  expect_answer("hits whose path starts with /api", {"starts with `/api`", "| /api/users |"});
  expect_answer("How many hits with path /?", {"`path` is `/`: 1."});
  expect_answer("hits from 10.0.0.1", {"`ip` is `10.0.0.1`", "| a@x.org |"});
  expect_answer("How many hits whose mail ends with @x.org?", {"`@x.org`: 1."});
  expect_refusal("hits with seen_on 10/01/2024", "is no value of");
}

TEST_F(DatabaseValues, numbers_that_are_no_years_and_no_things_are_not_taken_for_them) {
  execute(
      "CREATE TABLE members(nick TEXT, joined INTEGER, is_paused INTEGER, likes INTEGER); "
      "INSERT INTO members VALUES ('a', 1672531200, 0, 3), ('b', 1704067200, 1, 4)");
  expect_refusal("members who joined in 2023", "`joined` has numbers that are no years");
  expect_refusal("How many paused are there?", "`is_paused`");
  expect_refusal("How many likes are there?", "`likes`");
  expect_answer("How many different likes are there?", {"`likes` in `members`: 2."});
  execute("UPDATE members SET joined = 2020 + likes");
  expect_answer("members who joined in 2023", {"| a | 2023 |"});
}

TEST_F(DatabaseValues, of_two_figures_none_is_told_alone) {
  for (const char* prompt :
       {"highest and lowest celsius", "newest and oldest clients", "minimum and maximum price_usd",
        "the cheapest and the most expensive goods"}) {
    expect_refusal(prompt, "more than one figure");
  }
}

TEST_F(DatabaseValues, tables_and_columns_are_counted_as_they_are) {
  expect_answer("Which tables have an id column?", {"2 tables have", "`clients`", "`goods`"});
  expect_answer("How many tables have a column called id?", {"2 tables have"});
  expect_refusal("Which tables have an id column that is indexed?", "`indexed`");
  expect_refusal("How many tables have more than 2 rows?");
  expect_refusal("List all ids", "of which table `ids` is meant");
  expect_refusal("Which columns of clients are since 2020?", "columns");
  expect_answer("Which table has the most columns?",
                {"3 tables have 15 columns; `clients` has the most, 6."});
  expect_answer("What is the smallest table?",
                {"The smallest tables are `goods`, `probes` with 3 rows each."});
  expect_answer("Which tables are empty?", {"No table has no rows."});
  execute("CREATE TABLE bare(x)");
  expect_answer("Which tables are empty?", {"1 table has no rows:", "- `bare`"});
}

}  // namespace
}  // namespace wright
