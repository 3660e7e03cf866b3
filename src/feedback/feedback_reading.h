// Finds feedback among a model's words. Pure; nothing that a model writes is an error here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wright/json.h"

namespace wright::feedback {

inline constexpr std::size_t kLongestFeedback = 256 * 1024;  // bytes; more is not read

// An answer that carries its feedback in its text: as a <tool_feedback> element, or as the member
// `tool_feedback` of a JSON object.
struct AnswerWithFeedback {
  std::string answer;
  std::string feedback;  // for tool_feedback_from_text()
};

// Nothing when there is no feedback in the text.
std::optional<AnswerWithFeedback> split_answer(std::string_view text);

}  // namespace wright::feedback
