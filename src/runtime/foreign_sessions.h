// Sessions of a shared store that this process cannot drive: their agent or their folder is not
// here, or they cannot be read. They are left to others for some minutes, so that they do not stand
// in front of the rest.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "wright/session.h"

namespace wright::runtime {

class ForeignSessions {
 public:
  enum class Reason : std::uint8_t { not_here, unreadable };

  explicit ForeignSessions(std::chrono::milliseconds left = std::chrono::minutes(5))
      : left_(left) {}

  void add(SessionId id, Reason reason);
  // In the order of ids. One that could not be read stays among them as long as that is so: whoever
  // claimed it to find out would leave it with a higher epoch each time.
  std::vector<SessionId> all(const std::function<bool(SessionId)>& is_unreadable);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Left {
    Time until = {};
    Reason reason = Reason::not_here;
  };

  std::vector<SessionId> overdue_unreadable();

  const std::chrono::milliseconds left_;
  std::mutex mutex_;
  std::map<SessionId, Left> sessions_;
};

}  // namespace wright::runtime
