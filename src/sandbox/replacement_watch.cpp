#include "sandbox/replacement_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/file_descriptor.h"
#include "core/no_signals.h"
#include "core/try.h"

namespace wright::sandbox {
namespace {

constexpr std::uint32_t kAppeared = IN_CREATE | IN_MOVED_TO;
constexpr std::uint32_t kGone = IN_DELETE | IN_MOVED_FROM;
// Folders stay watched after a run: the next one guards the same, most of the time.
constexpr std::size_t kMostIdleFolders = 256;

std::unexpected<Error> no_inotify(int problem) {
  const char* const hint =
      problem == ENOSPC   ? " (fs.inotify.max_user_watches is reached)"
      : problem == EMFILE ? " (fs.inotify.max_user_instances or the limit of open files is reached)"
                          : "";
  return fail(ErrorCode::unavailable,
              fmt::format("Cannot watch what is protected or unreadable: {}{}",
                          std::generic_category().message(problem), hint));
}

// Where a program has closed its streams, their numbers are not for us.
FileDescriptor high_numbered(int number) {
  const FileDescriptor given(number);
  return FileDescriptor(given.is_open() ? ::fcntl(number, F_DUPFD_CLOEXEC, 3) : -1);
}

std::optional<std::int64_t> birth_of(const std::string& path) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  struct statx status {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status) != 0 ||
      (status.stx_mask & STATX_BTIME) == 0) {
    return std::nullopt;
  }
  return status.stx_btime.tv_sec * kSecond + status.stx_btime.tv_nsec;
}

// Whoever renames or removes something in a folder keeps its lock until that is done and told.
// Listing the folder needs the lock, too.
void wait_for_changes_under_way(const std::string& folder) {
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open()) return;
  std::array<char, 512> some_entries;
  ::syscall(SYS_getdents64, opened.get(), some_entries.data(), some_entries.size());
}

}  // namespace

struct ReplacementWatch::State {
  using Meant = GuardedMount::Meant;
  struct Guarded {
    Run* run = nullptr;
    std::string path;
    Meant meant = Meant::by_name;
    FileIdentity file = {};
    std::optional<std::int64_t> born = {};  // nanoseconds; nothing where nobody knows
  };
  using Names = std::multimap<std::string, Guarded, std::less<>>;

  FileDescriptor events;
  FileDescriptor end;
  std::mutex mutex;              // of everything below, and of reading `events`
  std::map<int, Names> folders;  // by what inotify calls them
  std::thread thread;

  void run();
  void read_events();
  void note(const inotify_event& event);
  void check_all();
  static void mark_replaced(const Guarded& guarded);
  void forget_idle_folders();
};

void ReplacementWatch::State::mark_replaced(const Guarded& guarded) {
  Run& run = *guarded.run;
  if (!run.replaced_) run.replaced_ = guarded.path;
  if (run.process_ >= 0) ::syscall(SYS_pidfd_send_signal, run.process_, SIGKILL, nullptr, 0);
}

void ReplacementWatch::State::note(const inotify_event& event) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) return check_all();
  const auto folder = folders.find(event.wd);
  if (folder == folders.end()) return;
  if ((event.mask & IN_IGNORED) != 0) {
    // The folder is gone, and so is what was in it.
    if (folder->second.empty()) folders.erase(folder);
    return;
  }
  if (event.len == 0) return;
  const auto [first, last] = folder->second.equal_range(std::string_view(event.name));
  for (auto each = first; each != last; ++each) {
    const bool has_left = (event.mask & kGone) != 0 && each->second.meant == Meant::by_path;
    if (has_left || (event.mask & kAppeared) != 0) mark_replaced(each->second);
  }
}

// When the kernel had more to say than it keeps. The number of a file that was removed is given to
// the next one that is made; the moment in which it was made is not. Where that is not known, it is
// taken for another.
void ReplacementWatch::State::check_all() {
  for (const auto& [number, names] : folders) {
    for (const auto& [name, guarded] : names) {
      struct stat status {};
      const bool is_there = ::lstat(guarded.path.c_str(), &status) == 0;
      const bool is_same = FileIdentity{status.st_dev, status.st_ino} == guarded.file &&
                           guarded.born && birth_of(guarded.path) == guarded.born;
      if (is_there ? !is_same : guarded.meant == Meant::by_path) mark_replaced(guarded);
    }
  }
}

void ReplacementWatch::State::read_events() {
  alignas(inotify_event) std::array<char, 16 * 1024> buffer;
  while (true) {
    const ssize_t count = ::read(events.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      note(*event);
      at += sizeof(inotify_event) + event->len;
    }
  }
}

void ReplacementWatch::State::run() {
  while (true) {
    std::array<pollfd, 2> watched{pollfd{events.get(), POLLIN, 0}, pollfd{end.get(), POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;
    if (watched[1].revents != 0) return;
    const std::lock_guard lock(mutex);
    read_events();
  }
}

void ReplacementWatch::State::forget_idle_folders() {
  if (folders.size() <= kMostIdleFolders) return;
  std::erase_if(folders, [&](const auto& folder) {
    if (!folder.second.empty()) return false;
    ::inotify_rm_watch(events.get(), folder.first);
    return true;
  });
}

ReplacementWatch::ReplacementWatch(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<ReplacementWatch>> ReplacementWatch::start() {
  auto state = std::make_unique<State>();
  state->events = high_numbered(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!state->events.is_open()) return no_inotify(errno);
  state->end = high_numbered(::eventfd(0, EFD_CLOEXEC));
  if (!state->end.is_open()) return no_inotify(errno);
  State* const shared = state.get();
  try {
    const NoSignals blocked;
    state->thread = std::thread([shared] { shared->run(); });
  } catch (const std::system_error& problem) {
    return no_inotify(problem.code().value());
  }
  return std::unique_ptr<ReplacementWatch>(new ReplacementWatch(std::move(state)));
}

Result<std::shared_ptr<ReplacementWatch>> ReplacementWatch::of_this_process() {
  static std::mutex mutex;
  static std::weak_ptr<ReplacementWatch> known;
  static pid_t process = 0;  // one that was forked has no thread that watches
  const std::lock_guard lock(mutex);
  auto watch = known.lock();
  if (watch && process == ::getpid()) return watch;
  std::shared_ptr<ReplacementWatch> made = TRY(start());
  known = made;
  process = ::getpid();
  return made;
}

ReplacementWatch::~ReplacementWatch() {
  const std::uint64_t one = 1;
  (void)!::write(state_->end.get(), &one, sizeof one);
  state_->thread.join();
}

Result<std::unique_ptr<ReplacementWatch::Run>> ReplacementWatch::watch(
    std::span<const GuardedMount> mounts) {
  auto run = std::unique_ptr<Run>(new Run(*this));
  std::map<std::string, int, std::less<>> numbers;
  const std::lock_guard lock(state_->mutex);
  for (const GuardedMount& mount : mounts) {
    const std::string folder = mount.path.substr(0, mount.path.rfind('/'));
    if (numbers.contains(folder)) continue;
    const int number =
        ::inotify_add_watch(state_->events.get(), folder.empty() ? "/" : folder.c_str(),
                            kAppeared | kGone | IN_ONLYDIR | IN_DONT_FOLLOW);
    // What has moved is found out when it is to be mounted over.
    if (number < 0 && (errno == ENOENT || errno == ENOTDIR)) continue;
    if (number < 0) return no_inotify(errno);
    numbers.emplace(folder, number);
    run->folders_.push_back(folder.empty() ? "/" : folder);
    state_->folders[number];
  }
  // What happened before is not about this run.
  state_->read_events();
  for (const GuardedMount& mount : mounts) {
    const std::size_t slash = mount.path.rfind('/');
    const auto number = numbers.find(std::string_view(mount.path).substr(0, slash));
    if (number == numbers.end()) continue;
    state_->folders[number->second].emplace(
        mount.path.substr(slash + 1),
        State::Guarded{run.get(), mount.path, mount.meant, mount.file, birth_of(mount.path)});
  }
  return run;
}

ReplacementWatch::Run::~Run() {
  State& state = *watch_.state_;
  const std::lock_guard lock(state.mutex);
  for (auto& [number, names] : state.folders) {
    std::erase_if(names, [&](const auto& named) { return named.second.run == this; });
  }
  state.forget_idle_folders();
}

void ReplacementWatch::Run::kill_if_replaced(int process) {
  const std::lock_guard lock(watch_.state_->mutex);
  process_ = process;
  watch_.state_->read_events();
  if (replaced_) ::syscall(SYS_pidfd_send_signal, process_, SIGKILL, nullptr, 0);
}

void ReplacementWatch::Run::forget() {
  const std::lock_guard lock(watch_.state_->mutex);
  process_ = -1;
}

// The thread that watches may not have had its turn.
std::optional<std::string> ReplacementWatch::Run::replaced() {
  const std::lock_guard lock(watch_.state_->mutex);
  watch_.state_->read_events();
  return replaced_;
}

std::optional<std::string> ReplacementWatch::Run::replaced_in_the_end() {
  for (const std::string& folder : folders_) wait_for_changes_under_way(folder);
  return replaced();
}

}  // namespace wright::sandbox
