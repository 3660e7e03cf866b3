// Tasks for later, in the order of their times. Most are removed long before; the memory of those
// that are gone is for the next ones.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/callback.h"

namespace wright {

class TimerQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Task = Callback<void()>;
  struct Timer {
    Time at = {};
    std::uint64_t number = 0;  // 0: none
    auto operator<=>(const Timer&) const = default;
    explicit operator bool() const { return number != 0; }
  };

  Timer add(Time at, Task task);
  Task remove(const Timer& timer);  // empty when it is not there

  std::optional<Time> first() const;
  Task take_first();  // of some

 private:
  using Tasks = std::map<Timer, Task>;
  Task take(Tasks::node_type node);

  Tasks tasks_;
  std::vector<Tasks::node_type> spare_;
  std::uint64_t last_ = 0;
};

}  // namespace wright
