// From what a run waits for to a stored answer: asks the person at the terminal, or says how to
// answer from elsewhere.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "app/terminal/command_context.h"
#include "wright/driver.h"

namespace wright::app {

enum class PersonAnswered : std::uint8_t { yes, no };

// Asks about one wait after the other and stores each answer. `no` when the person gave up; what
// was answered before that stays answered.
Result<PersonAnswered> answer_at_terminal(std::span<const PersonWait> waits, Store& store,
                                          CommandContext context, std::stop_token stop);

// Whether somebody can be asked right now who sees what we print for people.
bool has_person_at_terminal(const Console& console);

// Asks about a call that no run waits for. Nothing when the person gave up.
Result<std::optional<WaitAnswers>> ask_at_terminal(const ToolCall& call, const Waiting& waiting,
                                                   CommandContext context, std::stop_token stop);

// What is waited for, for a person who reads it: questions with their ids, or a call with its
// arguments.
std::string wait_in_words(WaitKind kind, const Json& shown, const Terminal& screen);

// The command that answers these, with places for the answers.
std::string how_to_answer(SessionId root, std::span<const PersonWait> waits);

// Says what is waited for, and how it is answered from elsewhere.
// In a few words, for who looks elsewhere: "Wright waits: bash".
std::string words_about_waits(std::span<const PersonWait> waits);

void tell_waits(SessionId root, std::span<const PersonWait> waits, Console& console);

// Who is at this terminal.
std::string person_name(const Environment& environment);

}  // namespace wright::app
