// Gathers the samples of StoreStats row by row, without allocating for a row of a group that is
// known. Keeps at most `most_durations` durations, over all groups: where there are more, it keeps
// some of them, chosen by lot and of every group alike, so that shares of them are those of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wright/store.h"

namespace wright::store {

inline constexpr std::size_t kMostDurations = 1'000'000;

// One row, or as many as a store has counted by itself.
struct CountedRuns {
  std::int64_t count = 1;
  std::int64_t failed = 0;
  Usage usage = {};
  std::span<const std::int64_t> durations_ms = {};  // of those that have ended
};

struct CountedCalls {
  std::string_view tool_name = {};
  std::int64_t count = 1;
  std::int64_t failed = 0;
  std::int64_t unknown = 0;
  std::span<const std::int64_t> durations_ms = {};  // those that are known
};

// Of one row; valid as long as the duration is there.
inline std::span<const std::int64_t> durations_of(const std::optional<std::int64_t>& duration_ms) {
  return duration_ms ? std::span(&*duration_ms, 1) : std::span<const std::int64_t>();
}

class StatsCollector {
 public:
  using Group = std::uint32_t;  // the sessions of one agent and one model

  explicit StatsCollector(std::size_t most_durations = kMostDurations)
      : most_durations_(most_durations) {}

  Group group_of(std::string_view agent_name, std::string_view provider, std::string_view model);
  void add_runs(Group group, const CountedRuns& runs);
  void add_calls(Group group, const CountedCalls& calls);
  // Sorted, durations too.
  StoreStats finish() &&;

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the library asks for it
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Places = std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>>;

  void keep(std::vector<std::int64_t>& durations, std::span<const std::int64_t> more);
  bool is_chosen(std::uint64_t one_of);
  void halve(std::vector<std::int64_t>& durations);

  std::size_t most_durations_;
  std::size_t durations_ = 0;
  std::uint64_t one_of_ = 1;  // so many durations is one kept; a power of two
  std::uint64_t lot_ = 1;     // the same rows give the same figures
  std::string key_;           // of the group that is looked for
  Places groups_;
  Places tools_;
  std::vector<RunSamples> runs_;  // by group
  std::vector<CallSamples> calls_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_of_calls_;  // by tool and group
};

}  // namespace wright::store
