// Text for the screen: made harmless, measured in columns, and shortened. Never prints. What is
// safe to show is decided here and nowhere else; the console lets nothing by that is not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wright::app {

// Text that cannot drive a terminal or deceive who reads it: control characters other than line
// feed and tab become visible symbols; direction overrides, characters that nobody sees and invalid
// UTF-8 become U+FFFD; carriage returns before a line feed vanish. All other Unicode is kept, and
// so are joiners and selectors where they shape the character before them.
std::string sanitised(std::string_view text);

// A screen that was made here, with colours and redrawn lines in it: keeps those, and treats the
// rest like sanitised(). Who makes a screen still sanitises what others wrote: this is the second
// look.
std::string guarded_screen(std::string_view screen);

// JSON text that says the same without any such character: they become \u escapes.
std::string escaped_json(std::string_view json);

// The same on one line: line feeds and tabs become a space, runs of spaces one.
std::string on_one_line(std::string_view text);
// A name that somebody else has given, such as a tool's by a model: on one line, and not too long.
std::string shown_name(std::string_view name);

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
