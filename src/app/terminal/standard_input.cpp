#include "app/terminal/standard_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/file_descriptor.h"

namespace wright::app {
namespace {

Result<std::string> read_whole(int descriptor, std::string_view name) {
  std::string text;
  std::array<char, 64 * 1024> buffer;
  while (true) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
      if (text.size() <= kMostInput) continue;
      return fail(ErrorCode::limit_reached,
                  fmt::format("{} is larger than {} MB", name, kMostInput >> 20));
    }
    if (errno == EINTR) continue;
    return fail(ErrorCode::unavailable,
                fmt::format("cannot read {}: {}", name, std::strerror(errno)));
  }
}

}  // namespace

bool standard_input_is_terminal() {
  return isatty(STDIN_FILENO) == 1;
}

Result<std::string> read_standard_input() {
  return read_whole(STDIN_FILENO, "standard input");
}

Result<std::string> read_input_file(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    return fail(ErrorCode::not_found, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  return read_whole(file.get(), path);
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
