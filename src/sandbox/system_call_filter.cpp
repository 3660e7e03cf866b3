// The only file that uses libseccomp.
#include "sandbox/system_call_filter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>

#include "core/file_descriptor.h"

namespace wright::sandbox {
namespace {

// Ways to inspect other processes, to change the machine, to reach the file system or the network
// past the other layers, and parts of the kernel that builds and scripts do not need.
constexpr const char* kForbidden[] = {"acct",
                                      "add_key",
                                      "adjtimex",
                                      "bpf",
                                      "chroot",
                                      "clock_adjtime",
                                      "clock_settime",
                                      "create_module",
                                      "delete_module",
                                      "fanotify_init",
                                      "file_setattr",
                                      "finit_module",
                                      "fsconfig",
                                      "fsmount",
                                      "fsopen",
                                      "fspick",
                                      "init_module",
                                      "io_uring_enter",
                                      "io_uring_register",
                                      "io_uring_setup",
                                      "ioperm",
                                      "iopl",
                                      "kcmp",
                                      "kexec_file_load",
                                      "kexec_load",
                                      "keyctl",
                                      "listmount",
                                      "listns",
                                      "lookup_dcookie",
                                      "lsm_set_self_attr",
                                      "modify_ldt",
                                      "mount",
                                      "mount_setattr",
                                      "move_mount",
                                      "name_to_handle_at",
                                      "nfsservctl",
                                      "open_by_handle_at",
                                      "open_tree",
                                      "open_tree_attr",
                                      "perf_event_open",
                                      "pidfd_getfd",
                                      "pivot_root",
                                      "process_madvise",
                                      "process_mrelease",
                                      "process_vm_readv",
                                      "process_vm_writev",
                                      "ptrace",
                                      "quotactl",
                                      "quotactl_fd",
                                      "reboot",
                                      "request_key",
                                      "setdomainname",
                                      "sethostname",
                                      "setns",
                                      "settimeofday",
                                      "statmount",
                                      "stime",
                                      "swapoff",
                                      "swapon",
                                      "syslog",
                                      "umount",
                                      "umount2",
                                      "unshare",
                                      "userfaultfd",
                                      "uselib",
                                      "vhangup",
                                      "vm86",
                                      "vm86old"};

// Calls that are newer than the library, which does not know their names. They have the same
// numbers everywhere.
struct YoungCall {
  const char* name;
  int number;
};
constexpr YoungCall kYoungCalls[] = {
    {"mount_setattr", 442},     {"quotactl_fd", 443},  {"process_mrelease", 448},
    {"fchmodat2", 452},         {"statmount", 457},    {"listmount", 458},
    {"lsm_set_self_attr", 460}, {"setxattrat", 463},   {"removexattrat", 466},
    {"open_tree_attr", 467},    {"file_setattr", 469}, {"listns", 470}};

// Calls whose effect outlives the command and reaches other processes: memory, semaphores and
// queues that have a number or a name.
constexpr const char* kSharedIpc[] = {
    "shmget",       "shmat",           "shmctl",    "shmdt",        "msgget",
    "msgsnd",       "msgrcv",          "msgctl",    "semget",       "semop",
    "semctl",       "semtimedop",      "ipc",       "mq_open",      "mq_unlink",
    "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr"};

// Calls that change a file by its path, without opening it, and are not needed for ordinary work.
// Modes and times are needed, and cannot be distinguished here.
constexpr const char* kOwnersByPath[] = {"chown", "chown32", "lchown", "lchown32", "fchownat"};
constexpr const char* kAttributesByPath[] = {"setxattr",    "lsetxattr",    "setxattrat",
                                             "removexattr", "lremovexattr", "removexattrat"};

constexpr std::uint64_t kNamespaces[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                         CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};

constexpr std::uint32_t kPriorityOfUser = 3;  // IOPRIO_WHO_USER

// The flags with which the kernel looks at the mode of an open. O_TMPFILE makes a file that linkat
// names later; it contains O_DIRECTORY, which makes nothing.
constexpr std::uint64_t kCreatingFlags[] = {O_CREAT, O_TMPFILE & ~O_DIRECTORY};

// The kernel looks only at the lower half of such an argument, so the upper half must not matter.
scmp_arg_cmp equals(unsigned argument, std::uint32_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, 0xFFFFFFFF, value};
}
scmp_arg_cmp is_not(unsigned argument, std::uint32_t value) {
  return {argument, SCMP_CMP_NE, value, 0};
}
scmp_arg_cmp is_above(unsigned argument, std::uint32_t value) {
  return {argument, SCMP_CMP_GT, value, 0};
}
scmp_arg_cmp has_flag(unsigned argument, std::uint64_t flag) {
  return {argument, SCMP_CMP_MASKED_EQ, flag, flag};
}

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ALLOW)) {
    if (context_ == nullptr) problem_ = ENOMEM;
  }

  template <class... Conditions>
  void refuse(const char* name, int error, Conditions... conditions) {
    int call = seccomp_syscall_resolve_name(name);
    if (call == __NR_SCMP_ERROR) {
      for (const YoungCall& young : kYoungCalls) {
        if (name == std::string_view(young.name)) call = young.number;
      }
    }
    // A call that this architecture or this version of the library does not have.
    if (call == __NR_SCMP_ERROR || problem_ != 0) return;
    const int result =
        seccomp_rule_add(context_.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)), call,
                         sizeof...(conditions), conditions...);
    // A negative number is a call of another architecture.
    if (result != 0 && call >= 0) problem_ = -result;
  }

  Result<std::vector<sock_filter>> program() {
    const FileDescriptor file(::memfd_create("wright-filter", MFD_CLOEXEC));
    if (problem_ == 0 && !file.is_open()) problem_ = errno;
    if (problem_ == 0) problem_ = -seccomp_export_bpf(context_.get(), file.get());
    if (problem_ != 0) return refused();
    const off_t bytes = ::lseek(file.get(), 0, SEEK_END);
    std::vector<sock_filter> program(static_cast<std::size_t>(bytes) / sizeof(sock_filter));
    if (::pread(file.get(), program.data(), static_cast<std::size_t>(bytes), 0) != bytes) {
      problem_ = errno;
      return refused();
    }
    return program;
  }

 private:
  std::unexpected<Error> refused() const {
    return fail(ErrorCode::unsupported, fmt::format("The system call filter cannot be built: {}",
                                                    std::generic_category().message(problem_)));
  }

  struct Release {
    void operator()(void* context) const { seccomp_release(context); }
  };
  std::unique_ptr<void, Release> context_;
  int problem_ = 0;
};

void refuse_networks(Filter& filter, NetworkAccess network) {
  if (network == NetworkAccess::on) {
    // Only the internet, Unix sockets, and information about interfaces.
    for (int family = 0; family <= AF_NETLINK; ++family) {
      const bool is_allowed =
          family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
      const auto number = static_cast<std::uint32_t>(family);
      if (!is_allowed) filter.refuse("socket", EPERM, equals(0, number));
    }
    filter.refuse("socket", EPERM, is_above(0, AF_NETLINK));
    return;
  }
  filter.refuse("socket", EPERM, is_not(0, AF_UNIX));
  if (network == NetworkAccess::local) return;
  // A Unix socket can lead to a service that can do anything, such as a container daemon. A
  // datagram socket reaches it without a connection.
  filter.refuse("connect", EPERM);
  for (const std::uint32_t type : {SOCK_DGRAM, SOCK_RAW}) {
    constexpr std::uint64_t kTypeBits = 0xF;
    filter.refuse("socket", EPERM, scmp_arg_cmp{1, SCMP_CMP_MASKED_EQ, kTypeBits, type});
    filter.refuse("socketpair", EPERM, scmp_arg_cmp{1, SCMP_CMP_MASKED_EQ, kTypeBits, type});
  }
}

// Files that run with the rights of their owner: created inside, they could be used from outside.
void refuse_set_user_id(Filter& filter) {
  for (const std::uint64_t bit : {S_ISUID, S_ISGID}) {
    filter.refuse("chmod", EPERM, has_flag(1, bit));
    filter.refuse("fchmod", EPERM, has_flag(1, bit));
    filter.refuse("fchmodat", EPERM, has_flag(2, bit));
    filter.refuse("fchmodat2", EPERM, has_flag(2, bit));
    filter.refuse("creat", EPERM, has_flag(1, bit));
    filter.refuse("mknod", EPERM, has_flag(1, bit));
    filter.refuse("mknodat", EPERM, has_flag(2, bit));
    for (const std::uint64_t flag : kCreatingFlags) {
      filter.refuse("open", EPERM, has_flag(1, flag), has_flag(2, bit));
      filter.refuse("openat", EPERM, has_flag(2, flag), has_flag(3, bit));
    }
  }
  // Its mode is in memory, where a filter cannot look; programs fall back to openat.
  filter.refuse("openat2", ENOSYS);
}

// All the ways to send a signal to a process by its number.
void refuse_signals(Filter& filter, const std::vector<pid_t>& processes) {
  for (const pid_t process : processes) {
    const auto number = static_cast<std::uint32_t>(process);
    const auto group = static_cast<std::uint32_t>(-process);
    for (const char* call : {"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"}) {
      filter.refuse(call, EPERM, equals(0, number));
    }
    filter.refuse("kill", EPERM, equals(0, group));
    // A file can be told whom to signal, and with what.
    filter.refuse("fcntl", EPERM, equals(1, F_SETOWN), equals(2, number));
    filter.refuse("fcntl", EPERM, equals(1, F_SETOWN), equals(2, group));
  }
  if (processes.empty()) return;
  // These name the process in memory, or by a descriptor.
  filter.refuse("fcntl", EPERM, equals(1, F_SETOWN_EX));
  filter.refuse("pidfd_send_signal", EPERM);
}

// Changes to another process: its limits (one on processor time can end it), its priority, its
// memory.
void refuse_meddling(Filter& filter) {
  filter.refuse("prlimit64", EPERM, is_not(0, 0));
  filter.refuse("setpriority", EPERM, is_not(1, 0));
  filter.refuse("setpriority", EPERM, equals(0, PRIO_USER));
  filter.refuse("move_pages", EPERM, is_not(0, 0));
  filter.refuse("migrate_pages", EPERM, is_not(0, 0));
  filter.refuse("ioprio_set", EPERM, equals(0, kPriorityOfUser));
}

// Calls that reach others by a number or a path, where only the filter separates them.
void refuse_reaching_out(Filter& filter) {
  for (const char* name : kSharedIpc) filter.refuse(name, EPERM);
  // As on a file system without attributes: programs then do without them.
  for (const char* name : kAttributesByPath) filter.refuse(name, EOPNOTSUPP);
  for (const char* name :
       {"sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"}) {
    filter.refuse(name, EPERM, is_not(0, 0));
  }
  filter.refuse("ioprio_set", EPERM, is_not(1, 0));
}

}  // namespace

Result<std::vector<sock_filter>> make_filter(const FilterOptions& options) {
  Filter filter;
  for (const char* name : kForbidden) filter.refuse(name, EPERM);
  for (const std::uint64_t flag : kNamespaces) {
    filter.refuse("clone", EPERM, has_flag(0, flag));
  }
  // Its flags are in memory, where a filter cannot look; programs fall back to clone.
  filter.refuse("clone3", ENOSYS);
  filter.refuse("ioctl", EPERM, equals(1, TIOCSTI));
  filter.refuse("ioctl", EPERM, equals(1, TIOCLINUX));
  // To every process at once: where Landlock has no scopes, nothing else would stop it.
  filter.refuse("kill", EPERM, equals(0, 0xFFFFFFFF));
  refuse_signals(filter, options.out_of_reach);
  refuse_meddling(filter);
  if (options.isolation == FilterOptions::Isolation::by_filter) {
    refuse_reaching_out(filter);
    if (options.ownership == FilterOptions::Ownership::forbidden) {
      for (const char* name : kOwnersByPath) filter.refuse(name, EPERM);
    }
  }
  refuse_set_user_id(filter);
  refuse_networks(filter, options.network);
  if (options.sessions == FilterOptions::Sessions::forbidden) filter.refuse("setsid", EPERM);
  if (options.truncation == FilterOptions::Truncation::forbidden) {
    filter.refuse("truncate", EPERM);
    filter.refuse("truncate64", EPERM);
  }
  return filter.program();
}

}  // namespace wright::sandbox
