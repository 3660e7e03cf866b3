#include "app/commands/chat_commands.h"

#include <gtest/gtest.h>

#include "app/commands/chat_files.h"
#include "app/commands/chat_status.h"

namespace wright::app {
namespace {

using Name = SlashCommand::Name;

TEST(ChatCommands, are_words_behind_a_slash_with_what_follows_them) {
  EXPECT_EQ(read_chat_line("/help"), ChatLine(SlashCommand{Name::help, ""}));
  EXPECT_EQ(read_chat_line("/MODEL  openai:gpt-5 "),
            ChatLine(SlashCommand{Name::model, "openai:gpt-5"}));
  EXPECT_EQ(read_chat_line("/export my file.md"),
            ChatLine(SlashCommand{Name::export_session, "my file.md"}));
  EXPECT_EQ(read_chat_line("/undo files"), ChatLine(SlashCommand{Name::undo, "files"}));
  EXPECT_EQ(read_chat_line("/exit"), ChatLine(SlashCommand{Name::quit, ""}));
}

TEST(ChatCommands, that_stand_for_a_message_are_shown_as_they_were_typed) {
  EXPECT_EQ(as_typed(review_prompt("")), "/review");
  EXPECT_EQ(as_typed(review_prompt("the tests")), "/review the tests");
  EXPECT_EQ(as_typed("Review what has been changed"), "Review what has been changed");
  EXPECT_EQ(as_typed(review_prompt("") + " and more"), review_prompt("") + " and more");
}

TEST(ChatCommands, leave_messages_alone) {
  for (const std::string text :
       {"hello", "/etc/hosts", "/", "//", "/2", "/help!", "what is /help?"}) {
    EXPECT_EQ(read_chat_line(text), ChatLine(ChatMessage{text})) << text;
  }
  EXPECT_EQ(read_chat_line("  /help "), ChatLine(ChatMessage{"/help"}));
}

TEST(ChatCommands, that_are_unknown_are_answered_with_the_nearest) {
  const auto complaint = [](std::string_view line) {
    const ChatLine meant = read_chat_line(line);
    const auto* bad = std::get_if<BadCommand>(&meant);
    return bad != nullptr ? bad->complaint : "";
  };
  EXPECT_NE(complaint("/undp").find("/undo"), std::string::npos) << complaint("/undp");
  EXPECT_NE(complaint("/xyzzyq").find("/help lists"), std::string::npos) << complaint("/xyzzyq");
  EXPECT_NE(complaint("/undo all"), "");
  EXPECT_NE(complaint("/continue"), "");
}

TEST(ChatCommands, are_completed_from_their_beginning) {
  EXPECT_EQ(commands_beginning_with("/un"), std::vector<std::string>{"/undo"});
  EXPECT_EQ(commands_beginning_with("/").size(), 18U);
  EXPECT_TRUE(commands_beginning_with("un").empty());
  EXPECT_TRUE(commands_beginning_with("/undo x").empty());
}

TEST(ChatCommands, are_all_explained) {
  const std::string help = chat_help();
  for (const std::string& command : commands_beginning_with("/")) {
    EXPECT_NE(help.find(command), std::string::npos) << command;
  }
}

TEST(ChatStatus, tells_what_may_be_spent_also_before_anything_is) {
  EXPECT_EQ(cost_status(0, 5.0), " · $0 of $5.00");
  EXPECT_EQ(cost_status(1.2, 5.0), " · $1.20 of $5.00");
  EXPECT_EQ(cost_status(1.2, std::nullopt), " · $1.20");
  EXPECT_EQ(cost_status(0, std::nullopt), "");
}

TEST(ChatStatus, finds_sessions_by_letters_in_their_order) {
  EXPECT_FALSE(fuzzy_score("xyz", "rename the parser"));
  ASSERT_TRUE(fuzzy_score("rpar", "rename the parser"));
  EXPECT_GT(*fuzzy_score("parser", "the parser"), *fuzzy_score("parser", "p a r s e r x"));
}

}  // namespace
}  // namespace wright::app
