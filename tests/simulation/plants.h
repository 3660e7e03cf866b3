// Bugs that can be switched on, to see that the simulator finds them. They live in the simulated
// store, host and process; the code under test is never changed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wright/error.h"

namespace wright::simulation {

enum class Plant : std::uint8_t {
  none,
  unfenced_writes,       // HoldLease is not looked at
  forgotten_epoch,       // it is looked at, but not its epoch
  unfenced_calls,        // a process is always sure of its lease
  certain_after_sleep,   // a renewed process is sure of calls that it wrote down before it slept
  late_certainty,        // the lease is counted from the answer, not from the question
  acts_before_writing,   // a batch is taken for written before it is safe
  lost_commit,           // a batch is said to be applied, and is not
  half_commit,           // only a part of a batch is applied
  repeated_commit,       // a batch whose outcome is not known is written again
  dropped_cancel,        // nobody tells a session that it is cancelled
  forgotten_answer,      // an answer that comes while a session waits wakes nobody
  second_answer_counts,  // a wait is answered twice
  repeated_writes,       // a call of a `write` tool that was under way is run again
  forgotten_spending,    // what was used is forgotten when a session is loaded
  forgotten_calls,       // so are the calls of specialists
  orphans,               // a specialist starts although the session above is not held
  hasty_burial,          // a living process is taken for dead
  lost_timer,            // a timer does not fire
  kept_lease,            // sessions that nobody drives stay held
  claimed_twice,         // a claimed session is handed out again
  revived_end,           // an ended session is driven again
  said_twice,            // what was said stays in the list when it is taken
  said_lost,             // what was said is not kept
};

struct PlantedBug {
  Plant plant;
  std::string_view name;
  std::string_view what;
};
std::span<const PlantedBug> planted_bugs();
std::string_view to_string(Plant plant);
Result<Plant> plant_from(std::string_view name);

}  // namespace wright::simulation
