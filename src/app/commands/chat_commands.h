// What a line that was typed into a chat means: a message, or a command that begins with a slash.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wright/message.h"

namespace wright::app {

struct ChatMessage {
  std::string text;
  // What of it the person typed, where the rest is from a file or a server.
  std::optional<std::string> typed = {};
  std::vector<Image> images = {};
  bool operator==(const ChatMessage&) const = default;
};

struct SlashCommand {
  enum class Name : std::uint8_t {
    help,
    tools,
    model,
    usage,
    context,
    compact,
    undo,
    diff,
    review,
    new_session,
    clear,
    sessions,
    cost,
    editor,
    fork,
    export_session,
    continue_session,
    quit,
  };
  Name name;
  std::string argument;  // what follows, without the spaces around it; may be empty
  bool operator==(const SlashCommand&) const = default;
};

// What /undo takes: files as well without asking, or the words alone.
inline constexpr std::string_view kUndoFiles = "files";
inline constexpr std::string_view kUndoWords = "words";

// A line for the person's own shell: behind a ! at the very beginning.
struct ShellLine {
  std::string line;
  bool operator==(const ShellLine&) const = default;
};

// Looks like a command and is none, or cannot have this argument.
struct BadCommand {
  std::string complaint;
  bool operator==(const BadCommand&) const = default;
};

using ChatLine = std::variant<ChatMessage, SlashCommand, ShellLine, BadCommand>;

// A command is a slash and a word of letters at the very beginning: "/etc/hosts" is a message, and
// so is " /help".
ChatLine read_chat_line(std::string_view line);

// The word behind the slash of a line that is a command, in lower case, and what follows it.
struct TypedCommand {
  std::string word;
  std::string argument;
};
std::optional<TypedCommand> typed_command(std::string_view line);

// The commands that begin with `typed`, slash included; empty when it is no beginning of one.
std::vector<std::string> commands_beginning_with(std::string_view typed);

// What /help shows.
std::string chat_help();

}  // namespace wright::app
