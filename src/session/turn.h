// Which of the open calls of a turn may be started now. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/run.h"

namespace wright::session {

// Those that may run beside the ones that run already, in the model's order: at most `most` at
// once; a call of a serial tool runs alone, after all calls before it and before all calls after
// it. Calls that wait hold nobody up.
struct CallsUnderWay {
  std::function<bool(const std::string& call_id)> contain;
  std::size_t count = 0;
};
std::vector<const OpenCall*> startable(const Agent& agent, const Run& run,
                                       const CallsUnderWay& running, std::size_t most);

// Whether a call of this name may change something. One whose tool is not known may.
bool may_act(const Agent& agent, std::string_view name);

}  // namespace wright::session
