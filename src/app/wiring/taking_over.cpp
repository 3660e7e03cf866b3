#include "app/wiring/taking_over.h"

#include <utility>

namespace wright::app {

TakingOver::TakingOver(Runtime& runtime, std::chrono::milliseconds pause,
                       std::function<void(const std::string& message)> complain)
    : runtime_(runtime), pause_(pause), complain_(std::move(complain)) {
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!is_over_) {
      lock.unlock();
      look();
      lock.lock();
      changed_.wait_for(lock, pause_, [this] { return is_over_; });
    }
  });
}

TakingOver::~TakingOver() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void TakingOver::look() {
  const auto taken = runtime_.resume_abandoned();
  std::string complaint = taken ? "" : taken.error().message;
  if (!complaint.empty() && complaint != last_complaint_) complain_(complaint);
  last_complaint_ = std::move(complaint);
}

}  // namespace wright::app
