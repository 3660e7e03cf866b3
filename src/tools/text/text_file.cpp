#include "tools/text/text_file.h"

#include <unistd.h>

#include <cerrno>

namespace wright::tools {

std::expected<std::size_t, int> read_some(int descriptor, std::span<char> space) {
  while (true) {
    const ssize_t length = ::read(descriptor, space.data(), space.size());
    if (length >= 0) return static_cast<std::size_t>(length);
    if (errno != EINTR) return std::unexpected(errno);
  }
}

std::expected<std::size_t, int> read_fully(int descriptor, std::span<char> space) {
  std::size_t total = 0;
  while (total < space.size()) {
    const auto length = read_some(descriptor, space.subspan(total));
    if (!length) return length;
    if (*length == 0) break;
    total += *length;
  }
  return total;
}

std::int64_t skip_hole(int descriptor) {
  const off_t here = ::lseek(descriptor, 0, SEEK_CUR);
  if (here < 0) return 0;
  off_t data = ::lseek(descriptor, here, SEEK_DATA);
  if (data < 0 && errno == ENXIO) data = ::lseek(descriptor, 0, SEEK_END);  // nothing but a hole
  return data > here ? data - here : 0;
}

bool is_binary(std::string_view start) {
  return start.substr(0, kSniffedBytes).find('\0') != std::string_view::npos;
}

bool has_utf16_mark(std::string_view start) {
  return start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF");
}

}  // namespace wright::tools
