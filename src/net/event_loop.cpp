#include "net/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

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

// Outlives the loop, for as long as somebody holds it.
class EventLoop::Place final : public WaitingPlace {
 public:
  explicit Place(EventLoop& loop) : loop_(&loop) {}

  bool take() override {
    const std::lock_guard lock(mutex_);
    return loop_ != nullptr && loop_->take();
  }

  void release() override {
    const std::lock_guard lock(mutex_);
    if (loop_ != nullptr) loop_->release();
  }

  // The loop does not end while somebody is inside.
  bool attend(Wait wait) override {
    EventLoop* loop = nullptr;
    std::unique_lock<std::mutex> inside;
    {
      const std::lock_guard lock(mutex_);
      if (loop_ == nullptr) return false;
      loop = loop_;
      inside = std::unique_lock(loop->mutex_);
      ++loop->guests_;
    }
    const bool is_open = loop->enter_as_guest(inside);
    if (is_open) {
      inside.unlock();
      loop->round(wait);
      inside.lock();
      loop->leave(inside);
    }
    --loop->guests_;
    if (loop->is_closing_) loop->left_.notify_all();
    return is_open;
  }

  void call() override {
    const std::lock_guard lock(mutex_);
    if (loop_ == nullptr) return;
    const std::lock_guard inside(loop_->mutex_);
    loop_->is_called_ = true;
    loop_->wake();
  }

  void forget_loop() {
    const std::lock_guard lock(mutex_);
    loop_ = nullptr;
  }

  static void set(std::shared_ptr<WaitingPlace> place) { set_of_this_thread(std::move(place)); }

 private:
  std::mutex mutex_;
  EventLoop* loop_;
};

EventLoop::EventLoop()
    : epoll_(opened(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_up_(opened(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      place_(std::make_shared<Place>(*this)) {
  // Every write is told once, and need not be read.
  watch(wake_up_.get(), EPOLLIN | EPOLLET, [](std::uint32_t) {});
  thread_ = std::thread([this] { run(); });
}

EventLoop::~EventLoop() {
  static_cast<Place&>(*place_).forget_loop();
  {
    std::unique_lock lock(mutex_);
    is_closing_ = true;
    is_called_ = true;
    wake();
    left_.notify_all();
    left_.wait(lock, [this] { return guests_ == 0; });
  }
  post([this] { is_ending_ = true; });
  thread_.join();
}

void EventLoop::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
  }
  wake();
}

// Who is not waiting looks before it waits.
void EventLoop::wake() {
  if (!is_waiting_.exchange(false)) return;
  const std::uint64_t one = 1;
  (void)!::write(wake_up_.get(), &one, sizeof(one));
}

bool EventLoop::take() {
  const std::lock_guard lock(mutex_);
  if (is_taken_ || is_closing_) return false;
  is_taken_ = true;
  is_called_ = true;
  wake();
  return true;
}

void EventLoop::release() {
  const std::lock_guard lock(mutex_);
  is_taken_ = false;
  left_.notify_all();
}

bool EventLoop::enter_as_guest(std::unique_lock<std::mutex>& lock) {
  left_.wait(lock, [this] { return !is_inside_ || !is_taken_ || is_closing_; });
  if (!is_taken_ || is_closing_) return false;
  is_inside_ = true;
  runner_ = std::this_thread::get_id();
  return true;
}

// Its own thread waits for it only while nobody else has it.
void EventLoop::leave(std::unique_lock<std::mutex>&) {
  is_inside_ = false;
  runner_ = std::thread::id();
  if (!is_taken_ || is_closing_ || guests_ > 1) left_.notify_all();
}

EventLoop::Timer EventLoop::run_at(Clock::time_point at, Task task) {
  const Timer timer{at, ++last_timer_};
  timers_.emplace(timer, std::move(task));
  return timer;
}

void EventLoop::cancel(const Timer& timer) {
  timers_.erase(timer);
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

// The own thread.
void EventLoop::run() {
  block_signals();
  Place::set(place_);
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    left_.wait(lock, [this] { return !is_inside_ && (!is_taken_ || is_closing_); });
    is_inside_ = true;
    runner_ = std::this_thread::get_id();
    lock.unlock();
    round(WaitingPlace::Wait::until_something_happens);
    lock.lock();
    is_inside_ = false;
    runner_ = std::thread::id();
    if (is_taken_) left_.notify_all();
  }
}

// Whoever has run what was posted may have something else to do now. Only tasks that post others
// again and again do not keep descriptors from their turn.
void EventLoop::round(WaitingPlace::Wait wait) {
  const bool has_run = run_posted();
  if (is_ending_ || (has_run && !std::exchange(is_turn_of_descriptors_, true))) return;
  is_turn_of_descriptors_ = false;
  if (has_run) wait = WaitingPlace::Wait::no;
  std::array<epoll_event, 64> ready;  // NOLINT(*-member-init): the kernel says how many
  const int count = epoll_wait(epoll_.get(), ready.data(), ready.size(), time_to_wait(wait));
  is_waiting_ = false;
  is_called_ = false;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = ready[static_cast<std::size_t>(i)];
    const auto found = watched_.find(event.data.fd);
    if (found == watched_.end()) continue;  // forgotten by a callback before this one
    const OnReady on_ready = found->second;
    on_ready(event.events);
  }
  run_timers();
}

// What these tasks post themselves follows at once, unless it posts again: descriptors have their
// turn, too.
// Whether there was anything.
bool EventLoop::run_posted() {
  constexpr int kRounds = 2;
  for (int round = 0; round < kRounds && !is_ending_; ++round) {
    {
      const std::lock_guard lock(mutex_);
      running_.swap(posted_);
    }
    if (running_.empty()) return round > 0;
    for (const Task& task : running_) task();
    running_.clear();
  }
  return true;
}

// Whoever posts after this wakes the loop.
int EventLoop::time_to_wait(WaitingPlace::Wait wait) {
  const std::lock_guard lock(mutex_);
  if (wait == WaitingPlace::Wait::no || is_called_ || !posted_.empty()) return 0;
  const int milliseconds = milliseconds_to_next_timer();
  is_waiting_ = milliseconds != 0;
  return milliseconds;
}

void EventLoop::run_timers() {
  while (!timers_.empty() && timers_.begin()->first.at <= Clock::now()) {
    const auto node = timers_.extract(timers_.begin());
    node.mapped()();
  }
}

int EventLoop::milliseconds_to_next_timer() const {
  if (timers_.empty()) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first.at - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

}  // namespace wright::net
