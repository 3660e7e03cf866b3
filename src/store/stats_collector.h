// Gathers the samples of StoreStats one by one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "wright/store.h"

namespace wright::store {

class StatsCollector {
 public:
  // `duration_ms` is absent for a session that has not ended.
  void add_run(std::string agent_name, std::string provider, std::string model,
               SessionStatus status, const Usage& usage, std::optional<std::int64_t> duration_ms) {
    RunSamples& samples = runs_[{agent_name, provider, model}];
    samples.agent_name = std::move(agent_name);
    samples.provider = std::move(provider);
    samples.model = std::move(model);
    ++samples.count;
    if (status == SessionStatus::failed) ++samples.failed;
    samples.usage += usage;
    if (duration_ms) samples.durations_ms.push_back(*duration_ms);
  }

  void add_call(std::string tool_name, std::string agent_name, std::string provider,
                std::string model, CallStatus status, std::optional<std::int64_t> duration_ms) {
    CallSamples& samples = calls_[{tool_name, agent_name, provider, model}];
    samples.tool_name = std::move(tool_name);
    samples.agent_name = std::move(agent_name);
    samples.provider = std::move(provider);
    samples.model = std::move(model);
    ++samples.count;
    if (status == CallStatus::failed) ++samples.failed;
    if (status == CallStatus::unknown) ++samples.unknown;
    if (duration_ms) samples.durations_ms.push_back(*duration_ms);
  }

  StoreStats finish() && {
    StoreStats stats;
    for (auto& [key, samples] : runs_) stats.runs.push_back(std::move(samples));
    for (auto& [key, samples] : calls_) stats.calls.push_back(std::move(samples));
    return stats;
  }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, RunSamples> runs_;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, CallSamples> calls_;
};

}  // namespace wright::store
