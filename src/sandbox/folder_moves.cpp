#include "sandbox/folder_moves.h"

#include <sys/inotify.h>

#include <array>
#include <cerrno>

namespace wright::sandbox {

void FolderMoves::watch(const std::string& folder) {
  if (!events_.is_open()) events_ = FileDescriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!events_.is_open()) {
    is_blind_ = true;
    return;
  }
  const int number = ::inotify_add_watch(events_.get(), folder.c_str(),
                                         IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW);
  if (number < 0 && errno != ENOENT && errno != ENOTDIR) is_blind_ = true;
}

bool FolderMoves::were_seen() {
  alignas(inotify_event) std::array<char, 16 * 1024> buffer;
  bool are_seen = is_blind_;
  while (events_.is_open()) {
    const ssize_t count = ::read(events_.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      are_seen = are_seen || (event->mask & (IN_ISDIR | IN_Q_OVERFLOW)) != 0;
      at += sizeof(inotify_event) + event->len;
    }
  }
  return are_seen;
}

}  // namespace wright::sandbox
