// What stands below the prompt of a chat, and a list of sessions to choose from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/chat_conversation.h"
#include "app/terminal/person/terminal_dialogue.h"

namespace wright::app {

// Model, window, tokens, cost and what is left of it, folder and branch. Harmless text.
std::string chat_status(const Conversation& conversation, Store& store,
                        const Environment& environment);

// " · $0.02 of $5.00": what was spent, and how much may be; empty where nothing was and all may be.
std::string cost_status(double cost_usd, const std::optional<double>& most_usd);

// Tool calls, tokens and cost so far.
ExitCode show_usage(SessionId id, Store& store, Console& console);  // 0: nothing was said yet

// Writes the session out, as Markdown or JSON: to a new file, or where none is named to the screen.
ExitCode export_session(SessionId id, Store& store, const std::string& file,
                        CommandContext context);

// How well what was typed fits: all of its letters in their order, the nearer together the better.
// Nothing where they are not in the text.
std::optional<int> fuzzy_score(std::string_view typed, std::string_view text);

// The person types a part of what they remember, and moves with the arrows. Nothing when they would
// rather not.
std::optional<SessionId> pick_session(const std::vector<Session>& sessions,
                                      const PersonTerminal& where);

}  // namespace wright::app
