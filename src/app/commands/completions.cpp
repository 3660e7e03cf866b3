// `wright completions`: what a shell needs to complete commands.
#include <fmt/format.h>

#include "app/commands/commands.h"
#include "app/commands/completion_texts.h"
#include "app/terminal/screen_text.h"

namespace wright::app {

ExitCode execute(const CompletionsCommand& command, CommandContext context) {
  std::string_view text;
  if (command.shell == "bash") text = kBashCompletions;
  if (command.shell == "zsh") text = kZshCompletions;
  if (command.shell == "fish") text = kFishCompletions;
  if (text.empty()) {
    context.console.complain(
        fmt::format("there are no completions for '{}'", on_one_line(command.shell)),
        "There are some for bash, zsh and fish.");
    return ExitCode::usage;
  }
  context.console.print(text);
  return ExitCode::ok;
}

}  // namespace wright::app
