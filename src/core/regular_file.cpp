#include "core/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace wright {

FileDescriptor open_regular_file(const std::filesystem::path& file) {
  FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!opened.is_open() || ::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return FileDescriptor();
  }
  return opened;
}

std::string start_of_regular_file(const std::filesystem::path& file, std::size_t most_bytes) {
  const FileDescriptor opened = open_regular_file(file);
  struct stat status {};
  if (!opened.is_open() || ::fstat(opened.get(), &status) != 0) return {};
  std::string text(std::min(most_bytes, static_cast<std::size_t>(status.st_size)), '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t count = ::read(opened.get(), text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    length += static_cast<std::size_t>(count);
  }
  text.resize(length);
  return text;
}

}  // namespace wright
