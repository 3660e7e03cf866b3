// What one simulated history is made of. A seed chooses a random part of all that can happen, so
// that no fault hides behind another (swarm testing); what a seed chose can be cut down by hand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/plants.h"
#include "wright/error.h"

namespace wright::simulation {

// What may happen, and how often: a weight from 0 (never) to 100.
enum class Feature : std::uint8_t {
  // processes
  kill,
  stop,         // a process sleeps, perhaps past its lease, and goes on
  drain,        // it suspends its sessions and ends
  crash,        // the machine: all processes die, and the last writes may be lost
  slow_thread,  // a call waits for a free thread
  wall_jump,
  bury,  // dead processes are found out before their time is over
  // store
  slow_store,
  busy,             // refused, certainly not applied
  unknown_applied,  // an error although it was applied
  unknown_lost,     // an error, and it was not applied
  read_fails,
  server_applies,  // a batch that was sent counts even if its process dies
  interleave,      // others go on while a process loads a session
  // models
  model_fails,
  model_cut,
  repeated_ids,
  unknown_tool,
  broken_arguments,
  many_calls,
  // tools
  writes,
  puts,  // idempotent
  reads,
  serial,
  exclusive,
  tool_throws,
  tool_slow,
  tool_hangs,
  late_effect,
  // people
  questions,
  approvals,
  short_waits,    // that expire
  second_answer,  // to a wait that has one
  no_answer,
  cancel,
  send,   // another message to a session that has ended
  queue,  // sessions that wait for a process to claim them
  // agents
  delegation,
  handoff,
  call_limit,
  token_limit,
  time_limit,
  steer,  // a message to a session that works or waits
  count_,
};
inline constexpr std::size_t kFeatures = static_cast<std::size_t>(Feature::count_);
std::string_view to_string(Feature feature);

struct Options {
  std::uint64_t seed = 0;
  int sessions = 0;
  int processes = 0;
  std::int64_t length_ms = 0;  // of the time with faults
  std::int64_t lease_ms = 0;
  std::array<int, kFeatures> weights = {};
  std::vector<Feature> without = {};  // what was taken away from what the seed chose
  Plant plant = Plant::none;

  int weight(Feature feature) const { return weights[static_cast<std::size_t>(feature)]; }
  void remove(Feature feature);
};

// What the seed chose.
Options options_of(std::uint64_t seed, Plant plant = Plant::none);

// The arguments with which the program repeats exactly this.
std::string arguments_of(const Options& options);

Result<Feature> feature_from(std::string_view name);

}  // namespace wright::simulation
