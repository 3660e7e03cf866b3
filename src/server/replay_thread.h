// Replays that clients ask for: one at a time, in a thread of its own. A long one takes minutes,
// and several would take all handlers of the server.
#pragma once

#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "wright/error.h"

namespace wright::server {

// Thread-safe.
class ReplayThread {
 public:
  // Gives what is to be told of it, which is done when the next one may begin.
  using Telling = std::function<void()>;
  using Work = std::function<Telling(const std::stop_token& stop)>;

  // `ending` is requested when the server is about to end: what is under way is stopped then.
  explicit ReplayThread(std::stop_token ending);
  ~ReplayThread();  // stops what is under way, and waits for it
  ReplayThread(const ReplayThread&) = delete;
  ReplayThread& operator=(const ReplayThread&) = delete;

  // What stops it. ErrorCode::overloaded while another one is under way.
  Result<std::stop_source> begin(Work work);

 private:
  void stop();

  std::mutex mutex_;
  bool is_busy_ = false;
  std::stop_source current_;
  std::thread thread_;
  const std::stop_token ending_;
  const std::stop_callback<std::function<void()>> on_ending_;  // last: it may be called at once
};

}  // namespace wright::server
