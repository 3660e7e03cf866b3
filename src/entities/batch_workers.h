// Works on numbered pieces in several threads and hands the results to one, as they come. Bounded:
// workers wait when results pile up.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace wright::entities {

template <class T>
class BatchWorkers {
 public:
  // `work(number, stop)` makes the result of a piece, in any of the threads; it does not throw.
  template <class Work>
  BatchWorkers(std::size_t pieces, std::size_t threads, const Work& work)
      : left_(pieces), pieces_(pieces) {
    for (std::size_t i = 0; i < std::min(threads, pieces); ++i) {
      threads_.emplace_back([this, work](const std::stop_token& stop) {
        while (const auto piece = next_piece(stop)) deliver(work(*piece, stop), stop);
      });
    }
  }

  // Waits. Nothing when all results have been handed out.
  std::optional<T> next() {
    std::unique_lock lock(mutex_);
    if (left_ == 0) return std::nullopt;
    ready_.wait(lock, [&] { return !results_.empty(); });
    std::optional<T> result(std::move(results_.front()));
    results_.pop_front();
    --left_;
    room_.notify_one();
    return result;
  }

  ~BatchWorkers() {
    for (auto& thread : threads_) thread.request_stop();
  }

 private:
  static constexpr std::size_t kMostWaiting = 4;

  std::optional<std::size_t> next_piece(const std::stop_token& stop) {
    const std::lock_guard lock(mutex_);
    if (stop.stop_requested() || next_ == pieces_) return std::nullopt;
    return next_++;
  }

  void deliver(T result, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, stop, [&] { return results_.size() < kMostWaiting; });
    results_.push_back(std::move(result));
    ready_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::condition_variable_any room_;
  std::deque<T> results_;
  std::size_t left_;
  std::size_t pieces_;
  std::size_t next_ = 0;
  std::vector<std::jthread> threads_;  // last: they use everything above
};

}  // namespace wright::entities
