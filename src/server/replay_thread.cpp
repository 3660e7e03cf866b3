#include "server/replay_thread.h"

#include <utility>

namespace wright::server {

ReplayThread::ReplayThread(std::stop_token ending)
    : ending_(std::move(ending)), on_ending_(ending_, [this] { stop(); }) {}

ReplayThread::~ReplayThread() {
  stop();
  if (thread_.joinable()) thread_.join();
}

Result<std::stop_source> ReplayThread::begin(Work work) {
  const std::lock_guard lock(mutex_);
  if (ending_.stop_requested()) return fail(ErrorCode::unavailable, "The server is about to end");
  if (is_busy_) {
    return fail(ErrorCode::overloaded,
                "Another session is being replayed, and one is at a time: try again when that has "
                "ended");
  }
  if (thread_.joinable()) thread_.join();  // it has nothing more to do
  current_ = std::stop_source();
  thread_ = std::thread([this, work = std::move(work), stop = current_.get_token()]() mutable {
    Telling tell;
    try {
      tell = std::exchange(work, {})(stop);
    } catch (...) {  // whoever asked is told so when nobody has answered
    }
    {
      const std::lock_guard done(mutex_);
      is_busy_ = false;
    }
    if (tell) tell();
  });
  is_busy_ = true;
  return current_;
}

// Whoever is told of the stop must not wait for this object.
void ReplayThread::stop() {
  std::stop_source current(std::nostopstate);
  {
    const std::lock_guard lock(mutex_);
    current = current_;
  }
  current.request_stop();
}

}  // namespace wright::server
