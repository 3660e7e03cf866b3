// The offline model: a deterministic planner behind the seam of every model. It is a library of its
// own, for programs that want it: link wright::offline beside wright::wright.
#pragma once

#include "wright/model.h"

namespace wright {

// Provider "offline", name "planner". It is not a language model: it recognises common questions
// about a tree of files (and simple requests to other tools), plans tool calls, and answers from
// their results. A pure function of each request: no key, no network, no state, no clock.
// It reaches a final answer within six calls for one user message.
Model offline_model();

}  // namespace wright
