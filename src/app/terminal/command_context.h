// What a command may use beside its arguments.
#pragma once

#include "app/settings/environment.h"
#include "app/terminal/console.h"

namespace wright::telemetry {
class Telemetry;
}

namespace wright::app {

class SharedPaces;

struct CommandContext {
  Console& console;
  const Environment& environment;
  telemetry::Telemetry* telemetry = nullptr;  // null: traces are off
  SharedPaces* paces = nullptr;  // of models, that all processes of a store keep to; may be absent
};

}  // namespace wright::app
