#include "app/terminal/chat_input.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "app/terminal/person/terminal_signals.h"
#include "app/terminal/standard_input.h"
#include "wright/json.h"

namespace wright::app {
namespace {

constexpr std::string_view kPrompt = "> ";
constexpr std::string_view kGoingOn = "… ";

class PipeReader {
 public:
  PipeReader(int descriptor, std::function<std::stop_token()> stop)
      : descriptor_(descriptor), stop_(std::move(stop)) {}

  std::expected<std::string, NoLine> next() {
    TerminalSignals signals(stop_());
    while (true) {
      const std::size_t end = come_.find('\n', searched_);
      if (end != std::string::npos) return take(end, end + 1);
      if (come_.size() >= kMostInput) return take(kMostInput, kMostInput);
      searched_ = come_.size();
      if (has_ended_) {
        if (come_.empty()) return std::unexpected(NoLine::ended);
        return take(come_.size(), come_.size());
      }
      if (await(signals) == Came::stop) return std::unexpected(NoLine::stopped);
      read_some();
    }
  }

 private:
  enum class Came : std::uint8_t { input, stop };

  Came await(TerminalSignals& signals) const {
    while (true) {
      std::array<pollfd, 2> waits{pollfd{signals.descriptor(), POLLIN, 0},
                                  pollfd{descriptor_, POLLIN, 0}};
      if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return Came::input;
      if (const auto event = signals.take()) {
        if (*event == TerminalEvent::ended) return Came::stop;
        if (*event == TerminalEvent::stopped) signals.suspend();
      } else if (waits[1].revents != 0) {
        return Came::input;
      }
    }
  }

  void read_some() {
    std::array<char, 64 * 1024> bytes;
    const ssize_t count = read(descriptor_, bytes.data(), bytes.size());
    if (count > 0) come_.append(bytes.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) has_ended_ = true;
  }

  std::string take(std::size_t end, std::size_t next) {
    std::string line = come_.substr(0, end);
    come_.erase(0, next);
    searched_ = 0;
    if (line.ends_with('\r')) line.pop_back();
    return line;
  }

  int descriptor_;
  std::function<std::stop_token()> stop_;
  std::string come_;
  std::size_t searched_ = 0;  // bytes of it that have no line feed
  bool has_ended_ = false;
};

}  // namespace

ReadLine lines_of_pipe(int descriptor, std::function<std::stop_token()> stop) {
  return [reader = std::make_shared<PipeReader>(descriptor, std::move(stop))](std::string_view) {
    return reader->next();
  };
}

ReadLine lines_of_plain_terminal(PersonTerminal where, std::function<std::stop_token()> stop) {
  return [where = std::move(where), stop = std::move(stop)](
             std::string_view prompt) mutable -> std::expected<std::string, NoLine> {
    where.stop = stop();
    TerminalDialogue dialogue(where);
    auto line = dialogue.next_line(prompt, Echo::on);
    if (!line) {
      return std::unexpected(line.error() == GaveUp::stopped ? NoLine::stopped : NoLine::ended);
    }
    return std::move(*line);
  };
}

std::expected<std::string, NoLine> read_message(const ReadLine& read_line) {
  std::string message;
  std::string_view prompt = kPrompt;
  while (true) {
    const auto line = read_line(prompt);
    if (!line) {
      // The end of the input ends a message, too.
      if (line.error() == NoLine::ended && !message.empty()) break;
      return line;
    }
    message += *line;
    if (!message.ends_with('\\')) break;
    message.back() = '\n';
    if (message.size() > kMostInput) break;
    prompt = kGoingOn;
  }
  return to_valid_utf8(std::move(message));
}

}  // namespace wright::app
