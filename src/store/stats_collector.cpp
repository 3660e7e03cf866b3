#include "store/stats_collector.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace wright::store {
namespace {

// The place of a name, which is a new one where it was not there.
template <class Places>
std::uint32_t place_in(Places& places, std::string_view name) {
  const auto found = places.find(name);
  if (found != places.end()) return found->second;
  return places.emplace(name, static_cast<std::uint32_t>(places.size())).first->second;
}

}  // namespace

StatsCollector::Group StatsCollector::group_of(std::string_view agent_name,
                                               std::string_view provider, std::string_view model) {
  // With their sizes: a name may have any character.
  const std::size_t sizes[] = {agent_name.size(), provider.size()};
  key_.assign(reinterpret_cast<const char*>(sizes), sizeof sizes);
  ((key_ += agent_name) += provider) += model;
  const Group group = place_in(groups_, key_);
  if (group == runs_.size()) {
    runs_.push_back({.agent_name = std::string(agent_name),
                     .provider = std::string(provider),
                     .model = std::string(model)});
  }
  return group;
}

void StatsCollector::add_runs(Group group, const CountedRuns& runs) {
  RunSamples& samples = runs_[group];
  samples.count += runs.count;
  samples.failed += runs.failed;
  samples.usage += runs.usage;
  keep(samples.durations_ms, runs.durations_ms);
}

void StatsCollector::add_calls(Group group, const CountedCalls& calls) {
  const std::uint64_t tool = place_in(tools_, calls.tool_name);
  const auto [found, is_new] =
      places_of_calls_.try_emplace(tool << 32 | group, static_cast<std::uint32_t>(calls_.size()));
  if (is_new) {
    const RunSamples& of = runs_[group];
    calls_.push_back({.tool_name = std::string(calls.tool_name),
                      .agent_name = of.agent_name,
                      .provider = of.provider,
                      .model = of.model});
  }
  CallSamples& samples = calls_[found->second];
  samples.count += calls.count;
  samples.failed += calls.failed;
  samples.unknown += calls.unknown;
  keep(samples.durations_ms, calls.durations_ms);
}

bool StatsCollector::is_chosen(std::uint64_t one_of) {
  lot_ = lot_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
  return (lot_ >> 33) % one_of == 0;
}

// The first of a group stays, so that something is known of each.
void StatsCollector::halve(std::vector<std::int64_t>& durations) {
  if (durations.size() < 2) return;
  const auto gone = std::remove_if(durations.begin() + 1, durations.end(),
                                   [&](std::int64_t) { return is_chosen(2); });
  durations_ -= static_cast<std::size_t>(durations.end() - gone);
  durations.erase(gone, durations.end());
}

void StatsCollector::keep(std::vector<std::int64_t>& durations,
                          std::span<const std::int64_t> more) {
  constexpr std::uint64_t kFewest = 1 << 20;  // one of so many
  for (const std::int64_t duration_ms : more) {
    if (!durations.empty() && !is_chosen(one_of_)) continue;
    durations.push_back(duration_ms);
    if (++durations_ <= most_durations_ || one_of_ >= kFewest) continue;
    one_of_ *= 2;
    for (RunSamples& each : runs_) halve(each.durations_ms);
    for (CallSamples& each : calls_) halve(each.durations_ms);
  }
}

StoreStats StatsCollector::finish() && {
  std::erase_if(runs_, [](const RunSamples& each) { return each.count == 0; });
  StoreStats stats{.runs = std::move(runs_), .calls = std::move(calls_)};
  std::ranges::sort(stats.runs, {}, [](const RunSamples& each) {
    return std::tie(each.agent_name, each.provider, each.model);
  });
  std::ranges::sort(stats.calls, {}, [](const CallSamples& each) {
    return std::tie(each.tool_name, each.agent_name, each.provider, each.model);
  });
  for (RunSamples& each : stats.runs) std::ranges::sort(each.durations_ms);
  for (CallSamples& each : stats.calls) std::ranges::sort(each.durations_ms);
  return stats;
}

}  // namespace wright::store
