#include "server/session_turns.h"

#include <fmt/format.h>

namespace wright::server {

Result<SessionTurns::Turn> SessionTurns::take(SessionId id, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  Entry& entry = entries_[id];
  ++entry.users;
  if (!entry.freed.wait_for(lock, patience, [&] { return !entry.is_taken; })) {
    --entry.users;  // whoever has it is still among them
    return fail(ErrorCode::unavailable,
                fmt::format("Another request goes on with session {}: try again", id));
  }
  entry.is_taken = true;
  // Made with the lock free: should there be no memory for it, the turn is given back.
  lock.unlock();
  return Turn(this, [id](SessionTurns* turns) { turns->give_back(id); });
}

void SessionTurns::give_back(SessionId id) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(id);
  entry->second.is_taken = false;
  if (--entry->second.users == 0) {
    entries_.erase(entry);
  } else {
    entry->second.freed.notify_one();
  }
}

std::size_t SessionTurns::known() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace wright::server
