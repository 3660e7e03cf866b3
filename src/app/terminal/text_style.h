// What switches a terminal to a style of text. For text that is shown on a terminal with colours
// only; elsewhere painted() knows whether there are any.
#pragma once

#include <string_view>

namespace wright::app::style {

inline constexpr std::string_view kPlain = "\x1b[0m";
inline constexpr std::string_view kBold = "\x1b[1m";
inline constexpr std::string_view kDim = "\x1b[2m";
inline constexpr std::string_view kItalic = "\x1b[3m";
inline constexpr std::string_view kRed = "\x1b[31m";
inline constexpr std::string_view kGreen = "\x1b[32m";
inline constexpr std::string_view kCyan = "\x1b[36m";

}  // namespace wright::app::style
