// What a file descriptor leads to, and colours where they are welcome.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/settings/environment.h"

namespace wright::app {

struct Terminal {
  bool is_terminal = false;
  bool has_colour = false;   // a terminal, no NO_COLOR, not TERM=dumb
  bool has_cursor = false;   // a terminal that can rewrite its last line
  std::size_t columns = 80;  // of a terminal; elsewhere nobody has to fit into a line
  int descriptor = -1;       // of a terminal whose size may change
  bool gives_keys = false;   // a terminal, not TERM=dumb: keys can be read one by one
  bool is_plain = false;     // a terminal that is read aloud, or TERM=dumb: words, no marks
};

// The same terminal for who listens to it: it has neither a cursor to move nor colours.
Terminal plain(Terminal terminal);

// One of the marks that lines begin with, such as ✓; on a plain terminal a word that says the same.
std::string_view mark(std::string_view symbol, const Terminal& terminal);

Terminal inspect_terminal(int descriptor, const Environment& environment);

// How wide it is at this moment.
std::size_t columns_now(const Terminal& terminal);

enum class Colour : std::uint8_t { none, bold, dim, red, green, yellow, cyan };

// Prose that fits the terminal; elsewhere it stays on its line. `margin` columns are taken already.
std::string fitted_prose(std::string_view text, std::size_t margin, const Terminal& terminal);

// `text` in that colour, where the terminal has any.
std::string painted(std::string_view text, Colour colour, const Terminal& terminal);

}  // namespace wright::app
