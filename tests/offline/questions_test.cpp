// What the planner is worth: no answer may be wrong. A question that it does not understand it must
// call so; how many are answered, and how many honestly are not, is printed.
#include <gtest/gtest.h>

#include <iostream>

#include "question_trees.h"

namespace wright::offline {
namespace {

class OfflineQuestions : public ::testing::Test {
 protected:
  static const QuestionTrees& trees() {
    static const QuestionTrees kTrees;
    return kTrees;
  }

  struct Tally {
    int right = 0;
    int honest = 0;
    int wrong = 0;
  };

  static Tally tally(const std::vector<Scored>& questions) {
    Tally tally;
    for (const Scored& scored : questions) {
      const std::string answer = trees().ask(scored);
      const Score score = score_of(scored, answer);
      tally.right += score == Score::right;
      tally.honest += score == Score::honest;
      tally.wrong += score == Score::wrong;
      EXPECT_NE(score, Score::wrong) << scored.question << "\n" << answer;
      const bool could_be_right = score == Score::honest && !scored.contains.empty();
      if (could_be_right) std::cout << "not answered: " << scored.question << "\n";
    }
    std::cout << tally.right << " right, " << tally.honest << " honest, " << tally.wrong
              << " wrong of " << questions.size() << "\n";
    return tally;
  }
};

TEST_F(OfflineQuestions, that_it_was_written_with_have_no_wrong_answer) {
  const Tally found = tally(first_questions());
  EXPECT_EQ(found.wrong, 0);
  EXPECT_GE(found.right, 39);
}

TEST_F(OfflineQuestions, that_were_thought_of_later_have_no_wrong_answer) {
  const Tally found = tally(later_questions());
  EXPECT_EQ(found.wrong, 0);
  EXPECT_GE(found.right, 46);
}

}  // namespace
}  // namespace wright::offline
