#include "app/terminal/person/terminal_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <utility>

namespace wright::app {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};
constexpr unsigned char kStopRequested = 0;

// A signal handler reaches nothing but what has static storage. There is one terminal, and one
// dialogue at a time on it.
std::atomic<int> noted_to = -1;

void note(int signal) {
  const int saved = errno;
  const int descriptor = noted_to.load();
  const auto byte = static_cast<unsigned char>(signal);
  // A full pipe already holds more than anybody will read.
  if (descriptor >= 0) (void)!write(descriptor, &byte, 1);
  errno = saved;
}

}  // namespace

void TerminalSignals::WakeUp::operator()() const {
  if (descriptor >= 0) (void)!write(descriptor, &kStopRequested, 1);
}

TerminalSignals::TerminalSignals(std::stop_token stop)
    : TerminalSignals(std::move(stop), make_pipe()) {}

TerminalSignals::TerminalSignals(std::stop_token stop, std::pair<int, int> ends)
    : read_end_(ends.first),
      write_end_(ends.second),
      on_stop_(std::move(stop), WakeUp{ends.second}) {
  int nobody = -1;
  if (!write_end_.is_open() || !noted_to.compare_exchange_strong(nobody, write_end_.get())) return;
  for (const int signal : kSignals) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction ours {};
    ours.sa_handler = note;
    sigemptyset(&ours.sa_mask);
    ours.sa_flags = SA_RESTART;
    if (sigaction(signal, &ours, nullptr) == 0) saved_.push_back({signal, before});
  }
}

TerminalSignals::~TerminalSignals() {
  for (const Saved& saved : saved_) sigaction(saved.signal, &saved.action, nullptr);
  int ours = write_end_.get();
  if (ours >= 0) noted_to.compare_exchange_strong(ours, -1);
  while (take()) {
  }
  for (const int signal : to_obey_) kill(getpid(), signal);
}

std::pair<int, int> TerminalSignals::make_pipe() {
  std::array<int, 2> ends{-1, -1};
  // Without descriptors left, signals keep their usual effect.
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return {-1, -1};
  return {ends[0], ends[1]};
}

std::optional<TerminalEvent> TerminalSignals::take() {
  unsigned char byte = 0;
  if (!read_end_.is_open() || read(read_end_.get(), &byte, 1) != 1) return std::nullopt;
  switch (byte) {
    case SIGWINCH: return TerminalEvent::resized;
    case SIGCONT: return TerminalEvent::continued;
    case SIGTSTP: return TerminalEvent::stopped;
    case kStopRequested: return TerminalEvent::ended;
    default: to_obey_.push_back(byte); return TerminalEvent::ended;
  }
}

void TerminalSignals::suspend() {
  struct sigaction ours {};
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  if (sigaction(SIGTSTP, &usual, &ours) != 0) return;
  kill(0, SIGTSTP);
  sigaction(SIGTSTP, &ours, nullptr);
}

}  // namespace wright::app
