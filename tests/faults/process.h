// Processes forked from a test. The parent must have one thread and no open database.
#pragma once

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <utility>

namespace wright::faults {

inline constexpr unsigned kSecondsOfAChild = 60;  // after which one that hangs is killed

// Runs `work` in a child process; what it returns is the exit code.
template <class Work>
pid_t in_child(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::alarm(kSecondsOfAChild);
    ::_exit(work());
  }
  if (child < 0) std::abort();  // signals are sent to it, and -1 would be everybody
  return child;
}

inline int wait_for(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

inline bool was_killed(int status) {
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

inline ::testing::AssertionResult succeeded(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ::testing::AssertionSuccess();
  if (WIFSIGNALED(status)) {
    return ::testing::AssertionFailure() << "the child ended by signal " << WTERMSIG(status);
  }
  return ::testing::AssertionFailure() << "the child's exit code is " << WEXITSTATUS(status);
}

// A byte from one process to another.
class Signal {
 public:
  Signal() { EXPECT_EQ(::pipe(ends_), 0); }
  ~Signal() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  void send() const {
    if (::write(ends_[1], "x", 1) != 1) ::_exit(99);
  }
  void wait() const {
    char byte = 0;
    if (::read(ends_[0], &byte, 1) != 1) ::_exit(98);
  }

 private:
  int ends_[2] = {-1, -1};
};

}  // namespace wright::faults
