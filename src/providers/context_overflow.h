// Whether a server says that a conversation is too long for its model. Every server has its own
// words for it, and only this file knows them: what is recognised is asked again with less.
#pragma once

#include <string_view>

namespace wright::providers {

// Both in lower case.
bool is_overflow_code(std::string_view code);
bool is_overflow_in_words(std::string_view message);

}  // namespace wright::providers
