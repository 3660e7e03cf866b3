#include "app/commands/chat_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/commands/help.h"
#include "core/nearest.h"
#include "core/text.h"

namespace wright::app {
namespace {

using Name = SlashCommand::Name;

enum class Argument : std::uint8_t { none, optional, required };

struct CommandRow {
  Name name;
  std::string_view word;
  Argument argument;
  std::string_view argument_name;
  std::string_view description;
};

constexpr std::array kRows{
    CommandRow{Name::help, "help", Argument::none, "", "Show this list"},
    CommandRow{Name::tools, "tools", Argument::none, "", "The tools the agent may use"},
    CommandRow{Name::model, "model", Argument::optional, "NAME",
               "The model in use, or another one from now on"},
    CommandRow{Name::usage, "usage", Argument::none, "", "Turns, tokens and cost so far"},
    CommandRow{Name::context, "context", Argument::none, "",
               "How full the model's window is, and what requests leave out"},
    CommandRow{Name::compact, "compact", Argument::optional, "FOCUS",
               "Sum up what came before the last turn now, above all the focus"},
    CommandRow{
        Name::undo, "undo", Argument::optional, "files|words",
        "Take back the last message and what came of it, files included, after you have seen "
        "which; the old session stays"},
    CommandRow{Name::diff, "diff", Argument::none, "", "What the session changed in files"},
    CommandRow{Name::review, "review", Argument::optional, "FOCUS",
               "Have the agent review what was changed here"},
    CommandRow{Name::new_session, "new", Argument::none, "",
               "Begin a new session; the old one stays"},
    CommandRow{Name::clear, "clear", Argument::none, "", "Likewise, on an empty screen"},
    CommandRow{Name::sessions, "sessions", Argument::optional, "WORDS",
               "Choose among the last sessions of this folder, or of those with these words"},
    CommandRow{Name::cost, "cost", Argument::none, "", "The same as /usage"},
    CommandRow{Name::editor, "editor", Argument::optional, "TEXT",
               "Write the message in $VISUAL or $EDITOR"},
    CommandRow{Name::fork, "fork", Argument::none, "",
               "Go on in a copy of the session; the old one stays as it is"},
    CommandRow{Name::export_session, "export", Argument::optional, "FILE",
               "Write the session out: Markdown, or JSON to a file that ends in .json"},
    CommandRow{Name::continue_session, "continue", Argument::required, "ID",
               "Go on with another session"},
    CommandRow{Name::quit, "quit", Argument::none, "", "End the chat, as Ctrl-D does"},
};

constexpr std::string_view kBlanks = " \t\r\n";

std::string usage_of(const CommandRow& row) {
  switch (row.argument) {
    case Argument::none: return fmt::format("/{}", row.word);
    case Argument::optional: return fmt::format("/{} [{}]", row.word, row.argument_name);
    case Argument::required: return fmt::format("/{} {}", row.word, row.argument_name);
  }
  return {};
}

BadCommand unknown(std::string_view word) {
  std::vector<std::string> names;
  for (const CommandRow& row : kRows) names.push_back(fmt::format("/{}", row.word));
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string typed = fmt::format("/{}", word);
  std::string suggestion = did_you_mean(typed, candidates);
  if (suggestion.empty()) suggestion = "; /help lists the commands";
  return {fmt::format("unknown command '{}'{}", typed, suggestion)};
}

}  // namespace

ChatLine read_chat_line(std::string_view line) {
  if (line.starts_with('!') && !trimmed(line.substr(1)).empty()) {
    return ShellLine{std::string(trimmed(line.substr(1)))};
  }
  if (!line.starts_with('/')) return ChatMessage{std::string(trimmed(line))};
  const std::string_view rest = line.substr(1);
  const auto* end = std::ranges::find_if_not(rest, is_letter);
  const std::size_t length = static_cast<std::size_t>(end - rest.begin());
  const bool is_word =
      length > 0 && (length == rest.size() || kBlanks.find(rest[length]) != std::string_view::npos);
  if (!is_word) return ChatMessage{std::string(trimmed(line))};
  const std::string word = lower(rest.substr(0, length));
  const std::string_view argument = trimmed(rest.substr(length));
  const auto row = std::ranges::find(kRows, word == "exit" ? "quit" : word, &CommandRow::word);
  if (row == kRows.end()) return unknown(rest.substr(0, length));
  if (row->argument == Argument::none && !argument.empty()) {
    return BadCommand{fmt::format("/{} takes nothing after it", row->word)};
  }
  if (row->argument == Argument::required && argument.empty()) {
    return BadCommand{fmt::format("{} is missing: {}", row->argument_name, usage_of(*row))};
  }
  if (row->name == Name::undo && !argument.empty() && argument != kUndoFiles &&
      argument != kUndoWords) {
    return BadCommand{
        fmt::format("/undo takes {} or {}, or nothing, after it", kUndoFiles, kUndoWords)};
  }
  return SlashCommand{row->name, std::string(argument)};
}

std::optional<TypedCommand> typed_command(std::string_view line) {
  if (!line.starts_with('/')) return std::nullopt;
  const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
  return TypedCommand{lower(line.substr(1, end - 1)), std::string(trimmed(line.substr(end)))};
}

std::vector<std::string> commands_beginning_with(std::string_view typed) {
  std::vector<std::string> found;
  if (!typed.starts_with('/')) return found;
  for (const CommandRow& row : kRows) {
    if (row.word.starts_with(lower(typed.substr(1)))) found.push_back(fmt::format("/{}", row.word));
  }
  return found;
}

std::string chat_help() {
  std::vector<HelpRow> rows;
  for (const CommandRow& row : kRows) {
    rows.push_back({"Commands", usage_of(row), std::string(row.description)});
  }
  return help_table(rows) +
         "\n"
         "Everything else goes to the agent. A backslash at the end of a line goes on in the\n"
         "next one; what is pasted may have several. Ctrl-C stops the answer, Ctrl-D ends the\n"
         "chat. A message that begins with a slash needs a space before it. @path puts a file\n"
         "into the message, and Tab completes it; a line that begins with ! is a command for\n"
         "your shell, and the agent is told what it printed with your next message.\n";
}

}  // namespace wright::app
