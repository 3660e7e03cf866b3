#include "runtime/foreign_sessions.h"

#include <algorithm>

namespace wright::runtime {
namespace {

constexpr std::chrono::minutes kLeft{5};
constexpr std::size_t kMost = 10'000;

}  // namespace

void ForeignSessions::add(SessionId id) {
  const std::lock_guard lock(mutex_);
  until_[id] = std::chrono::steady_clock::now() + kLeft;
  if (until_.size() > kMost) until_.erase(until_.begin());
}

std::vector<SessionId> ForeignSessions::all() {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  std::erase_if(until_, [&](const auto& each) { return each.second < now; });
  std::vector<SessionId> ids;
  for (const auto& [id, until] : until_) ids.push_back(id);
  return ids;
}

}  // namespace wright::runtime
