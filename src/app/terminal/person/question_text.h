// The words around a question: its heading, what `?` explains, and how an answer is shown again.
// Everything that a model wrote comes out harmless. Prints nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/terminal/terminal.h"
#include "wright/people.h"

namespace wright::app {

// What may happen when a person gives no answer.
enum class WithoutAnswer : std::uint8_t { takes_default, skips, asks_again };
WithoutAnswer without_answer(const Question& question, const AskUserRequest& request);

// "Question 2 of 3", the question, and its description. A very long one is cut; `?` shows all.
std::string heading(const AskUserRequest& request, std::size_t position, const Terminal& screen);

// Description, kind, rules, an example, the default, and how to leave.
std::string explanation(const AskUserRequest& request, const Question& question,
                        const Terminal& screen);

// The default as a person would type it, on one line; empty when there is none.
std::string shown_default(const Question& question);

// An answer on one line; never that to a password.
std::string shown_answer(const Question& question, const Json& answer);

// The options, each on one line.
std::vector<std::string> shown_options(const Question& question);

}  // namespace wright::app
