// Forks, for figures that are read from indexes alone: what is their own, by session. See fork.h.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "store/sqlite_names.h"
#include "wright/session.h"

namespace wright::store {

class Forks {
 public:
  static Result<Forks> read(sqlite3* connection);

  bool has_run(SessionId id) const;
  bool was_copied(SessionId session_id, std::int64_t call_created_at) const;

 private:
  struct Fork {
    std::int64_t started_at = 0;
    bool has_run = false;
  };
  std::unordered_map<SessionId, Fork> forks_;
};

}  // namespace wright::store
