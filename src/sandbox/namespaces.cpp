#include "sandbox/namespaces.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "sandbox/child_process.h"
#include "sandbox/mount_calls.h"

namespace wright::sandbox {
namespace {

enum class NamespaceStep : int { unshare, map, detach, copy, protect, root, place, pivot, done };

// What the process that creates the namespaces reports.
struct Progress {
  NamespaceStep step = NamespaceStep::unshare;
  int problem = 0;       // errno
  std::size_t part = 0;  // the number of the step of the tree
};

struct Work {
  const FileTree& tree;
  const char* root;
  int flags;
  int channel;
  std::vector<int>& trees;  // a descriptor for each step of the tree
};

[[noreturn]] void leave() {
  ::syscall(SYS_exit_group, 0);
  for (;;) {
  }
}

void tell(const Work& work, Progress progress) {
  (void)!::write(work.channel, &progress, sizeof progress);
}

[[noreturn]] void stop_at(const Work& work, NamespaceStep step, std::size_t part = 0) {
  tell(work, {step, errno, part});
  leave();
}

bool place(const TreeStep& step, int copy) {
  const char* target = step.target.empty() ? "." : step.target.c_str();
  switch (step.kind) {
    case TreeStep::Kind::folder: return ::mkdir(target, 0755) == 0 || errno == EEXIST;
    case TreeStep::Kind::link: return ::symlink(step.source.c_str(), target) == 0;
    case TreeStep::Kind::mount:
      return ::syscall(SYS_move_mount, copy, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0;
    case TreeStep::Kind::file: break;
  }
  const int made = ::open(target, O_CREAT | O_WRONLY | O_CLOEXEC, 0444);
  if (made >= 0) ::close(made);
  return made >= 0;
}

bool set_attributes(int folder, const char* path, int flags, std::uint64_t attributes) {
  mount_attr wanted{};
  wanted.attr_set = attributes;
  return ::syscall(SYS_mount_setattr, folder, path, flags, &wanted, sizeof wanted) == 0;
}

// Everything is copied before anything is mounted, so that no copy contains another.
void copy_all(const Work& work) {
  for (std::size_t i = 0; i < work.tree.steps.size(); ++i) {
    const TreeStep& step = work.tree.steps[i];
    if (step.kind != TreeStep::Kind::mount) continue;
    work.trees[i] = static_cast<int>(::syscall(SYS_open_tree, AT_FDCWD, step.source.c_str(),
                                               OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
    if (work.trees[i] < 0) stop_at(work, NamespaceStep::copy, i);
    if (!set_attributes(work.trees[i], "", AT_EMPTY_PATH | AT_RECURSIVE, step.attributes)) {
      stop_at(work, NamespaceStep::protect, i);
    }
  }
}

// Runs in a process of its own, a single-threaded copy of this one: it allocates nothing.
[[noreturn]] void build(const Work& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (::unshare(work.flags) != 0) stop_at(work, NamespaceStep::unshare);
  tell(work, {NamespaceStep::unshare});
  char mapped = 0;
  if (::read(work.channel, &mapped, 1) != 1) leave();
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    stop_at(work, NamespaceStep::detach);
  }
  copy_all(work);
  const bool is_whole = work.tree.is_whole();
  if (!is_whole && ::mount("wright", work.root, "tmpfs", MS_NOSUID | MS_NODEV,
                           "mode=0755,size=4m,nr_inodes=16k") != 0) {
    stop_at(work, NamespaceStep::root);
  }
  if (::chdir(work.root) != 0) stop_at(work, NamespaceStep::root);
  for (std::size_t i = 0; i < work.tree.steps.size(); ++i) {
    const TreeStep& step = work.tree.steps[i];
    if (!place(step, work.trees[i])) stop_at(work, NamespaceStep::place, i);
    // Into what has just been mounted here.
    if (step.kind == TreeStep::Kind::mount && step.target.empty() && ::chdir(work.root) != 0) {
      stop_at(work, NamespaceStep::place, i);
    }
  }
  if (!is_whole && !set_attributes(AT_FDCWD, ".", 0, MOUNT_ATTR_RDONLY)) {
    stop_at(work, NamespaceStep::root);
  }
  // The old tree is on top of the new one for a moment, and is then detached.
  if (::syscall(SYS_pivot_root, ".", ".") != 0 || ::umount2(".", MNT_DETACH) != 0 ||
      ::chdir("/") != 0) {
    stop_at(work, NamespaceStep::pivot);
  }
  tell(work, {NamespaceStep::done});
  // Until everything has been opened outside.
  (void)!::read(work.channel, &mapped, 1);
  leave();
}

bool write_file(const std::string& path, const std::string& text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.is_open() &&
         ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// The same numbers inside as outside, all of them.
std::string all_numbers(const char* map) {
  std::ifstream file(map);
  std::string lines;
  for (std::string inside, outside, count; file >> inside >> outside >> count;) {
    lines += fmt::format("{0} {0} {1}\n", inside, count);
  }
  return lines;
}

// Root keeps all users and groups, so that files of others stay theirs; everyone else has only
// themselves.
bool map_users(pid_t process) {
  const std::string folder = fmt::format("/proc/{}/", process);
  if (::geteuid() == 0 && write_file(folder + "uid_map", all_numbers("/proc/self/uid_map")) &&
      write_file(folder + "gid_map", all_numbers("/proc/self/gid_map"))) {
    return true;
  }
  return write_file(folder + "setgroups", "deny") &&
         write_file(folder + "uid_map", fmt::format("{0} {0} 1\n", ::geteuid())) &&
         write_file(folder + "gid_map", fmt::format("{0} {0} 1\n", ::getegid()));
}

FileDescriptor open_high(const std::string& path, int flags) {
  const FileDescriptor opened(::open(path.c_str(), flags | O_CLOEXEC));
  return FileDescriptor(::fcntl(opened.get(), F_DUPFD_CLOEXEC, 10));
}

std::string problem_of(const Progress& progress, const FileTree& tree) {
  const auto path = [&](bool source) {
    if (progress.part >= tree.steps.size()) return std::string("?");
    const TreeStep& step = tree.steps[progress.part];
    return source ? step.source : "/" + step.target;
  };
  const auto doing = [&]() -> std::string {
    switch (progress.step) {
      case NamespaceStep::unshare: return "make namespaces";
      case NamespaceStep::map: return "map the user";
      case NamespaceStep::detach: return "detach the tree of files";
      case NamespaceStep::copy: return fmt::format("mount '{}'", path(true));
      case NamespaceStep::protect: return fmt::format("make '{}' read-only", path(true));
      case NamespaceStep::root: return "make an empty tree";
      case NamespaceStep::place: return fmt::format("put '{}' into the tree", path(false));
      case NamespaceStep::pivot: return "enter the tree";
      case NamespaceStep::done: break;
    }
    return "make namespaces";
  };
  return fmt::format("cannot {}: {}", doing(), std::generic_category().message(progress.problem));
}

// The process that creates the namespaces; it ends with this object.
class Builder {
 public:
  Builder(const FileTree& tree, const char* root, int flags) : tree_(tree) {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
    channel_ = FileDescriptor(ends[0]);
    const FileDescriptor there(ends[1]);
    std::vector<int> trees(tree.steps.size(), -1);
    const Work work{tree, root, flags, there.get(), trees};
    const WithoutSignals blocked;
    id_ = ::fork();
    if (id_ == 0) {
      // Holding our end, it would never see us close it.
      ::close(ends[0]);
      build(work);
    }
  }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  ~Builder() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }

  pid_t id() const { return id_; }

  Result<void> next() const {
    Progress progress{.problem = EPIPE};
    if (id_ < 0) progress.problem = EAGAIN;
    ssize_t count = -1;
    do {
      if (id_ > 0) count = ::read(channel_.get(), &progress, sizeof progress);
    } while (count < 0 && errno == EINTR);
    if (progress.problem == 0 && count == sizeof progress) return {};
    return fail(ErrorCode::unsupported, problem_of(progress, tree_));
  }

  void proceed() const { (void)!::send(channel_.get(), "x", 1, MSG_NOSIGNAL); }

 private:
  const FileTree& tree_;
  FileDescriptor channel_;
  pid_t id_ = -1;
};

}  // namespace

Result<Namespaces> Namespaces::make(const FileTree& tree, const std::filesystem::path& root,
                                    NetworkAccess network) {
  const int own_network = network == NetworkAccess::on ? 0 : CLONE_NEWNET;
  std::string problem;
  // Root can do without a user namespace, which some machines forbid.
  for (const int own_user : {CLONE_NEWUSER, 0}) {
    if (own_user == 0 && ::geteuid() != 0) break;
    const Builder builder(tree, root.c_str(), CLONE_NEWNS | own_network | own_user);
    auto made = builder.next();
    if (made && own_user != 0 && !map_users(builder.id())) {
      made = fail(ErrorCode::unsupported, problem_of({NamespaceStep::map, errno}, tree));
    }
    if (made) {
      builder.proceed();
      made = builder.next();
    }
    if (!made) {
      problem += (problem.empty() ? "" : "; without a user namespace: ") + made.error().message;
      continue;
    }
    const std::string process = fmt::format("/proc/{}/", builder.id());
    Namespaces entered;
    if (own_user != 0) entered.user_ = open_high(process + "ns/user", O_RDONLY);
    if (own_network != 0) entered.network_ = open_high(process + "ns/net", O_RDONLY);
    entered.mount_ = open_high(process + "ns/mnt", O_RDONLY);
    entered.root_ = open_high(process + "root", O_PATH | O_DIRECTORY);
    const bool has_all = entered.mount_.is_open() && entered.root_.is_open() &&
                         (own_user == 0 || entered.user_.is_open()) &&
                         (own_network == 0 || entered.network_.is_open());
    if (has_all) return entered;
    problem +=
        fmt::format("cannot open the namespaces: {}", std::generic_category().message(errno));
  }
  return fail(ErrorCode::unsupported, std::move(problem));
}

FileDescriptor Namespaces::find(const std::string& path, int flags) const {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(O_PATH | O_CLOEXEC | flags);
  how.resolve = RESOLVE_IN_ROOT;
  return FileDescriptor(
      static_cast<int>(::syscall(SYS_openat2, root_.get(), path.c_str(), &how, sizeof how)));
}

}  // namespace wright::sandbox
