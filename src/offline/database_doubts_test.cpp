// Questions about a database that are easily taken for other ones: the answer is the right one, or
// none.
#include <gtest/gtest.h>

#include <string>

#include "offline/database_testing.h"

namespace wright {
namespace {

class DatabaseDoubts : public DatabaseFixture {
 protected:
  void SetUp() override {
    execute(R"(
      CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT, city TEXT, country TEXT,
                             age INTEGER, signup_date TEXT);
      INSERT INTO customers VALUES (1, 'Anna', 'Berlin', 'DE', 30, '2024-01-05'),
          (2, 'Lea', 'berlin', 'DE', NULL, '2024-02-10'), (3, 'Bob', 'Paris', 'FR', 45, '2023-12-31'),
          (4, 'Rob', 'Lyon', 'FR', 20, NULL), (5, 'Carl', NULL, 'US', 61, '2024-03-01 10:00:00'),
          (6, 'Dora', '', NULL, 17, '2024-03-15');
      CREATE TABLE orders(id INTEGER PRIMARY KEY, status TEXT, total_cents INTEGER, created_at TEXT);
      INSERT INTO orders VALUES (1, 'paid', 1000, '2024-01-10'), (2, 'open', -900, '2023-12-31'),
          (3, 'paid', 700, '2025-03-06');
      CREATE TABLE products(id INTEGER PRIMARY KEY, title TEXT, price TEXT, weight_g INTEGER);
      INSERT INTO products VALUES (1, 'Lamp', '9.50', 500), (2, 'Desk', '100', 20000),
          (3, 'Pen', 'n/a', 10);
      CREATE TABLE employees(id INTEGER PRIMARY KEY, nick TEXT, salary REAL, hired TEXT,
                             left_on TEXT);
      INSERT INTO employees VALUES (1, 'Eve', 9000, '2015-01-01', NULL),
          (2, 'Finn', 5000, '2019-05-05', '2023-01-01'), (3, 'Gina', 5000, '2020-02-02', NULL),
          (4, 'Hal', NULL, '2021-01-01', NULL);
      CREATE TABLE events(id INTEGER PRIMARY KEY, topic TEXT, happened_at TEXT, score TEXT,
                          amount NUMERIC);
      INSERT INTO events VALUES (1, 'A', '31/12/2022', '9', 10), (2, 'B', '01/06/2024', '10', NULL),
          (3, 'B', '15/01/2023', '100', 'abc'), (4, 'c', '2024-03-05', '', 20);
    )");
  }
};

TEST_F(DatabaseDoubts, a_word_in_capitals_is_a_value) {
  expect_answer("How many customers are from the US?", {"`country` is `US`: 1."});
  expect_answer("how many customers are from the us?", {"`country` is `us`: 1."});
  expect_answer("HOW MANY CUSTOMERS ARE FROM THE US?", {"`country` is `US`: 1."});
  expect_answer("Minimum age of customers in US", {"`country` is `US`: 61."});
  expect_refusal("How many customers are from IT?", "`IT`");
  expect_refusal("How many orders are on hold?", "`hold`");
  expect_answer("HOW MANY CUSTOMERS ARE THERE?", {"6 rows"});
  expect_answer("Show us the customers", {"| Anna |", "| Dora |"});
  expect_answer("What is in the DB?", {"5 tables"});
}

TEST_F(DatabaseDoubts, columns_are_not_counted_as_rows) {
  for (const char* prompt :
       {"How many columns does customers have?", "number of fields in customers",
        "How many columns are in the table customers?"}) {
    expect_answer(prompt, {"`customers` is a table with 6 columns"});
  }
  expect_answer("How many columns does each table have?", {"`country` TEXT", "`left_on` TEXT"});
  expect_refusal("How many columns of customers are empty?");
  execute("CREATE VIEW digest AS SELECT id, status FROM orders");
  expect_answer("How many columns does digest have?", {"`digest` is a view with 2 columns"});
  expect_answer("How many rows does customers have?", {"`customers` has 6 rows"});
}

TEST_F(DatabaseDoubts, a_date_is_that_of_the_column_before_it) {
  expect_answer("Employees hired before 2020", {"`hired`", "| Eve |", "| Finn |"});
  EXPECT_EQ(ask("Employees hired before 2020").find("Gina"), std::string::npos);
  expect_answer("How many employees were hired after 2019?", {": 2."});
  expect_answer("How many employees were hired in 2019?", {": 1."});
  expect_answer("How many employees were hired on or before 2019-05-05?", {": 2."});
  expect_answer("How many orders have created_at before 2024?", {": 1."});
  expect_answer("average total_cents in 2024", {": 1,000."});
  expect_refusal("How many employees in 2020?", "`employees`");
  execute(
      "CREATE TABLE books(title TEXT, published INTEGER, added_on TEXT);"
      "INSERT INTO books VALUES ('x', 1974, '2024-01-01'), ('y', 1998, '2023-01-01')");
  expect_refusal("books published since 1974 and before 2000", "`books`");
  expect_refusal("oldest book", "`books`");
  expect_answer("books added in 2023", {"| y |"});
  expect_answer("books published before 1990", {"| x |"});
  expect_refusal("Customers with name before 2020", "`name`");
}

TEST_F(DatabaseDoubts, the_newest_is_not_that_of_just_any_date) {
  expect_refusal("Newest employee", "`employees`");
  expect_answer("Newest employee by hired", {"| Hal |"});
  expect_answer("newest order", {"2025-03-06"});
  expect_refusal("Newest event", "`happened_at` does not hold dates");
  expect_answer("Show the oldest order by created_at", {"| 2 | open | -900 |", "LIMIT 1"});
}

TEST_F(DatabaseDoubts, the_oldest_is_of_an_age_where_there_is_one) {
  expect_refusal("Who is the oldest customer?", "`age`");
  expect_answer("The 2 oldest customers by age", {"| Carl |", "| Bob |", "LIMIT 2"});
  expect_answer("the oldest customer by signup_date", {"| Bob |"});
  expect_refusal("the newest customer by age");
  expect_refusal("the newest order by total_cents");
}

TEST_F(DatabaseDoubts, a_range_is_a_range) {
  for (const char* prompt :
       {"Customers with age 17 to 45", "Customers with age between 17 and 45",
        "Customers whose age is between 17 and 45", "Customers with age 17-45",
        "Customers with age from 17 to 45", "customers between age 17 and 45"}) {
    expect_answer(prompt, {"| Anna |", "| Bob |", "| Rob |", "| Dora |"});
    EXPECT_EQ(ask(prompt).find("Carl"), std::string::npos) << prompt;
  }
  expect_answer("How many customers with age 17 or 45?", {": 2."});
  expect_answer("orders created between 2024-01-01 and 2025-01-01", {"| 1 | paid |"});
  EXPECT_EQ(ask("orders created between 2024-01-01 and 2025-01-01").find("| 3 | paid"),
            std::string::npos);
  expect_refusal("Customers of 17 to 45");
  expect_refusal("Customers with age 30+", "`+`");
  expect_answer("How many customers with age ≥ 45?", {"`age` >= `45`: 2."});
  expect_refusal("Customers with age 17 45");
  expect_refusal("Customers with age 45 to 17");
  expect_refusal("customers whose country is not DE or FR");
  expect_refusal("customers from Paris and US", "`Paris` of `city`");
  expect_answer("customers from DE and FR", {"| Anna |", "| Rob |"});
  expect_refusal("orders from 2023-2024 in status paid or open");
  expect_answer("orders with total_cents less than -500", {"| 2 | open |"});
}

TEST_F(DatabaseDoubts, those_that_are_as_good_are_shown) {
  expect_answer(
      "Which employee has the lowest salary?",
      {"The rows of `employees` with the smallest `salary`, 2 of them:", "| Finn |", "| Gina |"});
  expect_answer("Which employee hired after 2015 has the lowest salary?",
                {"`hired` > `2015` with the smallest `salary`, 2 of them:"});
  expect_answer("The 2 highest employees by salary",
                {"| Eve |", "As good as the last", "1 row more"});
  EXPECT_EQ(ask("Which employee has the highest salary?").find("of them"), std::string::npos);
}

TEST_F(DatabaseDoubts, nothing_is_ranked_or_reckoned_with_that_is_no_number) {
  for (const char* prompt :
       {"Top 3 products by price", "What is the lowest price?", "products with a price over 8"}) {
    expect_refusal(prompt, "`price` is text that is not all numbers");
  }
  expect_refusal("What is the highest score?", "`score` is text that is not all numbers");
  for (const char* prompt : {"Average amount of events", "Highest amount of events",
                             "events with an amount greater than 15"}) {
    expect_refusal(prompt, "`amount` has values that are no numbers");
  }
  expect_refusal("Top 3 prices");
  execute("DELETE FROM products WHERE price = 'n/a'");
  expect_answer("Top 1 products by price", {"| Desk | 100 |"});
  expect_answer("top 3 products by weight_g", {"| Desk | 100 | 20000 |"});
}

TEST_F(DatabaseDoubts, a_number_in_text_is_found_as_it_is_written_or_not_looked_for) {
  expect_refusal("products with price 9.5", "`9.5` of `price`");
  expect_answer("products with price 100", {"| Desk | 100 |"});
  execute("CREATE TABLE loose(v, remark TEXT); INSERT INTO loose VALUES (5, 'x'), ('6', 'y')");
  execute("CREATE TABLE flags(label TEXT, raised BOOLEAN); INSERT INTO flags VALUES ('a', 1)");
  expect_refusal("flags with raised true", "`raised`");
  expect_answer("loose with v 5", {"| 5 | x |"});
  expect_refusal("loose with v 6", "`6` of `v`");
}

TEST_F(DatabaseDoubts, the_column_that_is_asked_for_is_no_condition) {
  expect_answer("What is the city of anna?", {"`name` is `anna`", "| Berlin |"});
  expect_answer("Which country is Carl from?", {"`name` is `Carl`", "| US |"});
  expect_refusal("What is the city of Zed?", "`Zed`");
  expect_answer("orders with a status of open", {"| 2 | open |"});
}

TEST_F(DatabaseDoubts, tells_of_how_many_rows_nobody_knows_whether) {
  expect_answer("customers whose city is not Berlin",
                {"| Paris |", "Not among these: 1 row without a value in `city`."});
  expect_answer("How many customers have country not DE?",
                {": 3.", "Not among these: 1 row without a value in `country`."});
  EXPECT_EQ(ask("How many orders are not paid?").find("Not among"), std::string::npos);
}

}  // namespace
}  // namespace wright
