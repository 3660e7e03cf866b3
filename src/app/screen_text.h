// Text for the screen: made harmless, measured in columns, and shortened. Never prints.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wright::app {

// Text that cannot drive a terminal: control characters other than line feed and tab become
// visible symbols, direction overrides and invalid UTF-8 become U+FFFD, carriage returns before a
// line feed vanish. All other Unicode is kept.
std::string sanitised(std::string_view text);

// The same on one line: line feeds and tabs become a space, runs of spaces one.
std::string on_one_line(std::string_view text);

// Columns that sanitised text takes on a terminal: two for wide characters, none for combining
// ones. Pictures that are joined into one (a family) are as wide as one.
std::size_t columns_of(std::string_view text);

// The same for text with colours of a terminal, which take none.
std::size_t columns_of_coloured(std::string_view text);

// At most `columns` wide; what was cut is marked by `…`. Never cuts inside a character.
std::string shortened(std::string_view text, std::size_t columns);

// Followed by spaces up to `columns`.
std::string padded(std::string_view text, std::size_t columns);

// Lines of at most `columns`, broken between words where there are any. Existing line feeds stay.
std::string wrapped(std::string_view text, std::size_t columns);

// Lines of at most `columns`, for tables and lists: what does not fit goes on below the last column
// of its line, or behind the indent. Colours take no room.
std::string fitted_lines(std::string_view text, std::size_t columns);

// Every line behind `margin` spaces. Ends without a line feed.
std::string indented(std::string_view text, std::size_t margin);

}  // namespace wright::app
