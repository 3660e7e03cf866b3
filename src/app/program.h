// The program as a function.
#pragma once

#include <span>
#include <string>

#include "app/settings/environment.h"
#include "app/terminal/exit_code.h"

namespace wright::app {

// Parses the arguments, runs the command, and gives the exit code of the process.
ExitCode run_program(std::span<const std::string> arguments, const Environment& environment);

}  // namespace wright::app
