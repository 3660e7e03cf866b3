// What an answer says about itself: that it is none, or only a part. Found by its words, in the
// languages that are most written, and not understood.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wright::feedback {

struct AnswerWords {
  enum class Kind : std::uint8_t {
    answer,
    partial,     // something in it says that a part could not be done
    refusal,     // it begins with saying that it cannot be done
    asked_back,  // it ends with a question
    nothing,
  };
  Kind kind = Kind::answer;
  std::string sentence = {};  // that says so; shortened
  bool goes_on = false;       // Kind::refusal: after it, something is told all the same
};

// Only the beginning of a long answer is looked at, and its last sentence.
AnswerWords words_of_answer(std::string_view answer);

}  // namespace wright::feedback
