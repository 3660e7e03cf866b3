// Lets one task of a name run at a time; the others wait in line without holding a thread.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "core/callback.h"

namespace wright::runtime {

class ExclusiveGate {
 public:
  using Task = Callback<void()>;

  // `start` is called when it is its turn: at once, or in the thread that calls leave().
  void enter(const std::string& name, Task start);
  void leave(const std::string& name);

 private:
  std::mutex mutex_;
  std::map<std::string, std::deque<Task>> lines_;  // a name that is inside has a line
};

}  // namespace wright::runtime
