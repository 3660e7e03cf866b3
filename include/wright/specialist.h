// Agents as tools of other agents. A specialist answers a call in a run of its own: a child session
// with its own model, history and tools. A handoff moves the conversation itself to another agent.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "wright/agent.h"

namespace wright {

struct Specialist {
  enum class Kind : std::uint8_t { delegate, handoff };
  Kind kind = Kind::delegate;
  std::string name = {};
  // Makes the agent when it is called, so that agents may name each other.
  std::function<Result<std::shared_ptr<const Agent>>()> make = {};
};

// A tool with the agent's name (as tools may be named), described by the first paragraph of its
// instructions where it has no description. Its argument is `message`, or `parameters` when given:
// the specialist then reads the arguments as JSON.
Tool delegate_to(Agent agent);
Result<Tool> delegate_to(Specialist specialist, std::string description, Json parameters = {});

// A tool `transfer_to_<agent>`: the agent goes on with this conversation in place of the caller.
Tool hand_off_to(Agent agent);
Tool hand_off_to(Specialist specialist, std::string description);

}  // namespace wright
