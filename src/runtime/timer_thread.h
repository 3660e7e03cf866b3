// Tasks for later, in a thread that sleeps until the next one is due. It starts with the first
// task.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/host.h"

namespace wright::runtime {

// Puts entries into a map, with the nodes of entries that are gone where there are any: every call
// of a tool has a timer, and nearly all of them are cancelled.
template <class Map>
class SpareNodes {
 public:
  void insert(Map& map, typename Map::key_type key, typename Map::mapped_type value) {
    if (nodes_.empty()) {
      map.emplace(std::move(key), std::move(value));
      return;
    }
    typename Map::node_type node = std::move(nodes_.back());
    nodes_.pop_back();
    node.key() = std::move(key);
    node.mapped() = std::move(value);
    map.insert(std::move(node));
  }
  void keep(typename Map::node_type node) {
    if (nodes_.size() < kMost) nodes_.push_back(std::move(node));
  }

 private:
  static constexpr std::size_t kMost = 64;
  std::vector<typename Map::node_type> nodes_;
};

class TimerThread {
 public:
  TimerThread() = default;
  ~TimerThread() { end(); }

  // Nothing runs any more, and whatever is asked for from now on never does.
  void end();

  // Tasks run in this object's thread and must be short.
  Host::Timer run_at(Host::Time time, Host::Task task);
  void cancel(Host::Timer timer);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  using Tasks = std::map<std::pair<Host::Time, Host::Timer>, Host::Task>;
  using Times = std::map<Host::Timer, Host::Time>;
  Tasks tasks_;
  Times times_;
  SpareNodes<Tasks> spare_tasks_;
  SpareNodes<Times> spare_times_;
  Host::Timer last_ = 0;
  // What is due later wakes nobody: most timers are cancelled long before that. Without a
  // beginning while the thread is awake, and without an end when nothing is due.
  Host::Time sleeps_until_ = {};
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace wright::runtime
