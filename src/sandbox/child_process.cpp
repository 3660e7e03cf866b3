#include "sandbox/child_process.h"

#include <linux/close_range.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WRIGHT_WATCHES_THREADS
#endif
#elif defined(__SANITIZE_THREAD__)
#define WRIGHT_WATCHES_THREADS
#endif

#ifdef WRIGHT_WATCHES_THREADS
// ThreadSanitizer takes every clone() for a fork, and has the child watch nothing any more. One
// that shares its parent's memory would blind the parent. This is libc's own name for it.
extern "C" int __clone(int (*run)(void*), void* stack, int flags, void* argument, ...);  // NOLINT
#endif

namespace wright::sandbox {
namespace {

#ifdef WRIGHT_WATCHES_THREADS
constexpr auto* kClone = ::__clone;
#else
constexpr auto* kClone = ::clone;
#endif

constexpr std::size_t kStackBytes = 64 * 1024;
constexpr int kLastSignal = 64;

// As the kernel expects it; all zero is the default action on every architecture.
struct KernelSignalAction {
  std::array<unsigned long, 8> words{};
};

}  // namespace

ChildStack::ChildStack()
    : memory_(::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {}

ChildStack::~ChildStack() {
  if (is_there()) ::munmap(memory_, kStackBytes);
}

bool ChildStack::is_there() const {
  return memory_ != MAP_FAILED;
}

void* ChildStack::top() const {
  return static_cast<char*>(memory_) + kStackBytes;
}

WRIGHT_IN_CHILD pid_t start_child(int (*run)(void*), void* stack, int flags, void* argument,
                                  pid_t* id) {
  return kClone(run, stack, flags | CLONE_VM | CLONE_VFORK, argument, id);
}

WithoutSignals::WithoutSignals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

WithoutSignals::~WithoutSignals() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

WRIGHT_IN_CHILD int reset_signals() {
  KernelSignalAction default_action;
  for (int signal = 1; signal <= kLastSignal; ++signal) {
    // Fails for signals that cannot be caught, which need no resetting.
    ::syscall(SYS_rt_sigaction, signal, &default_action, nullptr, 8);
  }
  const unsigned long none = 0;
  return ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, 8) == 0 ? 0 : errno;
}

WRIGHT_IN_CHILD int set_streams(int input, int output, int error) {
  if (::syscall(SYS_dup3, input, 0, 0) < 0) return errno;
  if (::syscall(SYS_dup3, output, 1, 0) < 0) return errno;
  if (::syscall(SYS_dup3, error, 2, 0) < 0) return errno;
  return 0;
}

WRIGHT_IN_CHILD void close_all_from(int first) {
  if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, 0) == 0) return;
  constexpr int kHighest = 65536;
  for (int descriptor = first; descriptor < kHighest; ++descriptor) {
    ::syscall(SYS_close, descriptor);
  }
}

}  // namespace wright::sandbox
