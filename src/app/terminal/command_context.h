// What a command may use beside its arguments.
#pragma once

#include "app/settings/environment.h"
#include "app/terminal/console.h"

namespace wright::telemetry {
class Telemetry;
}

namespace wright::app {

struct CommandContext {
  Console& console;
  const Environment& environment;
  telemetry::Telemetry* telemetry = nullptr;  // null: traces are off
};

}  // namespace wright::app
