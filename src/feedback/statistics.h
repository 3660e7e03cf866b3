// Figures over many sessions: how often, how long, how often in vain, and what it cost; by tool,
// by agent and by model. Pure; the samples are handed in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wright/store.h"

namespace wright::feedback {

// Of things that took time and may have failed. Percentiles are by nearest rank.
struct Timing {
  std::int64_t count = 0;
  std::int64_t failed = 0;
  std::int64_t unknown = 0;  // of calls: begun, and nobody knows what came of them
  std::int64_t timed = 0;  // how many of them have a known duration
  double mean_ms = 0;
  double p50_ms = 0;
  double p95_ms = 0;
  double p99_ms = 0;

  double failure_rate() const {
    return count == 0 ? 0 : static_cast<double>(failed) / static_cast<double>(count);
  }
};

struct Figures {
  std::string name = {};
  Timing runs = {};   // sessions; for a tool, those that used it are not counted here
  Timing calls = {};  // of tools
  Usage usage = {};   // of the sessions; nothing for a tool
};

struct Statistics {
  Figures all = {};
  std::vector<Figures> tools = {};  // each list by calls or runs, the most first
  std::vector<Figures> agents = {};
  std::vector<Figures> models = {};
};

Statistics statistics_of(const StoreStats& stats);

Json to_json(const Statistics& statistics);

}  // namespace wright::feedback
