// Programs that a person starts from a chat: a line for their shell, and their editor. They run as
// if they had been started in the terminal: the person's own, without rules and sandbox.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/terminal/command_context.h"
#include "wright/error.h"
#include "wright/log.h"

namespace wright::app {

// Prints what the line prints, as it comes. The result is what an agent is told of it: of that, and
// of nothing that the person sees, `redactor` hides the secrets.
Result<std::string> run_shell_line(std::string_view line, const std::filesystem::path& folder,
                                   CommandContext context, const Redactor& redactor,
                                   const std::stop_token& stop);

// What a person wrote in $VISUAL or $EDITOR, beginning with `text`. The file is gone afterwards.
Result<std::string> text_from_editor(std::string_view text, CommandContext context);

}  // namespace wright::app
