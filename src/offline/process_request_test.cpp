#include "offline/process_request.h"

#include <gtest/gtest.h>

#include <random>

namespace wright::offline {
namespace {

constexpr const char* kOrders =
    "Every morning, read the new orders from our PostgreSQL database, then e-mail a summary to the "
    "sales team.";

TEST(ProcessRequest, knows_a_wish_that_is_clear) {
  const ProcessRequest wish = understand_process(kOrders);
  EXPECT_TRUE(wish.is_clear());
  EXPECT_EQ(wish.trigger, "Every morning");
  ASSERT_EQ(wish.sources.size(), 1U);
  EXPECT_EQ(wish.sources[0], (DataSource{"Database", "PostgreSQL", "read"}));
  EXPECT_EQ(wish.steps.size(), 2U);
  EXPECT_EQ(wish.actors, (std::vector<std::string>{"sales team"}));
}

TEST(ProcessRequest, reads_sentences_that_go_on_in_the_next_line) {
  const ProcessRequest wish = understand_process(
      "Every morning, read the new orders from our\nPostgreSQL database, then e-mail a summary\nto "
      "the "
      "sales team. It is urgent.");
  EXPECT_EQ(
      wish.goal,
      "Every morning, read the new orders from our PostgreSQL database, then e-mail a summary "
      "to the sales team");
  const ProcessRequest list = understand_process(
      "Read the new orders of our database\nsummarise them\n- send the summary to sales\n\nThanks");
  EXPECT_EQ(list.goal, "Read the new orders of our database");
  EXPECT_EQ(list.steps.size(), 3U);
}

TEST(ProcessRequest, tells_what_is_written_from_what_is_read) {
  const ProcessRequest wish = understand_process(
      "When an e-mail arrives, create a ticket in our Jira and post it to Slack.");
  ASSERT_EQ(wish.sources.size(), 1U);
  EXPECT_EQ(wish.sources[0], (DataSource{"E-mail", "e-mail", "read"}));
  EXPECT_EQ(wish.targets, (std::vector<DataSource>{{"Chat", "Slack", "written"},
                                                   {"Tracker", "Jira", "written"}}));
  EXPECT_EQ(understand_process("Create a ticket for each new e-mail").sources.size(), 1U);
}

TEST(ProcessRequest, knows_further_clear_wishes) {
  for (const char* text :
       {"When an invoice arrives in our Gmail inbox, save its PDF to Dropbox and notify "
        "accounting.",
        "Please copy all new rows of the Google Sheet Leads into HubSpot every hour.",
        "Whenever a form is submitted, read the answers from our web form and post them to "
        "Slack."}) {
    EXPECT_TRUE(understand_process(text).is_clear()) << text;
  }
}

TEST(ProcessRequest, knows_a_wish_that_is_not_clear) {
  for (const char* text : {"Build me a website", "I need an app for my bakery",
                           "Automate my invoices", "Send me an e-mail when a customer signs up",
                           "Help me automate things", "create a dashboard"}) {
    const ProcessRequest wish = understand_process(text);
    EXPECT_TRUE(wish.is_wish) << text;
    EXPECT_FALSE(wish.is_clear()) << text;
  }
  EXPECT_EQ(understand_process("Build me a website").thing, "website");
  EXPECT_EQ(understand_process("I need an app for my bakery").thing, "app");
}

TEST(ProcessRequest, knows_what_is_no_wish) {
  for (const char* text :
       {"", "   ", "hello", "Hi there, how are you?", "What is the capital of France?",
        "Tell me a joke about the sea", "Thanks, that was it"}) {
    const ProcessRequest wish = understand_process(text);
    EXPECT_FALSE(wish.is_wish) << text;
    EXPECT_FALSE(wish.is_foreign) << text;
  }
}

TEST(ProcessRequest, knows_that_it_does_not_know_a_language) {
  for (const char* text : {"Erstelle mir bitte eine Webseite", "ウェブサイトを作ってください",
                           "Automatizar facturas cada semana", "!!!"}) {
    EXPECT_TRUE(understand_process(text).is_foreign) << text;
  }
}

TEST(ProcessRequest, leaves_credentials_out) {
  EXPECT_EQ(without_credentials("my password is hunter2, ok"), "my password is [left out] ok");
  EXPECT_EQ(without_credentials("API key: \"a b c\" there"), "API key: [left out] there");
  EXPECT_EQ(without_credentials("postgres://ada:geheim@db/x"), "postgres://ada:[left out]@db/x");
  EXPECT_EQ(without_credentials("use sk-abcdefghijklmnop123"), "use [left out]");
  EXPECT_EQ(without_credentials("reset passwords for customers"), "reset passwords for customers");
  const ProcessRequest wish =
      understand_process("Build me a shop. The database password is hunter2.");
  for (const std::string& step : wish.steps) EXPECT_EQ(step.find("hunter2"), std::string::npos);
}

TEST(ProcessRequest, finds_examples) {
  EXPECT_EQ(understand_process("Sort e-mails, for example: Where is my parcel?").examples,
            (std::vector<std::string>{"Where is my parcel?"}));
  EXPECT_EQ(understand_process("Answer mails like \"My parcel is lost\" please").examples,
            (std::vector<std::string>{"My parcel is lost"}));
}

TEST(ProcessRequest, survives_any_text) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 200; ++i) text += static_cast<char>(random() % 256);
    const ProcessRequest wish = understand_process(text);
    EXPECT_TRUE(is_valid_utf8(wish.goal));
  }
  EXPECT_LT(understand_process("Build " + std::string(1'000'000, 'x')).goal.size(), 1000U);
}

}  // namespace
}  // namespace wright::offline
