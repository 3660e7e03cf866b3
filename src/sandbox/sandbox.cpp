// Prepares a sandbox: tries what this machine offers, and reports what is enforced.
#include "wright/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "core/enum_names.h"
#include "core/try.h"
#include "sandbox/file_tree.h"
#include "sandbox/first_process_file.h"
#include "sandbox/landlock.h"
#include "sandbox/sandbox_state.h"
#include "sandbox/shell_variables.h"
#include "sandbox/system_call_filter.h"
#include "wright/json.h"

namespace wright {

WRIGHT_ENUM(SandboxMode, required, best_effort, off)
WRIGHT_ENUM(NetworkAccess, off, local, on)

namespace {

using sandbox::Confinement;
using sandbox::ResourceLimit;
using State = SandboxLayer::State;

// What a build as root needs for files that belong to others. Landlock still decides which files.
// Not CAP_FSETID: with it, a set-user-id program could be overwritten and stay one.
constexpr std::uint64_t kKeptCapabilities =
    (1U << CAP_CHOWN) | (1U << CAP_DAC_OVERRIDE) | (1U << CAP_FOWNER);

std::uint64_t own_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return 0;
  return data[0].permitted | (std::uint64_t{data[1].permitted} << 32);
}

// Never above the current limit.
void add_limit(std::vector<ResourceLimit>& limits, int resource, std::uint64_t wanted) {
  rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return;
  const rlim_t most = std::min<rlim_t>(now.rlim_max, wanted);
  limits.push_back({resource, {most, most}});
}

// Of nothing at all nothing runs: whoever says 0 means no limit.
ResourceLimits without_zeros(ResourceLimits limits) {
  for (auto* limit : {&limits.processes, &limits.open_files, &limits.file_bytes,
                      &limits.memory_bytes, &limits.cpu_seconds}) {
    if (*limit == 0U) limit->reset();
  }
  return limits;
}

std::vector<ResourceLimit> resource_limits(const ResourceLimits& wanted) {
  std::vector<ResourceLimit> limits;
  add_limit(limits, RLIMIT_CORE, 0);
  if (wanted.open_files) add_limit(limits, RLIMIT_NOFILE, *wanted.open_files);
  if (wanted.file_bytes) add_limit(limits, RLIMIT_FSIZE, *wanted.file_bytes);
  if (wanted.memory_bytes) add_limit(limits, RLIMIT_AS, *wanted.memory_bytes);
  if (wanted.cpu_seconds) add_limit(limits, RLIMIT_CPU, *wanted.cpu_seconds);
  return limits;
}

// Tries everything that a child does before its program starts.
std::expected<void, sandbox::SpawnFailure> try_out(const Confinement& confinement) {
  const FileDescriptor nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const FileDescriptor above(::fcntl(nowhere.get(), F_DUPFD_CLOEXEC, 3));
  sandbox::SpawnRequest request{.program = {},
                                .arguments = {},
                                .environment = {},
                                .working_directory = "/",
                                .input = above.get(),
                                .output = above.get(),
                                .error = above.get()};
  auto process = TRY(sandbox::spawn(request, confinement));
  siginfo_t ignored{};
  ::waitid(P_PID, static_cast<id_t>(process.id), &ignored, WEXITED | __WALL);
  return {};
}

class Preparation {
 public:
  explicit Preparation(Sandbox::State& state) : state_(state) {}

  Result<void> prepare() {
    state_.confinement.limits = resource_limits(state_.policy.limits);
    add("resource limits", State::enforced, "open files, file size, core dumps");
    prepare_watch();
    if (state_.policy.mode == SandboxMode::off) return leave_open();
    TRY(prepare_namespaces());
    TRY(prepare_landlock());
    prepare_group();
    prepare_filter();
    prepare_privileges();
    return prepare_guards();
  }

 private:
  void add(std::string name, State layer_state, std::string detail) {
    state_.report.layers.push_back({std::move(name), layer_state, std::move(detail)});
  }

  void prepare_watch() {
    auto watch = sandbox::ParentWatch::start(state_.folder.path());
    const State here = watch ? State::enforced : State::missing;
    add("ends with its parent", here,
        watch ? "a process watches, and ends what runs when this program is killed"
              : watch.error().message);
    if (watch) state_.watch = std::make_shared<const sandbox::ParentWatch>(std::move(*watch));
  }

  Result<void> leave_open() {
    add("confinement", State::not_wanted, "the sandbox is switched off");
    return {};
  }

  // Enters them as a trial, as every run will.
  std::expected<void, sandbox::SpawnFailure> try_namespaces() const {
    Confinement confinement;
    confinement.entry = state_.confinement.entry;
    return try_out(confinement);
  }

  Result<void> prepare_namespaces() {
    const sandbox::PrivatePlaces places = state_.folder.places();
    auto tree = TRY(sandbox::plan_tree(state_.policy, places));
    auto program = sandbox::first_process_file();
    auto made = program ? sandbox::Namespaces::make(tree, places.root, state_.policy.network)
                        : Result<sandbox::Namespaces>(std::unexpected(program.error()));
    if (!made) return leave_out_namespaces(made.error().message);
    state_.namespaces = std::move(*made);
    state_.first_process = std::move(*program);
    using Proc = sandbox::NamespaceEntry::Proc;
    sandbox::NamespaceEntry& entry = state_.confinement.entry;
    entry = {.namespaces = &*state_.namespaces,
             .first_process = state_.first_process.get(),
             .hidden_file = places.hidden_file.native(),
             .hidden_folder = places.hidden_folder.native()};
    auto tried = try_namespaces();
    std::string proc;
    if (!tried && tried.error().step == sandbox::SpawnStep::proc) {
      // Some containers hide parts of /proc, and the kernel then refuses to mount a new one.
      proc = sandbox::to_text(tried.error());
      entry.proc = Proc::shared;
      tried = try_namespaces();
    }
    if (!tried) {
      entry = {};
      state_.namespaces.reset();
      return leave_out_namespaces(sandbox::to_text(tried.error()));
    }
    add("namespaces", State::enforced,
        fmt::format("{}mount, PID, IPC{}", state_.namespaces->user() >= 0 ? "user, " : "",
                    state_.namespaces->network() >= 0 ? ", network" : ""));
    add("processes outside", proc.empty() ? State::enforced : State::missing,
        proc.empty() ? "its own /proc: no others are visible" : proc);
    add("metadata", State::enforced, "everything outside is absent or read-only");
    add("IPC", State::enforced, "an IPC namespace");
    return {};
  }

  Result<void> leave_out_namespaces(const std::string& problem) {
    add("namespaces", State::missing, problem);
    add("processes outside", State::missing,
        "without a PID namespace, their names and command lines can be read");
    add("metadata", State::missing,
        "without a mount namespace, a command can see which files exist, and change modes and "
        "times "
        "of those of this user");
    return {};
  }

  // What is inside and must not be changed or read.
  Result<void> prepare_guards() {
    const SandboxPolicy& policy = state_.policy;
    const bool protects = !policy.protected_paths.empty() && !policy.write_paths.empty();
    const bool hides = !policy.unreadable.empty();
    std::string problem = "needs a mount namespace";
    if (state_.namespaces && (protects || hides)) {
      state_.guarded = std::make_unique<sandbox::GuardedPaths>(policy);
      const auto found = TRY(state_.guarded->look());
      state_.guards_all = found.is_complete();
      problem = to_valid_utf8(found.too_much);
    }
    const auto tell = [&](std::string name, bool is_wanted, const auto& what) {
      if (!is_wanted)
        return add(std::move(name), State::not_wanted, "nothing is named, or writable");
      add(std::move(name), problem.empty() ? State::enforced : State::missing,
          problem.empty() ? fmt::format("{}", fmt::join(what, ", ")) : problem);
    };
    tell("protected paths", protects, policy.protected_paths);
    tell("unreadable files", hides, policy.unreadable);
    if (!problem.empty() || !(protects || hides)) return {};
    auto watch = sandbox::ReplacementWatch::of_this_process();
    add("replaced files", watch ? State::enforced : State::missing,
        watch ? "inotify: a command ends when something protected or unreadable is replaced"
              : watch.error().message);
    if (watch) state_.replacements = std::move(*watch);
    return {};
  }

  Result<void> prepare_landlock() {
    int version = sandbox::landlock_version();
    std::string missing = "this kernel has no Landlock, or it is switched off";
    if (version > 0) {
      state_.ruleset = TRY(sandbox::make_ruleset(state_.policy, state_.folder.path(), version));
      // Everything in its own tree may be read; /proc is a different one in every run.
      if (state_.namespaces) {
        (void)sandbox::allow_reading(state_.ruleset.get(), state_.namespaces->root());
      }
      const auto tried = try_out({.landlock_ruleset = state_.ruleset.get()});
      if (tried) {
        state_.confinement.landlock_ruleset = state_.ruleset.get();
      } else {
        version = 0;
        missing = sandbox::to_text(tried.error());
      }
    }
    version_ = version;
    const auto from = [&](std::string name, int needed, std::string detail) {
      const bool is_there = version >= needed;
      if (version == 0) detail = missing;
      if (version > 0 && !is_there) {
        detail = fmt::format("needs Landlock version {}, this kernel has {}", needed, version);
      }
      add(std::move(name), is_there ? State::enforced : State::missing, std::move(detail));
    };
    if (version == 0 && state_.namespaces) {
      add("files", State::enforced, "a mount namespace; Landlock: " + missing);
    } else {
      from("files", 1,
           fmt::format("{}Landlock version {}", state_.namespaces ? "a mount namespace, " : "",
                       version));
    }
    from("devices", sandbox::kLandlockDevices, "Landlock: no ioctl on devices");
    const char* const scoped = "Landlock: none to processes outside";
    if (state_.namespaces && version < sandbox::kLandlockScopes) {
      add("signals", State::enforced, "a PID namespace: none to processes outside");
    } else {
      from("signals", sandbox::kLandlockScopes, scoped);
    }
    if (state_.namespaces && state_.namespaces->network() >= 0 &&
        version < sandbox::kLandlockScopes) {
      add("abstract sockets", State::enforced, "a network namespace: none to processes outside");
    } else {
      from("abstract sockets", sandbox::kLandlockScopes, scoped);
    }
    return {};
  }

  // Root is exempt from the per-user limit on processes, so only a cgroup works there.
  void prepare_group() {
    auto place = sandbox::find_cgroup_place();
    const std::optional<std::uint64_t> limit = state_.policy.limits.processes;
    const State wanted = limit ? State::enforced : State::not_wanted;
    if (place) {
      state_.cgroups = std::move(*place);
      add("process limit", wanted, fmt::format("a cgroup, {} processes", limit.value_or(0)));
    } else if (::getuid() != 0) {
      const std::uint64_t most = limit.value_or(0) + sandbox::count_own_threads();
      if (limit) add_limit(state_.confinement.limits, RLIMIT_NPROC, most);
      add("process limit", wanted, fmt::format("{} processes of this user in all", most));
    } else {
      add("process limit", State::missing, place.error().message + ", and root has no other limit");
    }
  }

  // Processes that a command could signal where Landlock does not prevent it.
  std::vector<pid_t> outsiders() const {
    std::vector<pid_t> processes;
    if (version_ >= sandbox::kLandlockScopes || state_.namespaces) return processes;
    processes.push_back(::getpid());
    if (state_.watch) processes.push_back(state_.watch->id());
    return processes;
  }

  void prepare_filter() {
    using Options = sandbox::FilterOptions;
    const NetworkAccess network = state_.policy.network;
    auto filter = sandbox::make_filter(
        {.network = network,
         .sessions = state_.cgroups || state_.namespaces ? Options::Sessions::allowed
                                                         : Options::Sessions::forbidden,
         .truncation = version_ >= sandbox::kLandlockTruncate || state_.namespaces
                           ? Options::Truncation::allowed
                           : Options::Truncation::forbidden,
         .isolation =
             state_.namespaces ? Options::Isolation::by_namespaces : Options::Isolation::by_filter,
         .ownership =
             ::geteuid() == 0 ? Options::Ownership::allowed : Options::Ownership::forbidden,
         .out_of_reach = outsiders()});
    std::string missing;
    if (!filter) {
      missing = filter.error().message;
    } else if (const auto tried = try_out({.filter = *filter}); !tried) {
      missing = sandbox::to_text(tried.error());
    } else {
      state_.confinement.filter = std::move(*filter);
    }
    const bool is_there = missing.empty();
    const State here = is_there ? State::enforced : State::missing;
    add("system calls", here, is_there ? "seccomp" : missing);
    if (network == NetworkAccess::on) {
      add("network", State::not_wanted, "it is allowed");
    } else if (is_there) {
      add("network", State::enforced,
          fmt::format("seccomp: no sockets{}{}",
                      version_ >= sandbox::kLandlockNetwork ? "; Landlock: no TCP" : "",
                      state_.namespaces ? "; a network namespace: no interfaces" : ""));
    } else if (version_ >= sandbox::kLandlockNetwork) {
      add("network", State::missing, "Landlock stops TCP only: " + missing);
    } else {
      add("network", State::missing, missing);
    }
    const bool truncates =
        version_ >= sandbox::kLandlockTruncate || state_.namespaces || (version_ > 0 && is_there);
    add("truncation", truncates ? State::enforced : State::missing,
        version_ >= sandbox::kLandlockTruncate ? "Landlock"
        : state_.namespaces                    ? "a mount namespace: read-only outside"
        : truncates                            ? "seccomp: no truncate by path"
                                               : "needs Landlock version 3, or seccomp");
    if (state_.namespaces) {
      add("nothing left running", State::enforced, "a PID namespace, which ends as one");
    } else if (state_.cgroups) {
      add("nothing left running", State::enforced, "a cgroup");
    } else {
      add("nothing left running", State::missing,
          is_there ? "without a PID namespace or a cgroup, a chain of processes that fork and exit "
                     "faster than they are found can outlive the command"
                   : "a process can leave its session: " + missing);
    }
    if (!state_.namespaces) {
      add("IPC", here,
          is_there ? "seccomp: no System V IPC, no message queues"
                   : "shared memory and queues of this user can be reached: " + missing);
    }
  }

  void prepare_privileges() {
    add("no new privileges", State::enforced, "setuid programs gain nothing");
    const std::uint64_t own = own_capabilities();
    // Outside of namespaces, the owners of all files could be changed.
    const std::uint64_t kept =
        state_.namespaces ? kKeptCapabilities : kKeptCapabilities & ~(1U << CAP_CHOWN);
    // A user namespace grants all of them inside it.
    if (state_.namespaces) state_.confinement.kept_capabilities = own & kept;
    if ((own & ~kept) == 0) {
      add("capabilities", State::enforced, "there are none to drop");
      return;
    }
    state_.confinement.kept_capabilities = own & kept;
    add("capabilities", State::enforced, "all dropped except those on files of others");
  }

  Sandbox::State& state_;
  int version_ = 0;
};

// A relative folder in PATH would let the working folder decide what a command is.
std::string absolute_folders(std::string_view search_path) {
  std::string kept;
  while (!search_path.empty()) {
    const std::size_t end = std::min(search_path.find(':'), search_path.size());
    const std::string_view folder = search_path.substr(0, end);
    search_path.remove_prefix(std::min(end + 1, search_path.size()));
    if (folder.starts_with('/')) kept += (kept.empty() ? "" : ":") + std::string(folder);
  }
  return kept;
}

std::string missing_layers(const SandboxReport& report) {
  std::vector<std::string> missing;
  for (const SandboxLayer& layer : report.layers) {
    if (layer.state != State::missing) continue;
    missing.push_back(fmt::format("{} ({})", layer.name, layer.detail));
  }
  return fmt::format("{}", fmt::join(missing, "; "));
}

}  // namespace

Result<SandboxMode> sandbox_mode_from(std::string_view name) {
  if (const auto mode = enum_named<SandboxMode>(name)) return *mode;
  return fail(ErrorCode::invalid_argument,
              fmt::format("must be {}, not '{}'", enum_names<SandboxMode>(), name));
}

Result<NetworkAccess> network_access_from(std::string_view name) {
  if (const auto access = enum_named<NetworkAccess>(name)) return *access;
  return fail(ErrorCode::invalid_argument,
              fmt::format("must be {}, not '{}'", enum_names<NetworkAccess>(), name));
}

std::string_view to_string(SandboxLayer::State state) {
  switch (state) {
    case SandboxLayer::State::enforced: return "enforced";
    case SandboxLayer::State::missing: return "missing";
    case SandboxLayer::State::not_wanted: break;
  }
  return "not wanted";
}

const std::vector<std::string>& usual_secrets() {
  static const std::vector<std::string> kSecrets{"**/.env",
                                                 "**/*.env",
                                                 "**/.env.local",
                                                 "**/.env.*.local",
                                                 "**/.env.production",
                                                 "**/.env.prod",
                                                 "**/.env.staging",
                                                 "**/.netrc",
                                                 "**/.pgpass",
                                                 "**/.pypirc",
                                                 "**/id_rsa",
                                                 "**/id_dsa",
                                                 "**/id_ecdsa",
                                                 "**/id_ed25519",
                                                 "**/.git-credentials",
                                                 "**/.aws/credentials"};
  return kSecrets;
}

bool SandboxReport::is_complete() const {
  return std::ranges::find(layers, State::missing, &SandboxLayer::state) == layers.end();
}

bool SandboxReport::enforces(std::string_view layer) const {
  const auto found = std::ranges::find(layers, layer, &SandboxLayer::name);
  return found != layers.end() && found->state == State::enforced;
}

Variables clean_environment(const Variables& variables) {
  constexpr std::array<std::string_view, 12> kHarmless{
      "PATH",    "LANGUAGE", "TERM",     "COLORTERM",         "TZ", "USER", "LOGNAME",
      "COLUMNS", "LINES",    "NO_COLOR", "SOURCE_DATE_EPOCH", "CI"};
  Variables kept;
  for (const auto& [name, value] : variables) {
    const bool is_locale = name == "LANG" || name.starts_with("LC_");
    const bool is_harmless = is_locale ? sandbox::is_plain_locale(value)
                                       : std::ranges::find(kHarmless, name) != kHarmless.end();
    if (is_harmless) kept.emplace(name, value);
  }
  if (const auto path = kept.find("PATH"); path != kept.end()) {
    path->second = absolute_folders(path->second);
    if (path->second.empty()) kept.erase(path);
  }
  return kept;
}

Sandbox::Sandbox(std::unique_ptr<State> state) : state_(std::move(state)) {}
Sandbox::Sandbox(Sandbox&&) noexcept = default;
Sandbox& Sandbox::operator=(Sandbox&&) noexcept = default;
Sandbox::~Sandbox() = default;

Result<Sandbox> Sandbox::prepare(SandboxPolicy policy) {
  policy.limits = without_zeros(policy.limits);
  auto folder = TRY(sandbox::PrivateFolder::make(policy.temporary_root));
  auto state = std::make_unique<State>(std::move(policy), std::move(folder));
  TRY(Preparation(*state).prepare());
  if (state->policy.mode == SandboxMode::required && !state->report.is_complete()) {
    return fail(ErrorCode::unsupported,
                fmt::format("The sandbox is required, but this machine lacks: {}. Nothing runs. "
                            "sandbox = \"best_effort\" would run without",
                            missing_layers(state->report)));
  }
  return Sandbox(std::move(state));
}

const SandboxReport& Sandbox::report() const {
  return state_->report;
}

}  // namespace wright
