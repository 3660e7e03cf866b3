// Threads that run jobs, as many as there are jobs at once. Every thread ends before the destructor
// does.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace wright::intercept {

class WorkerThreads {
 public:
  WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;
  ~WorkerThreads();  // waits for the jobs that run

  // Returns at once. A job must not throw.
  void run(std::function<void()> job);

 private:
  struct State;
  static void work(State& state);

  std::shared_ptr<State> state_;  // shared with the threads
};

}  // namespace wright::intercept
