// Asks a person at a terminal whether a call may run, and shows what it would touch.
#pragma once

#include <expected>

#include "app/terminal/person/terminal_dialogue.h"
#include "wright/people.h"

namespace wright::app {

// `shown` is what a wait shows: {"question", "tool", "arguments"} and perhaps
// "reason", "diff" (unified), "commands" ([{"command", "permission", "reason"}]) and "problem".
// What was typed before it stood on the screen answers nothing.
std::expected<Approval, GaveUp> ask_approval(const Json& shown, const PersonTerminal& where);

}  // namespace wright::app
