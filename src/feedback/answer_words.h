// What an answer says about itself: that it is no answer, or only a partial one. Recognised by its
// words, in the most common languages, without understanding it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wright::feedback {

struct AnswerWords {
  enum class Kind : std::uint8_t {
    answer,
    partial,     // it says that a part could not be done
    refusal,     // it begins by saying that it cannot be done
    asked_back,  // it ends with a question
    nothing,
  };
  Kind kind = Kind::answer;
  std::string sentence = {};    // the one that says so, shortened
  bool answers_anyway = false;  // Kind::refusal: an answer follows all the same
};

// Only the beginning of a long answer is examined, and its last sentence.
AnswerWords words_of_answer(std::string_view answer);

}  // namespace wright::feedback
