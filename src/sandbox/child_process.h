// For code that runs in a child between its start and its exec. The child shares the memory, and
// even the errno, of its parent, which is suspended: nothing there may allocate, lock, or be
// instrumented by a sanitizer.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>

#define WRIGHT_IN_CHILD __attribute__((no_sanitize("address", "undefined", "thread"), noinline))

namespace wright::sandbox {

// The stack of a child.
class ChildStack {
 public:
  ChildStack();
  ~ChildStack();
  ChildStack(const ChildStack&) = delete;
  ChildStack& operator=(const ChildStack&) = delete;

  bool is_there() const;
  void* top() const;

 private:
  void* memory_;
};

// clone(): `run` in a child that shares the memory of its parent, which is suspended until the child
// has executed a program or ended. Also for a child of such a child.
pid_t start_child(int (*run)(void*), void* stack, int flags, void* argument, pid_t* id = nullptr);

// No handler of the parent may run in the child.
class WithoutSignals {
 public:
  WithoutSignals();
  ~WithoutSignals();
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_{};
};

// In the child: every signal has its default action, and none is blocked. 0, or an errno.
int reset_signals();

// In the child: puts descriptors, all of them above 2, on the three streams. 0, or an errno.
int set_streams(int input, int output, int error);

// In the child: every descriptor from `first` on.
void close_all_from(int first);
inline constexpr int kAfterStreams = 3;

}  // namespace wright::sandbox
