// Where the messages of a chat come from: lines of a pipe, of a plain terminal, or of an editor.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/terminal/person/terminal_dialogue.h"

namespace wright::app {

// Why there is no line.
enum class NoLine : std::uint8_t {
  interrupted,  // Ctrl-C: what was typed is void, and the chat goes on
  ended,        // Ctrl-D, or the end of the pipe
  stopped,      // the program was told to end
};

// Reads one line, without its end. The prompt is shown where somebody sees it.
using ReadLine = std::function<std::expected<std::string, NoLine>(std::string_view prompt)>;

// The lines of what is no terminal. A line that is too long for a message comes in parts. Ends with
// `stop`.
ReadLine lines_of_pipe(int descriptor, std::function<std::stop_token()> stop);

// Lines with the terminal's own editing, for one that cannot move its cursor. Ctrl-C ends them, as
// Ctrl-D does.
ReadLine lines_of_plain_terminal(PersonTerminal where, std::function<std::stop_token()> stop);

// One message: a line, and as many more as end with a backslash before them. Valid UTF-8.
std::expected<std::string, NoLine> read_message(const ReadLine& read_line);

}  // namespace wright::app
