// Puts the questions of ask_user to a person at a terminal, one at a time.
#pragma once

#include <expected>
#include <vector>

#include "app/terminal/person/terminal_dialogue.h"
#include "wright/people.h"

namespace wright::app {

// Answers that accept_answers() takes, defaults included; questions that were left unanswered are
// missing. An answer that breaks a rule is asked for again, with the reason. `request` must be one
// that check() accepts.
//
// With a capable terminal, choices are made with the arrow keys; with a dumb one, or with input
// from a pipe, everything is typed as lines. Passwords are never shown, and are in the answers as
// they were typed: give them to accept_answers(), which keeps them apart.
std::expected<std::vector<QuestionAnswer>, GaveUp> ask_person(const AskUserRequest& request,
                                                              const PersonTerminal& where);

}  // namespace wright::app
