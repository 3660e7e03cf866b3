#include "store/turns.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace wright::store {
namespace {

// One round after the other, each line once in a round, the one that was served longest ago first.
std::vector<Turn> turns_of_tenant(const std::vector<Line>& lines, std::vector<std::size_t> own,
                                  std::size_t most) {
  std::ranges::sort(own, {}, [&](std::size_t i) {
    const Waiting& first = lines[i].sessions.front();
    return std::tuple(lines[i].served, -first.priority, first.id);
  });
  std::vector<Turn> turns;
  for (std::size_t round = 0;; ++round) {
    const std::size_t before = turns.size();
    for (const std::size_t i : own) {
      if (turns.size() == most) return turns;
      if (round < lines[i].sessions.size()) turns.push_back({lines[i].sessions[round].id, i});
    }
    if (turns.size() == before) return turns;
  }
}

}  // namespace

std::vector<Turn> turns_of(const std::vector<Line>& lines, std::size_t most) {
  std::map<std::string, std::vector<std::size_t>> tenants;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].sessions.empty()) tenants[lines[i].tenant].push_back(i);
  }
  std::vector<std::vector<Turn>> of_tenants;
  for (auto& [tenant, own] : tenants) of_tenants.push_back(turns_of_tenant(lines, own, most));
  std::erase_if(of_tenants, [](const auto& turns) { return turns.empty(); });
  std::ranges::sort(of_tenants, {}, [&](const std::vector<Turn>& turns) {
    const Line& line = lines[turns.front().line];
    return std::tuple(line.tenant_served, -line.sessions.front().priority, turns.front().id);
  });
  std::vector<Turn> all;
  for (std::size_t round = 0;; ++round) {
    const std::size_t before = all.size();
    for (const auto& turns : of_tenants) {
      if (all.size() == most) return all;
      if (round < turns.size()) all.push_back(turns[round]);
    }
    if (all.size() == before) return all;
  }
}

}  // namespace wright::store
