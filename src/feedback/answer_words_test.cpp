// Answers that are none, in the words of models.
#include "feedback/answer_words.h"

#include <gtest/gtest.h>

namespace wright::feedback {
namespace {

using Kind = AnswerWords::Kind;

TEST(AnswerWords, tell_a_refusal_by_how_it_begins) {
  for (const char* answer :
       {"I cannot help with that.", "I can’t do this.", "I'm unable to read the database.",
        "Sorry, but I am not able to tell.", "I don't know.",
        "I cannot determine modification dates with the available tools.",
        "Das kann ich leider nicht beantworten.", "Je ne peux pas répondre à cette question.",
        "Lo siento, no puedo hacerlo.", "Não consigo responder.", "我无法回答这个问题。",
        "申し訳ありませんが、お答えできません。", "К сожалению, я не могу ответить."}) {
    const AnswerWords words = words_of_answer(answer);
    EXPECT_EQ(words.kind, Kind::refusal) << answer;
    EXPECT_FALSE(words.sentence.empty()) << answer;
    EXPECT_FALSE(words.answers_anyway) << answer;
  }
}

TEST(AnswerWords, take_search_results_for_what_they_say_they_are) {
  const std::string answer =
      "I do not recognise this question; without a language model I can only search for its words. "
      "These are search results, not an answer:\n\n- `Session` (class) at src/session.h:12\n" +
      std::string(1'000, 'x') + "\n\nBut these I understand: where is X defined?";
  const AnswerWords words = words_of_answer(answer);
  EXPECT_EQ(words.kind, AnswerWords::Kind::refusal);
  EXPECT_FALSE(words.answers_anyway);
}

TEST(AnswerWords, tell_when_a_refusal_goes_on_to_answer) {
  EXPECT_TRUE(words_of_answer("I cannot filter by lines, but the largest is Agent with 245.")
                  .answers_anyway);
  EXPECT_TRUE(words_of_answer("I cannot sort. However, there are 15 of them.").answers_anyway);
  EXPECT_TRUE(words_of_answer("I cannot sort.\n" + std::string(1'000, 'x')).answers_anyway);
}

TEST(AnswerWords, leave_answers_alone_that_speak_of_others_or_deny_something) {
  for (const char* answer :
       {"There are 16 of them.", "The parser cannot read tabs, so it refuses them.",
        "No. I could not find any use of strcpy.", "I can't find a definition of `convert`.",
        "The user types \"I\" can't-fail macros here.", "Hawaii can't be reached.",
        "It returns -1.\nUnable to open: that is its message.", "是的，一共有三个。"}) {
    EXPECT_EQ(words_of_answer(answer).kind, Kind::answer) << answer;
  }
}

TEST(AnswerWords, tell_parts_that_are_missing_and_questions) {
  const AnswerWords part = words_of_answer(
      "I found 15 classes:\n1. Agent\n\nNote: I cannot filter by line count with current tools.");
  EXPECT_EQ(part.kind, Kind::partial);
  EXPECT_EQ(part.sentence, "Note: I cannot filter by line count with current tools.");
  const AnswerWords question =
      words_of_answer("There are several types. Which of them should I search for?");
  EXPECT_EQ(question.kind, Kind::asked_back);
  EXPECT_EQ(question.sentence, "Which of them should I search for?");
  EXPECT_EQ(words_of_answer("どのファイルですか？").kind, Kind::asked_back);
}

TEST(AnswerWords, are_found_in_texts_of_any_kind) {
  EXPECT_EQ(words_of_answer("").kind, Kind::nothing);
  EXPECT_EQ(words_of_answer(" \n\t").kind, Kind::nothing);
  EXPECT_EQ(words_of_answer("?").kind, Kind::asked_back);
  EXPECT_EQ(words_of_answer("\xff\xfe\x80").kind, Kind::answer);
  EXPECT_EQ(words_of_answer(std::string(1'000'000, '?')).kind, Kind::asked_back);
  EXPECT_EQ(words_of_answer("I cannot" + std::string(1'000'000, ' ') + "x").kind, Kind::refusal);
  const AnswerWords cut = words_of_answer("I cannot " + std::string(500, '\xe4'));
  EXPECT_LE(cut.sentence.size(), 170U);
}

}  // namespace
}  // namespace wright::feedback
