// Whose turn it is to go on with a session: one request at a time, and none waits for long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "wright/error.h"
#include "wright/session.h"

namespace wright::server {

// Thread-safe. Knows only those sessions that somebody goes on with, or wants to.
class SessionTurns {
 public:
  // Until it is destroyed.
  using Turn = std::shared_ptr<void>;

  // ErrorCode::unavailable where another one still has it after that time.
  Result<Turn> take(SessionId id, std::chrono::milliseconds patience);
  std::size_t known() const;

 private:
  struct Entry {
    bool is_taken = false;
    std::size_t users = 0;  // who has it, and who wants it
    std::condition_variable freed = {};
  };
  void give_back(SessionId id);

  mutable std::mutex mutex_;
  std::map<SessionId, Entry> entries_;
};

}  // namespace wright::server
