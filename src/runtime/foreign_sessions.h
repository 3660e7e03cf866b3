// Sessions of a shared store that this process cannot drive: their agent or their folder is not
// here. They are left to others for some minutes, so that they do not stand in front of the rest.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <vector>

#include "wright/session.h"

namespace wright::runtime {

class ForeignSessions {
 public:
  void add(SessionId id);
  std::vector<SessionId> all();  // in the order of ids

 private:
  using Time = std::chrono::steady_clock::time_point;

  std::mutex mutex_;
  std::map<SessionId, Time> until_;
};

}  // namespace wright::runtime
