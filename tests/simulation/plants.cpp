#include "simulation/plants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wright::simulation {
namespace {

constexpr std::array<PlantedBug, 23> kBugs{{
    {Plant::unfenced_writes, "unfenced_writes", "HoldLease is not looked at"},
    {Plant::forgotten_epoch, "forgotten_epoch", "HoldLease is looked at, but not its epoch"},
    {Plant::unfenced_calls, "unfenced_calls", "a process is always sure of its lease"},
    {Plant::certain_after_sleep, "certain_after_sleep",
     "a renewed process is sure of calls that it wrote down before it slept"},
    {Plant::late_certainty, "late_certainty",
     "a lease is counted from the store's answer, not from the question"},
    {Plant::acts_before_writing, "acts_before_writing",
     "a batch is taken for written before it is safe"},
    {Plant::lost_commit, "lost_commit", "a batch is said to be applied, and is not"},
    {Plant::half_commit, "half_commit", "only a part of a batch is applied"},
    {Plant::repeated_commit, "repeated_commit",
     "a batch whose outcome is not known is written again"},
    {Plant::dropped_cancel, "dropped_cancel", "nobody tells a session that it is cancelled"},
    {Plant::forgotten_answer, "forgotten_answer",
     "an answer that comes while a session waits wakes nobody"},
    {Plant::second_answer_counts, "second_answer_counts", "a wait is answered twice"},
    {Plant::repeated_writes, "repeated_writes",
     "a call of a `write` tool that was under way is run again"},
    {Plant::forgotten_spending, "forgotten_spending",
     "what was used is forgotten when a session is loaded"},
    {Plant::forgotten_calls, "forgotten_calls",
     "the calls of specialists are forgotten when a session is loaded"},
    {Plant::orphans, "orphans", "a specialist starts although the session above is not held"},
    {Plant::hasty_burial, "hasty_burial", "a living process is taken for dead"},
    {Plant::lost_timer, "lost_timer", "a timer does not fire"},
    {Plant::kept_lease, "kept_lease", "sessions that nobody drives stay held"},
    {Plant::claimed_twice, "claimed_twice", "a claimed session is handed out again"},
    {Plant::revived_end, "revived_end", "an ended session is driven again"},
    {Plant::said_twice, "said_twice", "what was said stays in the list when it is taken"},
    {Plant::said_lost, "said_lost", "what was said to a session is not kept"},
}};

}  // namespace

std::span<const PlantedBug> planted_bugs() {
  return kBugs;
}

std::string_view to_string(Plant plant) {
  const auto found = std::ranges::find(kBugs, plant, &PlantedBug::plant);
  return found == kBugs.end() ? "none" : found->name;
}

Result<Plant> plant_from(std::string_view name) {
  const auto found = std::ranges::find(kBugs, name, &PlantedBug::name);
  if (found != kBugs.end()) return found->plant;
  std::string names;
  for (const PlantedBug& bug : kBugs) names += fmt::format("\n  {:22} {}", bug.name, bug.what);
  return fail(ErrorCode::invalid_argument,
              fmt::format("There is no planted bug '{}'. There are:{}", name, names));
}

}  // namespace wright::simulation
