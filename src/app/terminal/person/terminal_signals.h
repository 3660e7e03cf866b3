// The signals that matter while a terminal is not as the shell left it: those that end the program,
// stop it, or tell that the window has changed. While this lives they are noted instead of obeyed;
// a note that was an order to end is obeyed afterwards, when everything is restored.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/file_descriptor.h"

namespace wright::app {

enum class TerminalEvent : std::uint8_t { ended, stopped, continued, resized };

class TerminalSignals {
 public:
  // `stop` counts as an order to end. Signals that are blocked are somebody else's, and stay so.
  explicit TerminalSignals(std::stop_token stop);
  ~TerminalSignals();
  TerminalSignals(const TerminalSignals&) = delete;
  TerminalSignals& operator=(const TerminalSignals&) = delete;

  // Readable when take() has something.
  int descriptor() const { return read_end_.get(); }
  std::optional<TerminalEvent> take();

  // Ends the program's turn on the terminal, as Ctrl-Z does, until it is continued.
  void suspend();

 private:
  TerminalSignals(std::stop_token stop, std::pair<int, int> ends);
  static std::pair<int, int> make_pipe();

  struct Saved {
    int signal;
    struct sigaction action;
  };
  struct WakeUp {
    int descriptor;
    void operator()() const;
  };

  FileDescriptor read_end_;
  FileDescriptor write_end_;
  std::vector<Saved> saved_;
  std::vector<int> to_obey_;
  std::stop_callback<WakeUp> on_stop_;
};

}  // namespace wright::app
