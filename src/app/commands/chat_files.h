// What a chat does with files: shows what the session changed, and takes back what the last turn
// changed. Asks before it does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/commands/chat_conversation.h"
#include "app/terminal/chat_input.h"

namespace wright::app {

enum class UndoChoice : std::uint8_t {
  ask,    // a person who is there; where nobody is, it is refused
  files,  // as well
  words,  // alone
};

// Before the words of the last turn are taken back: its files, as was chosen. The code is not ok
// when nothing at all shall be taken back.
ExitCode undo_files(const Conversation& conversation, Store& store, UndoChoice choice,
                    const ReadLine& ask, CommandContext context);

// Everything that the session changed, as a diff.
ExitCode show_changes(const Conversation& conversation, Store& store, CommandContext context);

// What /help shows: our commands, and those of the person and the project.
ExitCode show_chat_help(const Settings& settings, Console& console);

// The whole lines that what was typed may become: commands, and files behind @.
std::vector<std::string> completions_of(std::string_view typed, Conversation& conversation);

// What an agent is asked when its work, or that of others, is to be reviewed.
std::string review_prompt(std::string_view focus);
// A message as its sender typed it: `/review` and not what stands for it.
std::string as_typed(std::string_view message);

}  // namespace wright::app
