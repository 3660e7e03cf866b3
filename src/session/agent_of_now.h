// An agent whose tools come and go (Agent::tools_now), as it is now.
#pragma once

#include <memory>

#include "wright/agent.h"

namespace wright::session {

// The same one where its tools are as they were, or where those of now could not be used. Another
// one keeps `made`, the agent as it was made, which may own what the tools use.
std::shared_ptr<const Agent> agent_of_now(const std::shared_ptr<const Agent>& agent,
                                          const std::shared_ptr<const Agent>& made);

}  // namespace wright::session
