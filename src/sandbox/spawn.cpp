#include "sandbox/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "sandbox/child_process.h"
#include "sandbox/landlock.h"

namespace wright::sandbox {
namespace {

// Made by the parent. The child reads it and leaves a failure in it.
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

// The kernel then ends this before the program that started it.
WRIGHT_IN_CHILD void volunteer_when_memory_runs_out() {
  const long file =
      ::syscall(SYS_openat, AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) ::syscall(SYS_write, file, "500", 3);
}

// 0, or an errno.
WRIGHT_IN_CHILD int announce(const ChildPlan& plan) {
  ParentWatch::write_number(plan.announcement, static_cast<pid_t>(::syscall(SYS_getpid)));
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

WRIGHT_IN_CHILD int run_child(void* argument) {
  ChildPlan& plan = *static_cast<ChildPlan*>(argument);
  int problem = 0;
  if (::syscall(SYS_setsid) < 0) return fail_at(plan, SpawnStep::process_group, errno);
  // Ends with the thread that waits for it, also when that is killed.
  ::syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (::syscall(SYS_getppid) != plan.parent) ::syscall(SYS_exit_group, 127);
  problem = reset_signals();
  if (problem != 0) return fail_at(plan, SpawnStep::process_group, problem);
  if (plan.watch >= 0) problem = announce(plan);
  if (problem != 0) return fail_at(plan, SpawnStep::watch, problem);
  problem = set_streams(plan.input, plan.output, plan.error);
  if (problem != 0) return fail_at(plan, SpawnStep::streams, problem);
  if (plan.cgroup >= 0 && ::syscall(SYS_write, plan.cgroup, "0", 1) != 1) {
    return fail_at(plan, SpawnStep::cgroup, errno);
  }
  volunteer_when_memory_runs_out();
  if (::syscall(SYS_chdir, plan.working_directory) != 0) {
    return fail_at(plan, SpawnStep::working_directory, errno);
  }
  problem = set_limits(plan);
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
  close_all_but_streams();
  if (plan.filter.len > 0 &&
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &plan.filter) != 0) {
    return fail_at(plan, SpawnStep::filter, errno);
  }
  if (plan.program == nullptr) {
    ::syscall(SYS_exit_group, 0);
    return 0;
  }
  ::syscall(SYS_execve, plan.program, plan.arguments, plan.environment);
  return fail_at(plan, SpawnStep::program, errno);
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

}  // namespace

std::string to_text(const SpawnFailure& failure) {
  return fmt::format("Cannot {}: {}", doing(failure.step),
                     std::generic_category().message(failure.problem));
}

std::expected<SpawnedProcess, SpawnFailure> spawn(const SpawnRequest& request,
                                                  const Confinement& confinement) {
  const std::vector<char*> arguments = pointers(request.arguments);
  const std::vector<char*> environment = pointers(request.environment);
  const ChildStack stack;
  if (!stack.is_there()) return std::unexpected(SpawnFailure{SpawnStep::start, ENOMEM});
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

  int descriptor = -1;
  pid_t id = -1;
  int problem = 0;
  {
    const WithoutSignals blocked;
    id = ::clone(run_child, stack.top(), CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &plan,
                 &descriptor);
    problem = errno;
  }
  if (id < 0) return std::unexpected(SpawnFailure{SpawnStep::start, problem});
  SpawnedProcess process{id, FileDescriptor(descriptor)};
  if (plan.failure.problem != 0) {
    if (request.watch != nullptr) request.watch->forget(id);
    siginfo_t ignored{};
    ::waitid(P_PID, static_cast<id_t>(id), &ignored, WEXITED | __WALL);
    return std::unexpected(plan.failure);
  }
  return process;
}

}  // namespace wright::sandbox
