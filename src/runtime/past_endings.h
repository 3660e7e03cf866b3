// How the last sessions ended, for those who ask late. Bounded in number and in bytes.
#pragma once

#include <cstddef>
#include <deque>

#include "session/ending.h"

namespace wright::runtime {

class PastEndings {
 public:
  void add(session::Ending ending);
  // The last one: a session may end several times, with a message in between.
  const session::Ending* find(SessionId id) const;

 private:
  std::deque<session::Ending> endings_;
  std::size_t bytes_ = 0;
};

}  // namespace wright::runtime
