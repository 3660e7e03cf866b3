// Asks for one text, with the keys of a capable terminal or as a line of any other input.
#pragma once

#include <expected>
#include <string>

#include "app/terminal/person/line_editor.h"
#include "app/terminal/person/terminal_dialogue.h"

namespace wright::app {

struct TextPrompt {
  std::string before = "> ";  // harmless, on the line of the text
  std::string below = {};     // harmless, a hint under it; where lines are read, in front of it
  Echo echo = Echo::on;
};

// Until Enter. `line` holds what is there to be changed already, and keeps what was typed.
std::expected<std::string, GaveUp> ask_for_text(TerminalDialogue& dialogue,
                                                const TextPrompt& prompt, LineEditor& line);

}  // namespace wright::app
