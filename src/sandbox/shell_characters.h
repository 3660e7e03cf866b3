// What single characters mean to bash. Knows no locale.
#pragma once

#include <string_view>

#include "core/text.h"

namespace wright::sandbox {

inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
inline bool is_name_start(char c) {
  return is_letter(c) || c == '_';
}
inline bool is_name(char c) {
  return is_name_start(c) || is_digit(c);
}
inline bool ends_word(char c) {
  return c == '\0' || c == '\n' || is_blank(c) ||
         std::string_view(";&|()<>").find(c) != std::string_view::npos;
}

}  // namespace wright::sandbox
