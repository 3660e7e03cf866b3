// Takes over sessions that others have left: of processes that died, that somebody answered
// elsewhere, or whose time is over. Looks at once, and then again and again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "wright/runtime.h"

namespace wright::app {

class TakingOver {
 public:
  // Refers to the runtime. `complain` hears of an error once, until there is another or none.
  TakingOver(Runtime& runtime, std::chrono::milliseconds pause,
             std::function<void(const std::string& message)> complain);
  ~TakingOver();
  TakingOver(const TakingOver&) = delete;
  TakingOver& operator=(const TakingOver&) = delete;

 private:
  void look();

  Runtime& runtime_;
  const std::chrono::milliseconds pause_;
  const std::function<void(const std::string& message)> complain_;
  std::string last_complaint_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace wright::app
