// The help that teaches: the overview, and per command its usage, its point and examples. The
// lists of options come from command_line.cpp, which knows them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/terminal/terminal.h"

namespace wright::app {

struct CommandHelp {
  std::string_view path;     // "sessions show"
  std::string_view usage;    // what follows "wright "
  std::string_view summary;  // one line
  std::string_view more;     // examples, and what else there is to know
};

// `path` must be that of a command.
const CommandHelp& help_for(std::string_view path);

struct HelpRow {
  std::string group;
  std::string name;
  std::string description;
};

// Rows under the names of their groups, in two columns.
std::string help_table(std::span<const HelpRow> rows);

std::string short_help();
std::string overview_help();
std::string command_help(const CommandHelp& help, std::string_view options);

// Headings in bold, where the terminal can.
std::string decorated_help(std::string_view text, const Terminal& terminal);

}  // namespace wright::app
