// A call that was begun and of which nobody can say whether it took effect: no failure, which would
// say that it did not. The tool that finds itself there returns this error; records, events and
// metrics tell it apart.
#pragma once

#include <string>

#include "wright/error.h"
#include "wright/tool.h"

namespace wright {

Error unknown_outcome(ErrorCode code, std::string message);

bool is_unknown(const ToolOutcome& outcome);

}  // namespace wright
