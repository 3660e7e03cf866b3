// Asks a person at a terminal whether a call may run, and shows what it would touch.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "app/person/terminal_dialogue.h"
#include "wright/json.h"

namespace wright::app {

struct ApprovalAnswer {
  enum class Decision : std::uint8_t {
    once,     // this call
    session,  // this call, and further ones like it in the same session
    deny,
  };
  Decision decision = Decision::deny;
  std::string reason = {};  // of a refusal, for the model; may be empty
  bool operator==(const ApprovalAnswer&) const = default;
};

// `shown` is what a wait shows: {"kind": "approval", "question", "tool", "arguments"} and perhaps
// "reason", "diff" (unified), "commands" ([{"command", "permission", "reason"}]) and "problem".
// What was typed before it stood on the screen answers nothing.
std::expected<ApprovalAnswer, GaveUp> ask_approval(const Json& shown, const PersonTerminal& where);

}  // namespace wright::app
