// What it means to set a variable: whether it changes what later commands do, or the command that
// it is set for. Knows no rules, reads no environment.
#pragma once

#include <string_view>

#include "sandbox/shell_syntax.h"

namespace wright::sandbox {

// For the command it precedes: starts no program, names no place to search for one, and does not
// change how text is read.
bool is_harmless_for_a_command(const ShellAssignment& assignment);

// For the shell itself: later commands may be looked up or parsed differently, or bash evaluates
// the value as an expression, which may contain a command.
bool changes_later_commands(const ShellAssignment& assignment);

// The same where the value is whatever a builtin puts into it.
bool may_change_later_commands(std::string_view name);

// Whether text in the character set of this locale is read by every program as it is here. In other
// sets, a byte of a character may be taken for a backslash or a quote.
bool is_plain_locale(std::string_view locale);

}  // namespace wright::sandbox
