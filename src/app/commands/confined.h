// A command of an agent that runs in a terminal of somebody else's, such as an editor's. What is
// started there is this program, which confines the command as the tool bash does: the policy
// stands in a variable, the command in the arguments.
//
//   WRIGHT_CONFINED='{"mode":"required",…}' wright confined /bin/bash -c "make test"
//
// It is for programs alone: without the variable it runs nothing.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "app/settings/environment.h"
#include "wright/sandbox.h"

namespace wright::app {

inline constexpr std::string_view kConfinedWord = "confined";
inline constexpr std::string_view kConfinedVariable = "WRIGHT_CONFINED";

// What the variable says. Refused where a path or a value cannot be written as JSON.
Result<std::string> confinement_text(const SandboxPolicy& policy, const Command& command,
                                     std::chrono::milliseconds timeout);

struct Confinement {
  SandboxPolicy policy = {};
  std::filesystem::path working_directory = {};
  Variables environment = {};  // of the command, added to the policy's
  std::chrono::milliseconds timeout{0};
};
// Refused where anything is missing: nothing is confined by guesses.
Result<Confinement> confinement_from(std::string_view text);

// Behind the word: prints what the command prints, and gives its exit code; 126 where it could not
// be confined, and nothing ran.
int run_confined(std::span<const std::string> arguments, const Environment& environment);

}  // namespace wright::app
