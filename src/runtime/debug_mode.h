// Debug mode around a driver: the agent is observed while it runs, and what there is to say is
// stored and told at the end. A driver needs to know nothing of it.
#pragma once

#include <functional>

#include "wright/driver.h"

namespace wright {

// Drives the agent that it is given, with the options that it is given.
using Drive = std::function<Result<Answer>(const Agent&, const RunOptions&)>;

// `run` is what `drive` advances; it is read when `drive` has returned. What goes wrong with the
// feedback is noted in it, and never changes what `drive` returned otherwise.
Result<Answer> with_feedback(const Agent& agent, const RunOptions& options, const Run& run,
                             const Drive& drive);

}  // namespace wright
