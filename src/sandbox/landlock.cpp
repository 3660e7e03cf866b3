#include "sandbox/landlock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace wright::sandbox {
namespace {

constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr int kRulePathBeneath = 1;

struct RulesetAttributes {
  std::uint64_t handled_files = 0;
  std::uint64_t handled_network = 0;  // from version 4
  std::uint64_t scoped = 0;           // from version 6
};

struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed = 0;
  std::int32_t parent = -1;
};

constexpr std::uint64_t bit(int number) {
  return std::uint64_t{1} << number;
}
constexpr std::uint64_t kExecute = bit(0);
constexpr std::uint64_t kWriteFile = bit(1);
constexpr std::uint64_t kReadFile = bit(2);
constexpr std::uint64_t kReadFolder = bit(3);
constexpr std::uint64_t kMakeCharacterDevice = bit(6);
constexpr std::uint64_t kMakeBlockDevice = bit(11);
constexpr std::uint64_t kRefer = bit(13);     // from version 2
constexpr std::uint64_t kTruncate = bit(14);  // from version 3
constexpr std::uint64_t kDeviceControl = bit(15);
constexpr std::uint64_t kEveryFileRight = bit(13) - 1;  // of version 1
constexpr std::uint64_t kBindTcp = bit(0);
constexpr std::uint64_t kConnectTcp = bit(1);
constexpr std::uint64_t kScopeAbstractSockets = bit(0);
constexpr std::uint64_t kScopeSignals = bit(1);

constexpr std::uint64_t kReading = kExecute | kReadFile | kReadFolder;
// What a rule for something other than a folder may grant.
constexpr std::uint64_t kOfFiles = kExecute | kReadFile | kWriteFile | kTruncate | kDeviceControl;

// Programs, libraries and what they read at startup. Nothing here holds secrets: of /etc, only what
// everyone may read anyway.
constexpr std::string_view kSystemPaths[] = {"/usr",
                                             "/bin",
                                             "/sbin",
                                             "/lib",
                                             "/lib32",
                                             "/lib64",
                                             "/libx32",
                                             "/proc",
                                             "/opt",
                                             "/sys/devices/system/cpu",
                                             "/sys/kernel/mm/transparent_hugepage",
                                             "/etc/alternatives",
                                             "/etc/bash.bashrc",
                                             "/etc/ca-certificates",
                                             "/etc/ca-certificates.conf",
                                             "/etc/debian_version",
                                             "/etc/default/locale",
                                             "/etc/fonts",
                                             "/etc/gai.conf",
                                             "/etc/gitconfig",
                                             "/etc/group",
                                             "/etc/host.conf",
                                             "/etc/hosts",
                                             "/etc/inputrc",
                                             "/etc/java-17-openjdk",
                                             "/etc/ld.so.cache",
                                             "/etc/ld.so.conf",
                                             "/etc/ld.so.conf.d",
                                             "/etc/locale.alias",
                                             "/etc/locale.conf",
                                             "/etc/localtime",
                                             "/etc/lsb-release",
                                             "/etc/magic",
                                             "/etc/magic.mime",
                                             "/etc/mime.types",
                                             "/etc/nsswitch.conf",
                                             "/etc/os-release",
                                             "/etc/passwd",
                                             "/etc/perl",
                                             "/etc/pki/tls",
                                             "/etc/profile",
                                             "/etc/profile.d",
                                             "/etc/protocols",
                                             "/etc/python3",
                                             "/etc/python3.11",
                                             "/etc/resolv.conf",
                                             "/etc/services",
                                             "/etc/shells",
                                             "/etc/ssl/certs",
                                             "/etc/ssl/openssl.cnf",
                                             "/etc/terminfo",
                                             "/etc/timezone",
                                             "/run/systemd/resolve"};
constexpr std::string_view kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                         "/dev/urandom"};

std::uint64_t file_rights(int version) {
  std::uint64_t rights = kEveryFileRight;
  if (version >= 2) rights |= kRefer;
  if (version >= kLandlockTruncate) rights |= kTruncate;
  if (version >= kLandlockDevices) rights |= kDeviceControl;
  return rights;
}

// 0, or an errno.
int allow_beneath(int ruleset, const std::filesystem::path& path, std::uint64_t rights) {
  const FileDescriptor opened(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!opened.is_open()) return errno;
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0) return errno;
  if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
  PathBeneath rule{rights, opened.get()};
  if (::syscall(kAddRule, ruleset, kRulePathBeneath, &rule, 0) != 0) return errno;
  return 0;
}

}  // namespace

std::unexpected<Error> cannot_allow(const std::filesystem::path& path, int problem) {
  return fail(problem == ENOENT ? ErrorCode::not_found : ErrorCode::permission_denied,
              fmt::format("The sandbox cannot be opened for '{}': {}", path.string(),
                          std::generic_category().message(problem)));
}

std::span<const std::string_view> system_paths() {
  return kSystemPaths;
}

std::span<const std::string_view> system_devices() {
  return kDevices;
}

int allow_reading(int ruleset, int folder) {
  PathBeneath rule{kReading, folder};
  return ::syscall(kAddRule, ruleset, kRulePathBeneath, &rule, 0) == 0 ? 0 : errno;
}

int landlock_version() {
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

Result<FileDescriptor> make_ruleset(const SandboxPolicy& policy,
                                    const std::filesystem::path& private_folder, int version) {
  RulesetAttributes attributes{.handled_files = file_rights(version)};
  std::size_t size = sizeof attributes.handled_files;
  if (version >= kLandlockNetwork) {
    if (policy.network != NetworkAccess::on) attributes.handled_network = kBindTcp | kConnectTcp;
    size += sizeof attributes.handled_network;
  }
  if (version >= kLandlockScopes) {
    attributes.scoped = kScopeAbstractSockets | kScopeSignals;
    size += sizeof attributes.scoped;
  }
  FileDescriptor ruleset(static_cast<int>(::syscall(kCreateRuleset, &attributes, size, 0)));
  if (!ruleset.is_open()) {
    return fail(ErrorCode::unsupported, fmt::format("Landlock refuses its rules: {}",
                                                    std::generic_category().message(errno)));
  }
  const std::uint64_t handled = attributes.handled_files;
  const std::uint64_t writing =
      handled & ~(kMakeCharacterDevice | kMakeBlockDevice | kDeviceControl);
  // Not every system has all of these.
  for (const std::string_view path : kSystemPaths) {
    (void)allow_beneath(ruleset.get(), path, handled & kReading);
  }
  for (const std::string_view path : kDevices) {
    (void)allow_beneath(ruleset.get(), path, handled & kOfFiles & ~kExecute);
  }
  for (const auto& path : policy.read_paths) {
    const int problem = allow_beneath(ruleset.get(), path, handled & kReading);
    if (problem != 0) return cannot_allow(path, problem);
  }
  for (const auto& path : policy.write_paths) {
    const int problem = allow_beneath(ruleset.get(), path, writing);
    if (problem != 0) return cannot_allow(path, problem);
  }
  // A folder in it that is a mount of its own is not covered by the rule above it.
  const auto inside = {private_folder, private_folder / "home", private_folder / "tmp",
                       private_folder / "shm"};
  for (const auto& path : inside) {
    const int problem = allow_beneath(ruleset.get(), path, writing);
    if (problem != 0 && path == private_folder) return cannot_allow(path, problem);
  }
  // Above the streams of a child, which are set up before it is used.
  FileDescriptor above(::fcntl(ruleset.get(), F_DUPFD_CLOEXEC, 10));
  if (!above.is_open()) return cannot_allow(private_folder, errno);
  return above;
}

__attribute__((no_sanitize("address", "undefined", "thread"))) int restrict_self(int ruleset) {
  return ::syscall(kRestrictSelf, ruleset, 0) == 0 ? 0 : errno;
}

}  // namespace wright::sandbox
