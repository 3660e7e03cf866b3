#include "mcp_client/named_pipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>

namespace wright::mcp_client {
namespace {

constexpr std::string_view kFolderPrefix = "wright-mcp-";
// A folder that is younger may not be locked yet.
constexpr std::chrono::minutes kYoung{1};

std::unexpected<Error> cannot(std::string_view doing) {
  return fail(ErrorCode::unavailable,
              fmt::format("Cannot {}: {}", doing, std::generic_category().message(errno)));
}

FileDescriptor opened_folder(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool is_old_and_ours(const FileDescriptor& folder) {
  struct stat status {};
  if (::fstat(folder.get(), &status) != 0 || status.st_uid != ::geteuid()) return false;
  const auto changed =
      std::chrono::system_clock::from_time_t(static_cast<std::time_t>(status.st_mtim.tv_sec));
  return std::chrono::system_clock::now() - changed > kYoung;
}

// Those that nobody has locked: their process has gone without a farewell.
void remove_stale(const std::filesystem::path& root) {
  std::error_code error;
  for (std::filesystem::directory_iterator each(root, error), end; !error && each != end;
       each.increment(error)) {
    if (!each->path().filename().string().starts_with(kFolderPrefix)) continue;
    const std::string path = each->path().string();
    const FileDescriptor folder = opened_folder(path);
    if (!folder.is_open() || !is_old_and_ours(folder)) continue;
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
    ::unlinkat(folder.get(), "input", 0);
    ::rmdir(path.c_str());
  }
}

}  // namespace

Result<NamedPipe> NamedPipe::make(const std::filesystem::path& root) {
  remove_stale(root);
  std::string folder = (root / fmt::format("{}XXXXXX", kFolderPrefix)).string();
  if (::mkdtemp(folder.data()) == nullptr) return cannot("make a folder for the server");
  NamedPipe made(folder);
  made.in_use_ = opened_folder(folder);
  if (!made.in_use_.is_open() || ::flock(made.in_use_.get(), LOCK_EX) != 0) {
    return cannot("lock the folder for the server");
  }
  if (::mkfifo(made.path().c_str(), 0600) != 0) return cannot("make a pipe to the server");
  // For both ways, so that neither opening nor writing waits for the server or fails with it.
  made.writing_ = FileDescriptor(::open(made.path().c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!made.writing_.is_open()) return cannot("open the pipe to the server");
  return made;
}

NamedPipe::~NamedPipe() {
  if (folder_.empty()) return;
  ::unlink(path().c_str());
  ::rmdir(folder_.c_str());
}

}  // namespace wright::mcp_client
