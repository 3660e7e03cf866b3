// Text as PostgreSQL takes it: valid UTF-8 without NUL bytes. Everything comes back as it was but
// bytes that are not UTF-8, which are repaired on their way in, as every store does.
//
// A NUL byte is written as U+10FFFD and '0'. U+10FFFD itself, a character for private use, is
// written as U+10FFFD and '1'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wright::postgres {

std::string to_column(std::string_view text);
std::string from_column(std::string_view column);

// An array of texts as a literal of PostgreSQL, each as to_column() gives it.
std::string array_literal(const std::vector<std::string>& texts);

}  // namespace wright::postgres
