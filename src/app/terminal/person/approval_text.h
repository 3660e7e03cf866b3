// What a person reads before they decide about a call: the tool, its arguments, the commands of a
// line, the change of files. Everything comes out harmless. Prints nothing.
#pragma once

#include <cstdint>
#include <string>

#include "app/terminal/terminal.h"
#include "wright/json.h"

namespace wright::app {

enum class Detail : std::uint8_t {
  fitting,  // long parts are cut, and say so
  all,
};

struct ApprovalText {
  std::string text;
  bool is_cut = false;
};

// Takes any JSON; what has not the shape of an approval is shown as it is.
ApprovalText approval_text(const Json& shown, Detail detail, const Terminal& screen);

}  // namespace wright::app
