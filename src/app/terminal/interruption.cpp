// The signals are blocked and read from a descriptor, so nothing runs inside a signal handler.
#include "app/terminal/interruption.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <utility>

#include "app/terminal/exit_code.h"

namespace wright::app {
namespace {

sigset_t watched_signals() {
  sigset_t watched;
  sigemptyset(&watched);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction current {};
    sigaction(signal, nullptr, &current);
    if (current.sa_handler != SIG_IGN) sigaddset(&watched, signal);
  }
  return watched;
}

constexpr int kForever = -1;
// One wish to end may come as two signals, to the process and to its group: `timeout` does that.
constexpr int kSamePress = 100;

}  // namespace

Interruption::Interruption() {
  const sigset_t watched = watched_signals();
  signals_ = signalfd(-1, &watched, SFD_CLOEXEC);
  ended_ = eventfd(0, EFD_CLOEXEC);
  pthread_sigmask(SIG_BLOCK, &watched, &mask_before_);
}

void Interruption::watch(std::function<void()> on_first) {
  on_first_ = std::move(on_first);
  if (signals_ >= 0 && ended_ >= 0) {
    thread_ = std::thread([this] { await_signals(); });
  } else {
    // Without descriptors left, the signals keep their usual effect: they end the process.
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }
}

void Interruption::end_watching() {
  if (!thread_.joinable()) return;
  eventfd_write(ended_, 1);
  thread_.join();
}

Interruption::~Interruption() {
  end_watching();
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  if (signals_ >= 0) close(signals_);
  if (ended_ >= 0) close(ended_);
}

void Interruption::await_signals() {
  while (const int signal = await_signal(kForever)) {
    std::stop_source source = current_source();
    if (source.stop_requested()) quit();
    first_signal_ = signal;
    source.request_stop();
    while (await_signal(kSamePress) != 0) {
    }
    if (is_over()) return;
    if (on_first_) on_first_();
  }
}

void Interruption::quit() {
  const std::scoped_lock lock(mutex_);
  if (last_words_) last_words_();
  _exit(static_cast<int>(ExitCode::interrupted));
}

void Interruption::before_quitting(std::function<void()> last_words) {
  const std::scoped_lock lock(mutex_);
  last_words_ = std::move(last_words);
}

// Nobody watches any more.
bool Interruption::is_over() const {
  pollfd wait{ended_, POLLIN, 0};
  return poll(&wait, 1, 0) > 0;
}

std::stop_source Interruption::current_source() const {
  const std::scoped_lock lock(mutex_);
  return source_;
}

void Interruption::forget() {
  const std::scoped_lock lock(mutex_);
  source_ = std::stop_source();
  first_signal_ = 0;
}

// The signal; 0 when nothing came in time, or when nobody watches any more.
int Interruption::await_signal(int milliseconds) {
  std::array<pollfd, 2> waits{pollfd{ended_, POLLIN, 0}, pollfd{signals_, POLLIN, 0}};
  while (poll(waits.data(), waits.size(), milliseconds) < 0) {
  }
  if (waits[0].revents != 0 || waits[1].revents == 0) return 0;
  signalfd_siginfo received{};
  if (read(signals_, &received, sizeof received) != sizeof received) return 0;
  return static_cast<int>(received.ssi_signo);
}

}  // namespace wright::app
