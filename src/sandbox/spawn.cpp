#include "sandbox/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <poll.h>
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
#include <system_error>

#include "sandbox/child_process.h"
#include "sandbox/landlock.h"
#include "sandbox/mount_calls.h"

namespace wright::sandbox {
namespace {

// The descriptors where the first process of a PID namespace writes its report and finds its own
// program.
constexpr int kReportDescriptor = 3;
constexpr int kProgramDescriptor = 4;

// A mount over a path of the tree, ready for the child.
struct PlannedMount {
  const char* source = nullptr;  // null: the target itself, also where it is a link
  const char* target = nullptr;
  FileIdentity file = {};  // what must be there
  bool is_made_read_only = false;
};

// Created by the parent. The child reads it and leaves a failure in it.
struct ChildPlan {
  const char* program = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  const char* working_directory = nullptr;
  int input = -1;
  int output = -1;
  int error = -1;
  int cgroup = -1;
  int landlock = -1;
  sock_fprog filter{};
  bool drops_capabilities = false;
  std::uint64_t kept_capabilities = 0;
  const ResourceLimit* limits = nullptr;
  std::size_t limit_count = 0;
  pid_t parent = 0;
  int watch = -1;
  char* announcement = nullptr;
  std::size_t announcement_bytes = 0;
  bool has_namespaces = false;
  int user_namespace = -1;
  int mount_namespace = -1;
  int network_namespace = -1;
  int first_process = -1;
  int report = -1;
  bool has_own_proc = false;
  const PlannedMount* mounts = nullptr;
  std::size_t mount_count = 0;
  bool passes_over_moved = false;
  void* stack = nullptr;  // of the second child
  pid_t id = -1;          // of the process that becomes the program, as this program sees it
  SpawnFailure failure{};
};

WRIGHT_IN_CHILD int set_limits(const ChildPlan& plan) {
  for (std::size_t i = 0; i < plan.limit_count; ++i) {
    const ResourceLimit& limit = plan.limits[i];
    if (::syscall(SYS_prlimit64, 0, limit.resource, &limit.value, nullptr) != 0) return errno;
  }
  return 0;
}

WRIGHT_IN_CHILD int drop_capabilities(std::uint64_t kept) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  data[0].effective = data[0].permitted = static_cast<std::uint32_t>(kept);
  data[1].effective = data[1].permitted = static_cast<std::uint32_t>(kept >> 32);
  ::syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return ::syscall(SYS_capset, &header, data) == 0 ? 0 : errno;
}

// The kernel then kills this process before the program that started it.
WRIGHT_IN_CHILD void volunteer_when_memory_runs_out() {
  const long file =
      ::syscall(SYS_openat, AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) ::syscall(SYS_write, file, "500", 3);
}

// 0, or an errno.
WRIGHT_IN_CHILD int announce(const ChildPlan& plan) {
  ParentWatch::write_number(plan.announcement, plan.id);
  const long sent = ::syscall(SYS_sendto, plan.watch, plan.announcement, plan.announcement_bytes,
                              MSG_NOSIGNAL | MSG_DONTWAIT, nullptr, 0);
  if (sent < 0) return errno;
  return static_cast<std::size_t>(sent) == plan.announcement_bytes ? 0 : EPIPE;
}

WRIGHT_IN_CHILD int fail_at(ChildPlan& plan, SpawnStep step, int problem) {
  plan.failure.step = step;
  plan.failure.problem = problem;
  ::syscall(SYS_exit_group, 127);
  return 127;
}

// Ends with the thread that waits for it, even when that is killed.
WRIGHT_IN_CHILD void end_with_parent() {
  ::syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

// Mounts over exactly the file that was found, wherever others move it meanwhile; of a link, over
// the link itself. What is mounted on itself cannot be moved or removed. 0, or an errno.
WRIGHT_IN_CHILD int mount_over(const PlannedMount& mount, int target) {
  struct stat status {};
  if (::syscall(SYS_fstat, target, &status) != 0) return errno;
  if (status.st_dev != mount.file.device || status.st_ino != mount.file.number) return ESTALE;
  constexpr unsigned kCopy = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE;
  const long tree = mount.source == nullptr
                        ? ::syscall(SYS_open_tree, target, "", kCopy | AT_EMPTY_PATH)
                        : ::syscall(SYS_open_tree, AT_FDCWD, mount.source, kCopy);
  if (tree < 0) return errno;
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  const bool is_mounted = (!mount.is_made_read_only ||
                           ::syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE,
                                     &read_only, sizeof read_only) == 0) &&
                          ::syscall(SYS_move_mount, tree, "", target, "",
                                    MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
  const int problem = is_mounted ? 0 : errno;
  ::syscall(SYS_close, tree);
  return problem;
}

WRIGHT_IN_CHILD bool is_of_moved(int problem) {
  return problem == ESTALE || problem == ENOENT || problem == ENOTDIR || problem == ELOOP;
}

// In the child's own copy of the tree. 0, or an errno.
WRIGHT_IN_CHILD int guard_paths(const ChildPlan& plan) {
  for (std::size_t i = 0; i < plan.mount_count; ++i) {
    const PlannedMount& each = plan.mounts[i];
    const long target =
        ::syscall(SYS_openat, AT_FDCWD, each.target, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    const int problem = target < 0 ? errno : mount_over(each, static_cast<int>(target));
    if (target >= 0) ::syscall(SYS_close, target);
    if (problem != 0 && !(plan.passes_over_moved && is_of_moved(problem))) return problem;
  }
  return 0;
}

WRIGHT_IN_CHILD int execute(ChildPlan& plan) {
  if (plan.program == nullptr) {
    ::syscall(SYS_exit_group, 0);
    return 0;
  }
  if (plan.has_namespaces) {
    ::syscall(SYS_execveat, kProgramDescriptor, "", plan.arguments, plan.environment,
              AT_EMPTY_PATH);
    return fail_at(plan, SpawnStep::first_process, errno);
  }
  ::syscall(SYS_execve, plan.program, plan.arguments, plan.environment);
  return fail_at(plan, SpawnStep::program, errno);
}

// The part that is the same with and without namespaces: from the working directory to the program.
WRIGHT_IN_CHILD int confine_and_execute(ChildPlan& plan) {
  if (::syscall(SYS_chdir, plan.working_directory) != 0) {
    return fail_at(plan, SpawnStep::working_directory, errno);
  }
  int problem = set_limits(plan);
  if (problem != 0) return fail_at(plan, SpawnStep::limits, problem);
  if (plan.drops_capabilities) {
    problem = drop_capabilities(plan.kept_capabilities);
    if (problem != 0) return fail_at(plan, SpawnStep::capabilities, problem);
  }
  if (::syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail_at(plan, SpawnStep::no_new_privileges, errno);
  }
  if (plan.landlock >= 0) {
    problem = restrict_self(plan.landlock);
    if (problem != 0) return fail_at(plan, SpawnStep::landlock, problem);
  }
  if (plan.has_namespaces && plan.program != nullptr) {
    if (::syscall(SYS_dup3, plan.report, kReportDescriptor, 0) < 0 ||
        ::syscall(SYS_dup3, plan.first_process, kProgramDescriptor, O_CLOEXEC) < 0) {
      return fail_at(plan, SpawnStep::first_process, errno);
    }
    close_all_from(kProgramDescriptor + 1);
  } else {
    close_all_from(kAfterStreams);
  }
  if (plan.filter.len > 0 &&
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &plan.filter) != 0) {
    return fail_at(plan, SpawnStep::filter, errno);
  }
  return execute(plan);
}

WRIGHT_IN_CHILD int run_child(void* argument) {
  ChildPlan& plan = *static_cast<ChildPlan*>(argument);
  int problem = 0;
  if (::syscall(SYS_setsid) < 0) return fail_at(plan, SpawnStep::process_group, errno);
  end_with_parent();
  if (::syscall(SYS_getppid) != plan.parent) ::syscall(SYS_exit_group, 127);
  problem = reset_signals();
  if (problem != 0) return fail_at(plan, SpawnStep::process_group, problem);
  plan.id = static_cast<pid_t>(::syscall(SYS_getpid));
  if (plan.watch >= 0) problem = announce(plan);
  if (problem != 0) return fail_at(plan, SpawnStep::watch, problem);
  // Before the streams, which may take the place of its descriptor.
  if (plan.cgroup >= 0 && ::syscall(SYS_write, plan.cgroup, "0", 1) != 1) {
    return fail_at(plan, SpawnStep::cgroup, errno);
  }
  problem = set_streams(plan.input, plan.output, plan.error);
  if (problem != 0) return fail_at(plan, SpawnStep::streams, problem);
  volunteer_when_memory_runs_out();
  return confine_and_execute(plan);
}

// The first process of a PID namespace.
WRIGHT_IN_CHILD int run_inside(void* argument) {
  ChildPlan& plan = *static_cast<ChildPlan*>(argument);
  if (::syscall(SYS_setsid) < 0) return fail_at(plan, SpawnStep::process_group, errno);
  // Whether the parent has ended already cannot be seen from here; the watching process sees it.
  end_with_parent();
  int problem = plan.watch >= 0 ? announce(plan) : 0;
  if (problem != 0) return fail_at(plan, SpawnStep::watch, problem);
  problem = set_streams(plan.input, plan.output, plan.error);
  if (problem != 0) return fail_at(plan, SpawnStep::streams, problem);
  problem = guard_paths(plan);
  if (problem != 0) return fail_at(plan, SpawnStep::guarded, problem);
  constexpr unsigned long kFlags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (plan.has_own_proc && ::syscall(SYS_mount, "proc", "/proc", "proc", kFlags, nullptr) != 0) {
    return fail_at(plan, SpawnStep::proc, errno);
  }
  return confine_and_execute(plan);
}

// Enters the namespaces of the sandbox, and starts the first process of a run in them.
WRIGHT_IN_CHILD int run_outside(void* argument) {
  ChildPlan& plan = *static_cast<ChildPlan*>(argument);
  end_with_parent();
  if (::syscall(SYS_getppid) != plan.parent) ::syscall(SYS_exit_group, 127);
  const int problem = reset_signals();
  if (problem != 0) return fail_at(plan, SpawnStep::process_group, problem);
  if (plan.cgroup >= 0 && ::syscall(SYS_write, plan.cgroup, "0", 1) != 1) {
    return fail_at(plan, SpawnStep::cgroup, errno);
  }
  volunteer_when_memory_runs_out();
  // The user namespace first: it grants the right to enter the others.
  if ((plan.user_namespace >= 0 && ::syscall(SYS_setns, plan.user_namespace, CLONE_NEWUSER) != 0) ||
      (plan.network_namespace >= 0 &&
       ::syscall(SYS_setns, plan.network_namespace, CLONE_NEWNET) != 0) ||
      ::syscall(SYS_setns, plan.mount_namespace, CLONE_NEWNS) != 0) {
    return fail_at(plan, SpawnStep::namespaces, errno);
  }
  // Its parent is the program, not this child.
  constexpr int kFlags =
      CLONE_PARENT | CLONE_PARENT_SETTID | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC;
  if (start_child(run_inside, plan.stack, kFlags, argument, &plan.id) < 0) {
    return fail_at(plan, SpawnStep::namespaces, errno);
  }
  ::syscall(SYS_exit_group, 0);
  return 0;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> made;
  made.reserve(texts.size() + 1);
  for (const std::string& text : texts) made.push_back(const_cast<char*>(text.c_str()));
  made.push_back(nullptr);
  return made;
}

std::string_view doing(SpawnStep step) {
  switch (step) {
    case SpawnStep::start: return "start a process";
    case SpawnStep::process_group: return "make a process group";
    case SpawnStep::working_directory: return "enter the working directory";
    case SpawnStep::watch: return "reach the process that would end it if this program is killed";
    case SpawnStep::namespaces: return "enter its namespaces";
    case SpawnStep::first_process: return "start its first process";
    case SpawnStep::guarded: return "protect what it must not change or read";
    case SpawnStep::proc: return "mount its own /proc";
    case SpawnStep::streams: return "connect its output";
    case SpawnStep::limits: return "set its limits";
    case SpawnStep::cgroup: return "enter its cgroup";
    case SpawnStep::capabilities: return "drop capabilities";
    case SpawnStep::no_new_privileges: return "give up new privileges";
    case SpawnStep::landlock: return "confine it with Landlock";
    case SpawnStep::filter: return "filter its system calls";
    case SpawnStep::program: break;
  }
  return "run the program";
}

void wait_for(pid_t process) {
  siginfo_t ignored{};
  ::waitid(P_PID, static_cast<id_t>(process), &ignored, WEXITED | __WALL);
}

std::vector<PlannedMount> planned(const std::vector<GuardedMount>& guarded,
                                  const NamespaceEntry& entry) {
  std::vector<PlannedMount> mounts;
  for (const GuardedMount& each : guarded) {
    const char* path = each.path.c_str();
    switch (each.kind) {
      case GuardedMount::Kind::read_only: mounts.push_back({nullptr, path, each.file, true}); break;
      case GuardedMount::Kind::pinned: mounts.push_back({nullptr, path, each.file}); break;
      case GuardedMount::Kind::hidden_file:
        mounts.push_back({entry.hidden_file.c_str(), path, each.file});
        break;
      case GuardedMount::Kind::hidden_folder:
        mounts.push_back({entry.hidden_folder.c_str(), path, each.file});
        break;
    }
  }
  return mounts;
}

// What the first process of a run reports: 0, or the errno with which the program failed to start.
int program_problem(int report, int process) {
  std::array<pollfd, 2> watched{pollfd{report, POLLIN, 0}, pollfd{process, POLLIN, 0}};
  while (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) {
  }
  int problem = 0;
  // It ended before it could report: then its exit status counts.
  if (watched[0].revents == 0) return 0;
  return ::read(report, &problem, sizeof problem) == sizeof problem ? problem : 0;
}

}  // namespace

std::string to_text(const SpawnFailure& failure) {
  return fmt::format("Cannot {}: {}", doing(failure.step),
                     std::generic_category().message(failure.problem));
}

bool has_moved(const SpawnFailure& failure) {
  return failure.step == SpawnStep::guarded && is_of_moved(failure.problem);
}

std::expected<SpawnedProcess, SpawnFailure> spawn(const SpawnRequest& request,
                                                  const Confinement& confinement) {
  const NamespaceEntry& entry = confinement.entry;
  const bool has_namespaces = entry.namespaces != nullptr;
  std::vector<char*> arguments = pointers(request.arguments);
  if (has_namespaces) {
    // A name for the first process, and the program that it starts.
    static char kName[] = "wright-run";
    arguments.insert(arguments.begin(), {kName, const_cast<char*>(request.program.c_str())});
  }
  const std::vector<char*> environment = pointers(request.environment);
  const std::vector<PlannedMount> mounts = planned(request.guarded, entry);
  const ChildStack stack;
  const ChildStack second_stack;
  if (!stack.is_there() || !second_stack.is_there()) {
    return std::unexpected(SpawnFailure{SpawnStep::start, ENOMEM});
  }
  ChildPlan plan;
  plan.program = request.program.empty() ? nullptr : request.program.c_str();
  plan.arguments = arguments.data();
  plan.environment = environment.data();
  plan.working_directory = request.working_directory.c_str();
  plan.input = request.input;
  plan.output = request.output;
  plan.error = request.error;
  plan.cgroup = request.process_group_file;
  plan.landlock = confinement.landlock_ruleset;
  plan.filter.len = static_cast<unsigned short>(confinement.filter.size());
  plan.filter.filter = const_cast<sock_filter*>(confinement.filter.data());
  plan.drops_capabilities = confinement.kept_capabilities.has_value();
  plan.kept_capabilities = confinement.kept_capabilities.value_or(0);
  plan.limits = confinement.limits.data();
  plan.limit_count = confinement.limits.size();
  plan.parent = ::getpid();
  std::string announcement;
  if (request.watch != nullptr) {
    announcement = ParentWatch::announcement(request.cgroup);
    plan.watch = request.watch->socket();
    plan.announcement = announcement.data();
    plan.announcement_bytes = announcement.size();
  }
  FileDescriptor report;
  FileDescriptor report_end;
  if (has_namespaces) {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      return std::unexpected(SpawnFailure{SpawnStep::start, errno});
    }
    report = FileDescriptor(ends[0]);
    const FileDescriptor writing(ends[1]);
    report_end = FileDescriptor(::fcntl(writing.get(), F_DUPFD_CLOEXEC, 10));
    if (!report_end.is_open()) return std::unexpected(SpawnFailure{SpawnStep::start, errno});
    plan.has_namespaces = true;
    plan.user_namespace = entry.namespaces->user();
    plan.mount_namespace = entry.namespaces->mount();
    plan.network_namespace = entry.namespaces->network();
    plan.first_process = entry.first_process;
    plan.report = report_end.get();
    plan.has_own_proc = entry.proc == NamespaceEntry::Proc::own;
    plan.mounts = mounts.data();
    plan.mount_count = mounts.size();
    plan.passes_over_moved = request.moved == SpawnRequest::Moved::passed_over;
    plan.stack = second_stack.top();
  }

  int descriptor = -1;
  pid_t id = -1;
  int problem = 0;
  {
    const WithoutSignals blocked;
    if (has_namespaces) {
      // Without a termination signal, no wait() of this program sees it.
      id = start_child(run_outside, stack.top(), 0, &plan);
    } else {
      id = start_child(run_child, stack.top(), CLONE_PIDFD | SIGCHLD, &plan, &descriptor);
    }
    problem = errno;
  }
  if (id < 0) return std::unexpected(SpawnFailure{SpawnStep::start, problem});
  if (has_namespaces) {
    wait_for(id);
    report_end = FileDescriptor();
    id = plan.id;
    if (id > 0) descriptor = static_cast<int>(::syscall(SYS_pidfd_open, id, 0));
  }
  SpawnedProcess process{id, FileDescriptor(descriptor)};
  if (plan.failure.problem == 0 && id <= 0) plan.failure = {SpawnStep::start, ECHILD};
  if (plan.failure.problem == 0 && has_namespaces && plan.program != nullptr) {
    plan.failure = {SpawnStep::program, program_problem(report.get(), process.descriptor.get())};
  }
  if (plan.failure.problem != 0) {
    if (request.watch != nullptr && id > 0) request.watch->forget(id);
    if (id > 0) wait_for(id);
    return std::unexpected(plan.failure);
  }
  return process;
}

}  // namespace wright::sandbox
