// Slash commands of a person or a project: Markdown files whose text becomes a message. They run
// nothing by themselves.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace wright::project {

struct CommandFile {
  std::string name = {};         // of the file, without .md
  std::string description = {};  // of its head, or its first line
  std::string hint = {};         // what may follow it, from argument-hint
  std::string body = {};
  std::filesystem::path path = {};
};

struct FoundCommands {
  std::vector<CommandFile> commands = {};  // by name; each name once
  std::vector<std::string> problems = {};
  std::vector<std::string> unused = {};  // a sentence each: another has the same name
};

// Later folders win over earlier ones.
FoundCommands find_commands(const std::vector<std::filesystem::path>& folders);

// The message: $ARGUMENTS stands for all that was typed behind the name, $1 to $9 for its words.
// Where the text has none of them, what was typed follows it.
std::string expanded(const CommandFile& command, std::string_view arguments);

}  // namespace wright::project
