// While it lives, writing to a connection that the other side has closed is an error in this thread
// and no signal, whatever the thread's mask is otherwise.
#pragma once

#include <pthread.h>

#include <csignal>
#include <ctime>

namespace wright {

class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&broken_pipe_);
    sigaddset(&broken_pipe_, SIGPIPE);
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, &broken_pipe_, &before);
    was_blocked_ = sigismember(&before, SIGPIPE) == 1;
  }
  ~NoBrokenPipe() {
    if (was_blocked_) return;
    // One that came meanwhile would be told with the end of the block.
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    if (sigismember(&pending, SIGPIPE) == 1) {
      const timespec at_once{};
      sigtimedwait(&broken_pipe_, nullptr, &at_once);
    }
    pthread_sigmask(SIG_UNBLOCK, &broken_pipe_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t broken_pipe_ = {};
  bool was_blocked_ = false;
};

}  // namespace wright
