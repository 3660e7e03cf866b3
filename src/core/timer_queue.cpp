#include "core/timer_queue.h"

#include <utility>

namespace wright {
namespace {

constexpr std::size_t kMostSpare = 64;

}  // namespace

TimerQueue::Timer TimerQueue::add(Time at, Task task) {
  const Timer timer{at, ++last_};
  if (spare_.empty()) {
    tasks_.emplace(timer, std::move(task));
    return timer;
  }
  Tasks::node_type node = std::move(spare_.back());
  spare_.pop_back();
  node.key() = timer;
  node.mapped() = std::move(task);
  tasks_.insert(std::move(node));
  return timer;
}

TimerQueue::Task TimerQueue::remove(const Timer& timer) {
  auto node = tasks_.extract(timer);
  return node ? take(std::move(node)) : Task();
}

std::optional<TimerQueue::Time> TimerQueue::first() const {
  return tasks_.empty() ? std::nullopt : std::optional(tasks_.begin()->first.at);
}

TimerQueue::Task TimerQueue::take_first() {
  return take(tasks_.extract(tasks_.begin()));
}

TimerQueue::Task TimerQueue::take(Tasks::node_type node) {
  Task task = std::move(node.mapped());
  if (spare_.size() < kMostSpare) spare_.push_back(std::move(node));
  return task;
}

}  // namespace wright
