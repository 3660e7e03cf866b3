// Whether one answer fits its question. Never repeats a password in what it says.
#pragma once

#include <optional>
#include <string>

#include "wright/people.h"

namespace wright::tools {

// Null, or an empty text.
bool is_blank(const Json& answer);

// What is wrong with an answer that is not blank.
std::optional<std::string> problem_with(const Question& question, const Json& answer);

// An answer that fits, in its proper type: 5 for "5", true for "yes", the option as it is written.
Json put_right(const Question& question, const Json& answer);

}  // namespace wright::tools
