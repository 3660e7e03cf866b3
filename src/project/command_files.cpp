#include "project/command_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text.h"
#include "project/front_matter.h"
#include "project/text_file.h"
#include "tools/workspace/workspace.h"
#include "wright/json.h"

namespace wright::project {
namespace {

constexpr std::size_t kLargestCommand = std::size_t{64} * 1024;
constexpr std::size_t kMostCommands = 200;

bool is_command_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_';
  });
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

}  // namespace

FoundCommands find_commands(const std::vector<std::filesystem::path>& folders) {
  FoundCommands found;
  std::map<std::string, CommandFile> by_name;
  for (const auto& folder : folders) {
    std::error_code error;
    std::size_t seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() != ".md" || ++seen > kMostCommands) continue;
      const std::string shown = tools::shown_path(entry.path().string());
      const std::string name = entry.path().stem().string();
      auto text = read_text(entry.path(), kLargestCommand, folder);
      if (!text || !is_command_name(name)) {
        found.problems.push_back(
            !text ? text.error().message + "; it is no command"
                  : fmt::format("{} is no command: its name may have letters, digits, - and _",
                                shown));
        continue;
      }
      const auto front = parse_front_matter(*text);
      if (!front || is_blank(front->body)) {
        found.problems.push_back(fmt::format("{} is no command: {}", shown,
                                             front ? "it says nothing" : front.error().message));
        continue;
      }
      CommandFile command{.name = lower(name),
                          .description = front->value("description"),
                          .hint = front->value("argument-hint"),
                          .body = std::string(trimmed(front->body)),
                          .path = entry.path()};
      if (command.description.empty()) {
        const std::string_view first =
            std::string_view(command.body).substr(0, command.body.find('\n'));
        command.description = utf8_prefix(trimmed(first, " \t#"), 100);
      }
      if (const auto known = by_name.find(command.name); known != by_name.end()) {
        found.unused.push_back(fmt::format("{} is not used: {} has the same name",
                                           tools::shown_path(known->second.path.string()), shown));
      }
      by_name.insert_or_assign(command.name, command);
    }
  }
  for (auto& [name, command] : by_name) found.commands.push_back(std::move(command));
  return found;
}

std::string expanded(const CommandFile& command, std::string_view arguments) {
  constexpr std::string_view kAll = "$ARGUMENTS";
  const auto words = words_of(arguments);
  std::string text;
  bool is_used = false;
  std::string_view rest = command.body;
  while (!rest.empty()) {
    if (rest.starts_with(kAll)) {
      text += trimmed(arguments);
      rest.remove_prefix(kAll.size());
      is_used = true;
    } else if (rest.size() >= 2 && rest[0] == '$' && rest[1] >= '1' && rest[1] <= '9' &&
               (rest.size() == 2 || !is_digit(rest[2]))) {
      const auto number = static_cast<std::size_t>(rest[1] - '1');
      if (number < words.size()) text += words[number];
      rest.remove_prefix(2);
      is_used = true;
    } else {
      text += rest.front();
      rest.remove_prefix(1);
    }
  }
  if (!is_used && !is_blank(arguments)) text += fmt::format("\n\n{}", trimmed(arguments));
  return text;
}

}  // namespace wright::project
