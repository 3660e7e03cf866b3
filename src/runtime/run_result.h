// What the caller of a driver is told of how a session ended.
#pragma once

#include "session/ending.h"
#include "wright/driver.h"

namespace wright::runtime {

Result<RunResult> answer_of(session::Ending ending);

}  // namespace wright::runtime
