#include "app/terminal/standard_input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace wright::app {

bool standard_input_is_terminal() {
  return isatty(STDIN_FILENO) == 1;
}

Result<std::string> read_standard_input() {
  std::string text;
  std::array<char, 64 * 1024> buffer;
  while (true) {
    const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
      if (text.size() <= kMostInput) continue;
      return fail(ErrorCode::limit_reached,
                  fmt::format("standard input is larger than {} MB", kMostInput >> 20));
    }
    if (errno == EINTR) continue;
    return fail(ErrorCode::unavailable,
                fmt::format("cannot read standard input: {}", std::strerror(errno)));
  }
}

std::optional<std::string> read_line() {
  std::string line;
  char c = 0;
  while (true) {
    const ssize_t count = read(STDIN_FILENO, &c, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return line.empty() ? std::nullopt : std::optional(std::move(line));
    if (c == '\n' || line.size() >= kMostInput) return line;
    line += c;
  }
}

}  // namespace wright::app
