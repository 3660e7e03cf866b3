#include "session/agent_of_now.h"

#include <utility>

namespace wright::session {

std::shared_ptr<const Agent> agent_of_now(const std::shared_ptr<const Agent>& agent,
                                          const std::shared_ptr<const Agent>& made) {
  if (!agent->tools_now) return agent;
  auto tools = agent->tools_now(agent->tools);
  if (!tools) return agent;
  struct Changed {
    std::shared_ptr<const Agent> made;
    Agent agent;
  };
  const auto changed = std::make_shared<Changed>(made, *agent);
  changed->agent.tools = std::move(*tools);
  if (!check(changed->agent)) return agent;  // the old ones are better than none
  return {changed, &changed->agent};
}

}  // namespace wright::session
