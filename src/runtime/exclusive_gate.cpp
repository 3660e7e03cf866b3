#include "runtime/exclusive_gate.h"

#include <utility>

namespace wright::runtime {

void ExclusiveGate::enter(const std::string& name, Task start) {
  {
    const std::lock_guard lock(mutex_);
    const auto [line, is_first] = lines_.try_emplace(name);
    if (!is_first) {
      line->second.push_back(std::move(start));
      return;
    }
  }
  start();
}

void ExclusiveGate::leave(const std::string& name) {
  Task next;
  {
    const std::lock_guard lock(mutex_);
    const auto line = lines_.find(name);
    if (line == lines_.end()) return;
    if (line->second.empty()) {
      lines_.erase(line);
      return;
    }
    next = std::move(line->second.front());
    line->second.pop_front();
  }
  next();
}

}  // namespace wright::runtime
