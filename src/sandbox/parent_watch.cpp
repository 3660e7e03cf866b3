#include "sandbox/parent_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>

#include "sandbox/child_process.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

namespace wright::sandbox {
namespace {

constexpr std::string_view kStart = "run ";
constexpr std::size_t kDigits = 10;
constexpr int kPatienceMilliseconds = 1000;

// Lines come in: `run NUMBER CGROUP`, `done NUMBER`, `remove 0 PATH`, `end`. When no more can come,
// everything that has not been done is killed: the process group, the cgroup where there is one,
// else the session. Of the line in /proc/…/stat, what follows the name counts, which may have any
// characters in it. What another program holds locked stays: it is a placeholder of its commands,
// too. Files of others are not sticky. The program that was killed may hold it for a moment longer.
constexpr const char* kScript = R"(
trap '' HUP INT QUIT TERM TSTP USR1 USR2
set -f
runs=
while read -r word number cgroup; do
  case $word in
  run) runs="$runs $number:$cgroup" ;;
  done)
    left=
    for run in $runs; do
      [ "${run%%:*}" = "$number" ] || left="$left $run"
    done
    runs=$left
    ;;
  remove) set -- "$@" "$cgroup" ;;
  end) exit 0 ;;
  esac
done
set +f
processes=/proc/[0-9]*
kill_one() {
  text=
  while read -r line; do text="$text $line"; done < "/proc/$1/stat"
  fields=${text##*) }
  state=${fields%% *}
  case $state in '' | Z | X) return ;; esac
  kill -KILL "$1"
  found=yes
}
kill_session() {
  for process in $processes; do
    text=
    while read -r line; do text="$text $line"; done < "$process/stat"
    set -- "$1" ${text##*) }
    [ "$5" = "$1" ] && kill_one "${process#/proc/}"
  done
}
pass=0
found=yes
while [ "$found" ] && [ $pass -lt 500 ]; do
  found=
  pass=$((pass + 1))
  for run in $runs; do
    number=${run%%:*}
    cgroup=${run#*:}
    kill -KILL "-$number"
    if [ "$cgroup" ]; then
      echo 1 > "$cgroup/cgroup.kill"
      while read -r process; do kill_one "$process"; done < "$cgroup/cgroup.procs"
    else
      kill_session "$number"
    fi
  done
done
for run in $runs; do
  [ "${run#*:}" ] && rmdir "${run#*:}"
done
rm -rf -- "$1"
shift
remove_empty() {
  if [ -d "$1" ]; then rmdir -- "$1"; else [ ! -s "$1" ] && rm -f -- "$1"; fi
}
for path in "$@"; do
  tries=0
  while { [ -d "$path" ] || [ -k "$path" ]; } && [ $tries -lt 10 ]; do
    tries=$((tries + 1))
    (flock -n -x 9 && [ /proc/self/fd/9 -ef "$path" ] && remove_empty "$path") 9< "$path" && break
    sleep 0.1
  done
done
)";

// Made by the parent; the child and its child read it and leave in it what became of them.
struct WatchPlan {
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  void* stack = nullptr;  // of the second child
  int input = -1;
  int nowhere = -1;
  pid_t id = -1;
  int problem = 0;  // errno
};

WRIGHT_IN_CHILD int run_watch(void* argument) {
  WatchPlan& plan = *static_cast<WatchPlan*>(argument);
  // Away from the terminal and from the signals of its keys.
  const bool is_apart = ::syscall(SYS_setsid) >= 0 && ::syscall(SYS_chdir, "/") == 0;
  plan.problem = is_apart ? reset_signals() : errno;
  if (plan.problem == 0) plan.problem = set_streams(plan.input, plan.nowhere, plan.nowhere);
  if (plan.problem == 0) {
    close_all_from(kAfterStreams);
    ::syscall(SYS_execve, "/bin/sh", plan.arguments, plan.environment);
    plan.problem = errno;
  }
  ::syscall(SYS_exit_group, 127);
  return 127;
}

// Its child becomes an orphan, which whoever looks after orphans waits for.
WRIGHT_IN_CHILD int run_between(void* argument) {
  WatchPlan& plan = *static_cast<WatchPlan*>(argument);
  plan.id = start_child(run_watch, plan.stack, SIGCHLD, argument);
  if (plan.id < 0) plan.problem = errno;
  ::syscall(SYS_exit_group, 0);
  return 0;
}

std::unexpected<Error> cannot_watch(int problem) {
  return fail(ErrorCode::unavailable, fmt::format("the shell that watches cannot be started: {}",
                                                  std::generic_category().message(problem)));
}

void send_line(int socket, std::string_view line) {
  // Fails when the process is gone: then nothing watches, and the next run says so.
  (void)::send(socket, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

// Each folder is announced once.
struct ParentWatch::Announced {
  std::mutex mutex;
  std::set<std::string> placeholders;
};

ParentWatch::ParentWatch(pid_t id, FileDescriptor process, FileDescriptor socket)
    : id_(id),
      process_(std::move(process)),
      socket_(std::move(socket)),
      announced_(std::make_shared<Announced>()) {}

void ParentWatch::remove_later(const std::string& placeholder) const {
  const std::lock_guard lock(announced_->mutex);
  // A path cannot contain a line end, or end with blanks.
  if (placeholder.find('\n') != std::string::npos || placeholder.ends_with(' ')) return;
  if (announced_->placeholders.insert(placeholder).second)
    send_line(socket_.get(), "remove 0 " + placeholder + "\n");
}

Result<ParentWatch> ParentWatch::start(const std::filesystem::path& folder) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return cannot_watch(errno);
  }
  const FileDescriptor given_here(ends[0]);
  const FileDescriptor given_there(ends[1]);
  FileDescriptor here(::fcntl(ends[0], F_DUPFD_CLOEXEC, 3));
  const FileDescriptor there(::fcntl(ends[1], F_DUPFD_CLOEXEC, 3));
  const FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const FileDescriptor nowhere(::fcntl(null.get(), F_DUPFD_CLOEXEC, 3));
  const ChildStack stack;
  const ChildStack second_stack;
  if (!here.is_open() || !there.is_open() || !nowhere.is_open()) return cannot_watch(errno);
  if (!stack.is_there() || !second_stack.is_there()) return cannot_watch(ENOMEM);

  std::string texts[] = {"sh", "-c", kScript, "wright-watch", folder.string()};
  std::string search_path = "PATH=/usr/bin:/bin";
  char* arguments[] = {texts[0].data(), texts[1].data(), texts[2].data(),
                       texts[3].data(), texts[4].data(), nullptr};
  char* environment[] = {search_path.data(), nullptr};
  WatchPlan plan{.arguments = arguments,
                 .environment = environment,
                 .stack = second_stack.top(),
                 .input = there.get(),
                 .nowhere = nowhere.get()};
  pid_t between = -1;
  {
    const WithoutSignals blocked;
    // Without a termination signal, no wait() of this program sees it.
    between = start_child(run_between, stack.top(), 0, &plan);
  }
  if (between < 0) return cannot_watch(errno);
  siginfo_t ignored{};
  ::waitid(P_PID, static_cast<id_t>(between), &ignored, WEXITED | __WALL);
  if (plan.problem != 0) return cannot_watch(plan.problem);
  FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, plan.id, 0)));
  return ParentWatch(plan.id, std::move(process), std::move(here));
}

ParentWatch::~ParentWatch() {
  if (!socket_.is_open()) return;
  send_line(socket_.get(), "end\n");
  // Even if a forked copy of this program also has the socket.
  ::shutdown(socket_.get(), SHUT_WR);
  // Its parent is another process, unless this program is a subreaper.
  siginfo_t ended{};
  const auto descriptor = static_cast<id_t>(process_.get());
  if (::waitid(static_cast<idtype_t>(P_PIDFD), descriptor, &ended, WEXITED | WNOHANG) != 0) return;
  pollfd watched{process_.get(), POLLIN, 0};
  ::poll(&watched, 1, kPatienceMilliseconds);
  ::waitid(static_cast<idtype_t>(P_PIDFD), descriptor, &ended, WEXITED | WNOHANG);
}

bool ParentWatch::is_alive() const {
  pollfd watched{process_.get(), POLLIN, 0};
  return ::poll(&watched, 1, 0) == 0;
}

std::string ParentWatch::announcement(const std::filesystem::path& cgroup) {
  return fmt::format("{}{} {}\n", kStart, std::string(kDigits, ' '), cgroup.string());
}

WRIGHT_IN_CHILD void ParentWatch::write_number(char* announcement, pid_t process) {
  std::size_t at = kStart.size() + kDigits;
  for (; process > 0; process /= 10) announcement[--at] = static_cast<char>('0' + process % 10);
}

void ParentWatch::forget(pid_t process) const {
  send_line(socket_.get(), fmt::format("done {}\n", process));
}

}  // namespace wright::sandbox
