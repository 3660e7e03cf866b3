// Questions about two tables at once: whose rows are meant, and which of them the answer leaves
// out.
#include <gtest/gtest.h>

#include <string>

#include "offline/database_testing.h"

namespace wright {
namespace {

class DatabaseJoins : public DatabaseFixture {
 protected:
  void SetUp() override {
    execute(R"(
      CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT, country TEXT, credit INTEGER);
      INSERT INTO customers VALUES (1, 'Ann', 'France', 10), (2, 'Bob', 'Spain', 20),
          (3, 'Cid', 'Spain', 60);
      CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id),
                          status TEXT, cost INTEGER, placed_on TEXT);
      INSERT INTO orders VALUES (11, 1, 'open', 5, '2024-01-01'), (12, 1, 'open', 7, '2024-02-01'),
          (13, 2, 'paid', 9, '2025-01-01'), (14, 2, 'open', 4, '2025-02-01'),
          (15, NULL, 'open', 1, '2025-03-01');
      CREATE TABLE teams(team_id INTEGER PRIMARY KEY, team_name TEXT);
      INSERT INTO teams VALUES (1, 'Red'), (2, 'Blue');
      CREATE TABLE players(nick TEXT, team INTEGER REFERENCES teams(team_id), score INTEGER);
      INSERT INTO players VALUES ('x', 1, 3), ('y', 1, 5);
    )");
  }
};

TEST_F(DatabaseJoins, those_who_have_something_are_counted_once) {
  expect_answer("How many customers have open orders?", {"`status` is `open`: 2."});
  expect_answer("How many customers from France have orders?", {"`France`: 1."});
  expect_answer("How many customers have orders?", {"`customers` with `orders`: 2."});
  expect_answer("How many customers have orders in 2025?", {": 1."});
  expect_answer("Which customers have an open order?", {"| 1 | Ann |", "| 2 | Bob |"});
  EXPECT_EQ(ask("Which customers have an open order?").find("| 11 |"), std::string::npos);
  expect_answer("Show all customers with paid orders", {"| 2 | Bob |"});
  expect_answer("average credit of customers with open orders", {": 15."});
}

TEST_F(DatabaseJoins, what_is_counted_is_what_is_named) {
  expect_answer("How many open orders do customers have?", {"`status` is `open`: 3."});
  expect_answer("How many orders are from customers in France?", {": 2."});
  expect_answer("How many customer orders are open?", {"`orders` whose `status` is `open`: 3."});
}

TEST_F(DatabaseJoins, what_is_not_clear_is_not_answered) {
  for (const char* prompt :
       {"How many customers have 2 orders?", "How many customers and orders are there?",
        "List the customers with their orders", "How many customers have orders not paid?",
        "customers with all orders open", "average credit of orders from customers in Spain",
        "How many customers have only open orders?", "How many orders per status and customer?"}) {
    expect_refusal(prompt);
  }
}

TEST_F(DatabaseJoins, tells_what_the_list_leaves_out) {
  expect_answer("How many orders does each customer have?",
                {"| 1 | Ann | 2 |", "Not among these: 1 row of `orders`",
                 "Not among these: 1 row of `customers` that no row of `orders` refers to."});
  expect_answer("players per team", {"| 1 | Red | 2 |", "1 row of `teams`"});
}

TEST_F(DatabaseJoins, the_best_of_each_is_a_figure_and_no_row) {
  expect_answer("highest score per team", {"| 1 | Red | 5 |"});
  expect_refusal("Who has the highest score in each team?", "which rows");
  expect_refusal("Which player has the highest score per team?", "which rows");
}

}  // namespace
}  // namespace wright
