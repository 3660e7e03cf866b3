// An agent made over for a replay: its model answers from a tape, and its calls are answered from
// the tape or executed. The agents it delegates to and hands off to are replaced in the same way.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/session_tape.h"
#include "wright/agent.h"

namespace wright::runtime {

// What all sessions of one replay share. Used by one thread at a time.
struct ReplayState {
  ToolSource tools = ToolSource::record;
  AfterDifference after_difference = AfterDifference::stop;
  ReplayComparison comparison;
  std::string key_prefix = {};            // of the keys that idempotent tools receive
  std::function<void(Message)> say = {};  // what the user said while the session worked
  std::function<void()> end = {};         // ends the whole replay as soon as possible
  int turns = 0;
  int recorded_calls = 0;
  int live_calls = 0;
  std::set<std::string> missing_tools = {};  // that answered then
  bool has_reached_end_of_record = false;
  std::vector<Difference> asked_again = {};  // sessions that had ended where the model is asked now
};

// `state` and what the tape refers to outlive the agent.
Agent replayed_agent(const Agent& agent, ReplayState& state, std::shared_ptr<SessionTape> tape);

}  // namespace wright::runtime
