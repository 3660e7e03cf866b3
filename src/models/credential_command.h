// Runs a command that prints a credential, without blocking the event loop. Bounded: in time, and
// in what it may print. Its output is never logged.
#pragma once

#include <chrono>
#include <functional>

#include "models/credential_recipe.h"
#include "net/event_loop.h"

namespace wright::models {

inline constexpr std::chrono::milliseconds kLongestCommand{30'000};

// In the loop's thread. The command gets this process's environment, no input, and a process group
// of its own, which is killed when it takes too long or when the loop ends. `done` gets the exit
// code and what was printed; an error where it could not run, was killed, or printed too much. It
// is called once, later, unless the loop ends before.
void run_credential_command(net::EventLoop& loop, const CommandLine& command,
                            std::chrono::milliseconds longest,
                            std::function<void(Result<StepAnswer>)> done);

}  // namespace wright::models
