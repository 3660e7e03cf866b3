// The agents above a session, and with them which specialists it may still call.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "wright/agent.h"

namespace wright::session {

class Lineage {
 public:
  std::size_t depth() const { return above_.size(); }  // 0: nobody is above

  // Of a specialist that this agent calls.
  Lineage for_child(const std::string& agent, const Limits& limits) const;
  // Refuses a specialist that is at work above already, or too deep down.
  Result<void> admit(const std::string& specialist, const std::string& agent,
                     const Limits& limits) const;

 private:
  int depth_left(const Limits& limits) const;

  std::vector<std::string> above_;  // from the root on
  std::optional<int> allowed_;      // how deep those above let specialists call specialists
};

}  // namespace wright::session
