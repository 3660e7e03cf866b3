#include "sandbox/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "sandbox/landlock.h"

// The child shares memory, and even errno, with its suspended parent: nothing here may allocate,
// lock, or be followed by a sanitizer.
#define WRIGHT_IN_CHILD __attribute__((no_sanitize("address", "undefined", "thread"), noinline))

namespace wright::sandbox {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;
constexpr int kLastSignal = 64;

// As the kernel wants it; all zero is the default action on every architecture.
struct KernelSignalAction {
  std::array<unsigned long, 8> words{};
};

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
  SpawnFailure failure{};
};

WRIGHT_IN_CHILD int reset_signals() {
  KernelSignalAction default_action;
  for (int signal = 1; signal <= kLastSignal; ++signal) {
    // Fails for those that cannot be caught, which need no resetting.
    ::syscall(SYS_rt_sigaction, signal, &default_action, nullptr, 8);
  }
  const unsigned long none = 0;
  return ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, 8) == 0 ? 0 : errno;
}

WRIGHT_IN_CHILD int set_streams(const ChildPlan& plan) {
  // The parent's descriptors are all above 2.
  if (::syscall(SYS_dup3, plan.input, 0, 0) < 0) return errno;
  if (::syscall(SYS_dup3, plan.output, 1, 0) < 0) return errno;
  if (::syscall(SYS_dup3, plan.error, 2, 0) < 0) return errno;
  return 0;
}

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

// Everything but the three streams.
WRIGHT_IN_CHILD void close_the_rest() {
  if (::syscall(SYS_close_range, 3U, ~0U, 0) == 0) return;
  constexpr int kHighest = 65536;
  for (int descriptor = 3; descriptor < kHighest; ++descriptor) ::syscall(SYS_close, descriptor);
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
  problem = set_streams(plan);
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
  close_the_rest();
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

class Stack {
 public:
  Stack()
      : memory_(::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {}
  ~Stack() {
    if (is_there()) ::munmap(memory_, kStackBytes);
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  bool is_there() const { return memory_ != MAP_FAILED; }
  void* top() const { return static_cast<char*>(memory_) + kStackBytes; }

 private:
  void* memory_;
};

// No handler of the parent may run in the child, which has its memory.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_{};
};

std::string_view doing(SpawnStep step) {
  switch (step) {
    case SpawnStep::start: return "start a process";
    case SpawnStep::process_group: return "make a process group";
    case SpawnStep::working_directory: return "enter the working directory";
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
  const Stack stack;
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
    siginfo_t ignored{};
    ::waitid(P_PID, static_cast<id_t>(id), &ignored, WEXITED | __WALL);
    return std::unexpected(plan.failure);
  }
  return process;
}

}  // namespace wright::sandbox
