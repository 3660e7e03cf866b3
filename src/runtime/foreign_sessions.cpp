#include "runtime/foreign_sessions.h"

#include <utility>

namespace wright::runtime {
namespace {

constexpr std::size_t kMost = 10'000;

}  // namespace

void ForeignSessions::add(SessionId id, Reason reason) {
  const std::lock_guard lock(mutex_);
  sessions_[id] = {std::chrono::steady_clock::now() + left_, reason};
  if (sessions_.size() > kMost) sessions_.erase(sessions_.begin());
}

std::vector<SessionId> ForeignSessions::all(const std::function<bool(SessionId)>& is_unreadable) {
  std::vector<SessionId> still;
  for (const SessionId id : overdue_unreadable()) {
    if (is_unreadable(id)) still.push_back(id);
  }
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [&](const auto& each) { return each.second.until < now; });
  for (const SessionId id : still) sessions_[id] = {now + left_, Reason::unreadable};
  std::vector<SessionId> ids;
  ids.reserve(sessions_.size());
  for (const auto& [id, left] : sessions_) ids.push_back(id);
  return ids;
}

std::vector<SessionId> ForeignSessions::overdue_unreadable() {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  std::vector<SessionId> overdue;
  for (const auto& [id, left] : sessions_) {
    if (left.reason == Reason::unreadable && left.until < now) overdue.push_back(id);
  }
  return overdue;
}

}  // namespace wright::runtime
