// What drivers make of RunOptions.
#pragma once

#include <memory>

#include "runtime/debug_mode.h"
#include "wright/driver.h"

namespace wright::runtime {

// The observer and on_text, as one; empty when both are. Refers to nothing.
Observer observer_of(const RunOptions& options);

// The error of a run that is asked to stop before it began, where nothing is stored that could say
// so.
Result<void> check_not_stopped(const RunOptions& options);

// The agent as these options want it run. Without a store nobody can be waited for.
session::SessionPlan plan_of(std::shared_ptr<const Agent> agent, const RunOptions& options,
                             People people);

}  // namespace wright::runtime
