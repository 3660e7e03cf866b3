#include "core/context_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "wright/run.h"

namespace wright {
namespace {

Message calls(std::vector<std::string> ids) {
  Message message{Role::assistant, {}};
  for (std::string& id : ids) message.parts.emplace_back(ToolCall{std::move(id), "look", "{}"});
  return message;
}

Message result(std::string id, std::size_t bytes) {
  return Message::tool(
      {.call_id = std::move(id), .name = "look", .content = std::string(bytes, 'r')});
}

std::size_t bytes_in(const std::vector<Message>& messages) {
  std::size_t bytes = 0;
  for (const Message& message : messages) bytes += to_text(to_json(message)).size();
  return bytes;
}

// Every call is answered, by the messages right behind it and in its order.
void expect_calls_are_answered(std::span<const Message> messages) {
  for (std::size_t at = 0; at < messages.size(); ++at) {
    ASSERT_NE(messages[at].role, Role::tool) << "a result without its call, at " << at;
    const auto open = messages[at].tool_calls();
    for (const ToolCall& call : open) {
      ++at;
      ASSERT_LT(at, messages.size());
      ASSERT_EQ(messages[at].role, Role::tool);
      ASSERT_EQ(std::get<ToolResult>(messages[at].parts.front()).call_id, call.id);
    }
  }
}

struct Conversation {
  std::vector<Message> messages;
  int next_id = 0;
  std::mt19937 random;

  explicit Conversation(unsigned seed) : random(seed) {
    messages.push_back(Message::user("The task: " + std::string(random() % 300, 't')));
  }

  void turn() {
    switch (random() % 4) {
      case 0:
        messages.push_back(Message::assistant("An answer " + std::string(random() % 400, 'a')));
        messages.push_back(Message::user("Next: " + std::string(random() % 200, 'u')));
        return;
      default: {
        std::vector<std::string> ids;
        for (std::size_t i = 0; i < 1 + random() % 3; ++i) {
          ids.push_back("c" + std::to_string(next_id++));
        }
        messages.push_back(calls(ids));
        for (const std::string& id : ids) messages.push_back(result(id, random() % 6'000));
      }
    }
  }
};

// As a driver does it: a summary is written where one is asked for.
ContextCut fitted(std::span<const Message> messages, ContextCut cut, const ContextWindow& window,
                  const MeasuredRequest& measured = {}) {
  for (int round = 0; round < 3; ++round) {
    ContextFit fit = fit_context(messages, cut, window, measured);
    cut = fit.cut;
    if (!fit.summarise) return cut;
    expect_calls_are_answered(summary_request(messages, cut, *fit.summarise));
    cut = summarised_cut(messages, cut, *fit.summarise, "It was like this.");
  }
  return fit_context(messages, cut, window, measured).cut;
}

TEST(ContextWindow, leaves_everything_as_it_is_when_it_fits) {
  Conversation conversation(1);
  for (int i = 0; i < 20; ++i) conversation.turn();
  for (const std::optional<std::int64_t> tokens :
       {std::optional<std::int64_t>(), std::optional<std::int64_t>(1'000'000)}) {
    const ContextFit fit = fit_context(conversation.messages, {}, {.tokens = tokens}, {});
    EXPECT_EQ(fit.cut, ContextCut{});
    EXPECT_FALSE(fit.summarise);
    EXPECT_EQ(cut_messages(conversation.messages, fit.cut), conversation.messages);
  }
}

TEST(ContextWindow, holds_for_random_conversations_and_windows) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Conversation conversation(seed);
    const ContextWindow window{.tokens = 9'000 + static_cast<std::int64_t>(seed) * 170,
                               .answer_tokens = 500,
                               .fixed_bytes = 300};
    ContextCut cut;
    for (int turn = 0; turn < 30; ++turn) {
      conversation.turn();
      const std::vector<Message> before = conversation.messages;
      cut = fitted(conversation.messages, cut, window);
      const auto shown = cut_messages(conversation.messages, cut);
      ASSERT_EQ(conversation.messages, before);
      expect_calls_are_answered(shown);
      ASSERT_EQ(shown.front(), conversation.messages.front());
      // The last turn is there, and what the user said last.
      const auto said_last = std::ranges::find(
          conversation.messages.rbegin(), conversation.messages.rend(), Role::user, &Message::role);
      ASSERT_NE(std::ranges::find(shown, *said_last), shown.end());
      ASSERT_EQ(shown.back().role, conversation.messages.back().role);
      if (shown.back().role != Role::tool) {
        ASSERT_EQ(shown.back(), conversation.messages.back());
      }
      ASSERT_LE(estimate_tokens(conversation.messages, cut, window, {}),
                *window.tokens - window.answer_tokens)
          << "seed " << seed << " turn " << turn;
      ASSERT_LE(bytes_in(shown) / 5, static_cast<std::size_t>(*window.tokens));
    }
  }
}

TEST(ContextWindow, shortens_old_results_first_and_says_so) {
  std::vector<Message> messages{Message::user("task"), calls({"a"}), result("a", 30'000),
                                calls({"b"}), result("b", 3'000)};
  const ContextFit fit = fit_context(messages, {}, {.tokens = 5'000}, {});
  EXPECT_FALSE(fit.summarise);
  const auto shown = cut_messages(messages, fit.cut);
  ASSERT_EQ(shown.size(), messages.size());
  const std::string& old = std::get<ToolResult>(shown[2].parts.front()).content;
  EXPECT_LT(old.size(), 1'500U);
  EXPECT_TRUE(old.starts_with("rrr") && old.ends_with("rrr"));
  EXPECT_NE(old.find("28800 bytes were left out"), std::string::npos) << old.substr(700, 200);
  EXPECT_EQ(shown[4], messages[4]);
}

TEST(ContextWindow, keeps_what_was_shortened_as_it_is_on_later_turns) {
  Conversation conversation(5);
  const ContextWindow window{.tokens = 9'000, .answer_tokens = 500};
  ContextCut cut;
  int changes = 0;
  for (int turn = 0; turn < 60; ++turn) {
    conversation.turn();
    const auto before = cut_messages(conversation.messages, cut);
    const ContextCut next = fitted(conversation.messages, cut, window);
    if (next == cut) {
      ASSERT_EQ(cut_messages(conversation.messages, next), before);
    } else {
      ASSERT_GE(next.shortened, cut.shortened);
      ASSERT_GE(next.summarised, cut.summarised);
      ++changes;
    }
    cut = next;
  }
  // Enough goes at once that most turns find their beginning in a vendor's cache.
  EXPECT_LT(changes, 30);
  EXPECT_GT(changes, 2);
}

TEST(ContextWindow, never_cuts_inside_a_character) {
  std::string content;
  for (int i = 0; i < 3'000; ++i) content += "日";
  const std::vector<Message> messages{
      Message::user("task"), calls({"a"}),
      Message::tool({.call_id = "a", .name = "look", .content = content}), Message::user("next")};
  for (std::size_t kept = 1'000; kept < 1'007; ++kept) {
    ContextCut cut;
    cut.tight = {{0, messages.size(), kept}};
    const auto shown = cut_messages(messages, cut);
    const std::string& text = std::get<ToolResult>(shown[2].parts.front()).content;
    EXPECT_EQ(to_valid_utf8(text), text);
    EXPECT_LT(text.size(), content.size());
  }
}

TEST(ContextWindow, trusts_what_was_measured_over_its_own_guess) {
  Conversation conversation(9);
  for (int i = 0; i < 10; ++i) conversation.turn();
  const MeasuredRequest measured{.messages = conversation.messages.size(), .tokens = 123};
  EXPECT_EQ(estimate_tokens(conversation.messages, {}, {.tokens = 1}, measured), 123);
  conversation.messages.push_back(Message::user(std::string(300, 'x')));
  const auto more = estimate_tokens(conversation.messages, {}, {.tokens = 1}, measured);
  EXPECT_GE(more, 123 + 100);
  EXPECT_LE(more, 123 + 110);
}

TEST(ContextWindow, shortens_a_last_turn_that_is_too_large_on_its_own) {
  const std::vector<Message> messages{Message::user("task"), calls({"a", "b"}),
                                      result("a", 200'000), result("b", 10)};
  const ContextWindow window{.tokens = 8'000, .answer_tokens = 1'000};
  const ContextCut cut = fitted(messages, {}, window);
  EXPECT_LE(estimate_tokens(messages, cut, window, {}), 7'000);
  const auto shown = cut_messages(messages, cut);
  expect_calls_are_answered(shown);
  EXPECT_EQ(shown[3], messages[3]);
  EXPECT_GT(std::get<ToolResult>(shown[2].parts.front()).content.size(), 5'000U);
}

TEST(ContextWindow, has_a_summary_of_its_own_when_the_model_has_none) {
  std::vector<Message> messages{Message::user("task"),
                                calls({"a"}),
                                result("a", 10),
                                Message::assistant("done"),
                                Message::user("and then?"),
                                Message::assistant("more"),
                                Message::user("last")};
  const ContextCut cut = summarised_cut(messages, {}, 6, "");
  EXPECT_EQ(cut.summary, "- You called look\n- You: done\n- The user: and then?\n- You: more\n");
  const auto shown = cut_messages(messages, cut);
  ASSERT_EQ(shown.size(), 3U);
  EXPECT_EQ(shown.front(), messages.front());
  EXPECT_EQ(shown.back(), messages.back());
}

TEST(ContextWindow, asks_for_no_summary_of_more_than_the_model_can_read) {
  std::vector<Message> messages{Message::user("task")};
  for (int i = 0; i < 30; ++i) {
    messages.push_back(Message::assistant(std::string(3'000, 'a')));
    messages.push_back(Message::user("next"));
  }
  const ContextWindow window{.tokens = 6'000, .answer_tokens = 500};
  ContextCut cut;
  int rounds = 0;
  for (; rounds < 60; ++rounds) {
    const ContextFit fit = fit_context(messages, cut, window, {});
    if (!fit.summarise) break;
    const auto asked = summary_request(messages, fit.cut, *fit.summarise);
    EXPECT_LE(bytes_in(asked) / 3, 6'000U);
    cut = summarised_cut(messages, fit.cut, *fit.summarise, "It was like this.");
  }
  EXPECT_GT(rounds, 1);
  EXPECT_LT(rounds, 20);
  EXPECT_LE(estimate_tokens(messages, cut, window, {}), 5'500);
}

TEST(ContextWindow, keeps_the_newest_of_what_it_sums_up_itself) {
  std::vector<Message> messages{Message::user("task")};
  for (int i = 0; i < 200; ++i) {
    messages.push_back(Message::user("question " + std::to_string(i) + std::string(90, '?')));
    messages.push_back(Message::assistant(std::string(900, 'a') + "é"));
  }
  const ContextCut cut = summarised_cut(messages, {}, messages.size() - 1, "");
  EXPECT_LE(cut.summary.size(), 8'000U);
  EXPECT_GT(cut.summary.size(), 7'000U);
  EXPECT_TRUE(cut.summary.starts_with("- ")) << cut.summary;
  EXPECT_NE(cut.summary.find("question 199"), std::string::npos);
  EXPECT_EQ(cut.summary.find("question 0"), std::string::npos);
}

TEST(ContextWindow, tells_what_the_user_said_last_from_what_was_said_in_their_place) {
  std::vector<Message> messages{Message::user("task"), Message::assistant("done"),
                                Message::user("really last")};
  for (int i = 0; i < 10; ++i) {
    messages.push_back(calls({"a" + std::to_string(i)}));
    messages.push_back(result("a" + std::to_string(i), 10));
    messages.push_back(Message::notice(Notice::Kind::answer_cut));
  }
  const ContextCut cut = summarised_cut(messages, {}, messages.size() - 3, "");
  EXPECT_EQ(cut.summary.find("cut at the limit"), std::string::npos) << cut.summary;
  const auto shown = cut_messages(messages, cut);
  ASSERT_EQ(shown.size(), 6U);
  EXPECT_EQ(shown[2], Message::user("really last"));
  expect_calls_are_answered(shown);
}

TEST(ContextWindow, is_read_back_as_it_was_kept) {
  Conversation conversation(3);
  for (int i = 0; i < 40; ++i) conversation.turn();
  const ContextWindow window{.tokens = 9'000, .answer_tokens = 500};
  const ContextCut cut = fitted(conversation.messages, {}, window);
  ASSERT_NE(cut, ContextCut{});
  const auto read = context_cut_from_json(to_json(cut), conversation.messages);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, cut);
  const auto fewer = std::span(conversation.messages).first(3);
  EXPECT_FALSE(context_cut_from_json(to_json(cut), fewer));
}

TEST(ContextWindow, survives_messages_that_are_no_conversation) {
  const ContextWindow window{.tokens = 1};
  for (const std::vector<Message>& odd : {std::vector<Message>{},
                                          {Message::assistant("x")},
                                          {result("lost", 90'000)},
                                          {Message::system("s"), Message::user("u")}}) {
    const ContextCut cut = fitted(odd, {}, window);
    EXPECT_EQ(cut_messages(odd, cut).size(), odd.size());
  }
}

}  // namespace
}  // namespace wright
