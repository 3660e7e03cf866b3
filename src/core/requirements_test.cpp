#include "wright/requirements.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wright {
namespace {

RequirementsDocument orders() {
  return {.goal = "Know every morning what was sold",
          .actors = {"Sales team"},
          .data_sources = {{"Database", "orders", "read"}, {"E-mail", "", ""}},
          .steps = {"Read the orders of yesterday", "Send a summary"},
          .examples = {"3 orders, 120 €"},
          .open_points = {"Which time zone?"}};
}

TEST(RequirementsDocument, is_read_back_from_its_own_answer) {
  const std::string answer = to_answer(orders());
  const auto read = requirements_from("I understand.\n\n" + answer + "\nShall I go on?");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, orders());
}

TEST(RequirementsDocument, is_markdown_for_people) {
  EXPECT_EQ(to_markdown(orders()), R"(## Goal

Know every morning what was sold

## Actors

- Sales team

## Data sources

- Database (orders): read
- E-mail

## Steps

1. Read the orders of yesterday
2. Send a summary

## Examples

- 3 orders, 120 €

## Open points

- Which time zone?
)");
  EXPECT_EQ(to_markdown({.goal = "One"}), "## Goal\n\nOne\n");
}

TEST(RequirementsDocument, survives_texts_that_look_like_something_else) {
  RequirementsDocument odd = orders();
  odd.goal = "```json\n{\"goal\": \"another\"}\n```";
  odd.examples = {"# Heading\n```", "line\nbreak", std::string(10'000, 'x'), ""};
  const auto read = requirements_from(to_answer(odd));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, odd);
}

TEST(RequirementsDocument, is_the_last_block_that_is_one) {
  const std::string answer =
      "```json\n{\"goal\": \"first\"}\n```\ntext\n```json\n{\"goal\": \"second\"}\n```\n"
      "```sh\nmake\n```\n";
  EXPECT_EQ(requirements_from(answer)->goal, "second");
  EXPECT_EQ(requirements_from("{\"goal\": \"bare\"}")->goal, "bare");
  EXPECT_EQ(requirements_from("```\n{\"goal\": \"never closed\"}")->goal, "never closed");
}

TEST(RequirementsDocument, that_is_none_is_refused_with_the_reason) {
  EXPECT_EQ(requirements_from("").error().code, ErrorCode::not_found);
  EXPECT_EQ(requirements_from("no block").error().code, ErrorCode::not_found);
  const auto wrong = requirements_from("```json\n{\"goal\": 7}\n```\n```\nnot JSON\n```");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("goal"), std::string::npos) << wrong.error().message;
  for (const char* text : {"```json\n{\"goal\": \"\"}\n```", "```json\n[]\n```", "```json\n{\n```",
                           "```json\n{\"goal\": \"x\", \"actors\": \"me\"}\n```"}) {
    EXPECT_FALSE(requirements_from(text)) << text;
  }
}

TEST(RequirementsDocument, has_a_schema_that_asks_for_a_goal_only) {
  const Json schema = schema_of<RequirementsDocument>();
  EXPECT_EQ(schema.at("required"), (Json{"goal"}));
  for (const char* part : {"goal", "actors", "data_sources", "steps", "examples", "open_points"}) {
    EXPECT_TRUE(schema.at("properties").as_object().contains(part)) << part;
  }
}

}  // namespace
}  // namespace wright
