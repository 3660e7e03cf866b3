// What it means to set a variable: whether later commands become others by it, or a command that it
// is set for does. Knows no rules, reads no environment.
#pragma once

#include <string_view>

#include "sandbox/shell_syntax.h"

namespace wright::sandbox {

// For the command in front of which it stands: starts no program, names no place where one is
// looked for, and changes nothing about how text is read.
bool is_harmless_for_a_command(const ShellAssignment& assignment);

// For the shell itself: later commands may be looked up or read otherwise, or bash evaluates the
// value as an expression, which may hold a command.
bool changes_later_commands(const ShellAssignment& assignment);

// The same where the value is whatever a builtin puts into it.
bool may_change_later_commands(std::string_view name);

// Whether text in the character set of this locale is read by every program as it is here. In other
// sets, a byte of a character may be taken for a backslash or a quote.
bool is_plain_locale(std::string_view locale);

}  // namespace wright::sandbox
