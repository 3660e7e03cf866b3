#include "net/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace wright::net {
namespace {

FileDescriptor opened(int descriptor, const char* what) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  return FileDescriptor(descriptor);
}

// Signals belong to the threads of the program; a broken connection is an error here, not SIGPIPE.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

EventLoop::EventLoop()
    : epoll_(opened(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_up_(opened(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  watch(wake_up_.get(), EPOLLIN, [this](std::uint32_t) {
    std::uint64_t count = 0;
    (void)!::read(wake_up_.get(), &count, sizeof(count));
  });
  thread_ = std::thread([this] { run(); });
}

EventLoop::~EventLoop() {
  post([this] { is_ending_ = true; });
  thread_.join();
}

void EventLoop::post(Task task) {
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = posted_.empty();
    posted_.push_back(std::move(task));
  }
  // The loop has been woken and has not run yet, or is awake and looks before it waits.
  if (!is_first || is_own_thread()) return;
  const std::uint64_t one = 1;
  (void)!::write(wake_up_.get(), &one, sizeof(one));
}

EventLoop::Timer EventLoop::run_at(Clock::time_point at, Task task) {
  return timers_.add(at, std::move(task));
}

void EventLoop::cancel(const Timer& timer) {
  timers_.remove(timer);
}

void EventLoop::watch(int descriptor, std::uint32_t epoll_events, OnReady on_ready) {
  epoll_event event{.events = epoll_events, .data = {.fd = descriptor}};
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event);
  watched_[descriptor] = std::move(on_ready);
}

void EventLoop::change(int descriptor, std::uint32_t epoll_events) {
  epoll_event event{.events = epoll_events, .data = {.fd = descriptor}};
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event);
}

void EventLoop::forget(int descriptor) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  watched_.erase(descriptor);
}

void EventLoop::run() {
  block_signals();
  std::array<epoll_event, 64> ready{};
  while (!is_ending_) {
    const int count = epoll_wait(epoll_.get(), ready.data(), ready.size(),
                                 has_posted() ? 0 : milliseconds_to_next_timer());
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = ready[static_cast<std::size_t>(i)];
      const auto found = watched_.find(event.data.fd);
      if (found == watched_.end()) continue;  // forgotten by a callback before this one
      const OnReady on_ready = found->second;
      on_ready(event.events);
    }
    run_timers();
    run_posted();
  }
}

// What these tasks post themselves follows at once, unless it posts again: descriptors have their
// turn, too.
void EventLoop::run_posted() {
  constexpr int kRounds = 2;
  for (int round = 0; round < kRounds && !is_ending_; ++round) {
    {
      const std::lock_guard lock(mutex_);
      running_.swap(posted_);
    }
    if (running_.empty()) return;
    for (Task& task : running_) task();
    running_.clear();
  }
}

bool EventLoop::has_posted() {
  const std::lock_guard lock(mutex_);
  return !posted_.empty();
}

void EventLoop::run_timers() {
  while (timers_.first() && *timers_.first() <= Clock::now()) timers_.take_first()();
}

int EventLoop::milliseconds_to_next_timer() const {
  const auto first = timers_.first();
  if (!first) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

}  // namespace wright::net
