#include "sandbox/run_group.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace wright::sandbox {
namespace {

constexpr int kMostPasses = 500;
constexpr int kPauseMilliseconds = 1;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::optional<pid_t> number_in(std::string_view text) {
  pid_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> found;
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir("/proc"));
  if (folder == nullptr) return found;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (const auto number = number_in(entry->d_name)) found.push_back(*number);
  }
  return found;
}

// To kill(), 0 is our own process group, -1 is everyone and 1 is init: none of them is ever
// intended.
bool is_one_process(pid_t process) {
  return process > 1;
}

// Whether it is a zombie: ended, but not waited for by its parent.
bool is_dead(pid_t process) {
  // The whole file: the name of a process may contain any characters, even a newline.
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return true;
  return text[name_end + 2] == 'Z' || text[name_end + 2] == 'X';
}

bool write_text(const std::filesystem::path& path, std::string_view text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.is_open() &&
         ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// A new cgroup; the path is empty when it cannot be made.
std::filesystem::path make_folder(const CgroupPlace& place) {
  std::string name = (place.parent / "wright-XXXXXX").native();
  return ::mkdtemp(name.data()) == nullptr ? std::filesystem::path() : std::filesystem::path(name);
}

}  // namespace

std::vector<std::filesystem::path> cgroup_candidates(std::string_view own_groups) {
  const std::filesystem::path root = "/sys/fs/cgroup";
  std::vector<std::filesystem::path> candidates;
  while (!own_groups.empty()) {
    const std::size_t end = std::min(own_groups.find('\n'), own_groups.size());
    const std::string line(own_groups.substr(0, end));
    own_groups.remove_prefix(std::min(end + 1, own_groups.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    // A cgroup outside the part of the hierarchy that this process may see.
    if (!path.starts_with('/') || path.find("/..") != std::string::npos) continue;
    if (("," + controllers + ",").find(",pids,") != std::string::npos) {
      candidates.emplace_back(root.native() + "/" + controllers + path);
      candidates.emplace_back(root.native() + "/pids" + path);
    } else if (controllers.empty()) {
      // Next to our own group, because a group that has processes may not have child groups.
      if (path != "/")
        candidates.push_back(std::filesystem::path(root.native() + path).parent_path());
      candidates.emplace_back(root.native() + path);
    }
  }
  return candidates;
}

Result<CgroupPlace> find_cgroup_place() {
  std::ifstream file("/proc/self/cgroup");
  const std::string own_groups(std::istreambuf_iterator<char>(file), {});
  std::string problem = "this kernel has no cgroups with a limit of processes";
  for (const auto& candidate : cgroup_candidates(own_groups)) {
    CgroupPlace place{candidate};
    const auto folder = make_folder(place);
    if (folder.empty()) {
      problem = fmt::format("no cgroup can be created below {}: {}", candidate.string(),
                            std::generic_category().message(errno));
      continue;
    }
    const bool can_limit = write_text(folder / "pids.max", "1000");
    ::rmdir(folder.c_str());
    if (can_limit) return place;
    problem = fmt::format("cgroups below {} have no limit of processes", candidate.string());
  }
  return fail(ErrorCode::unsupported, std::move(problem));
}

Result<RunGroup> RunGroup::make(const std::optional<CgroupPlace>& place,
                                std::optional<std::uint64_t> limit) {
  RunGroup group;
  if (!place) return group;
  const auto folder = make_folder(*place);
  if (!folder.empty()) {
    group.folder_ = folder;
    group.joining_ =
        FileDescriptor(::open((folder / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    const bool is_limited = !limit || write_text(folder / "pids.max", fmt::format("{}", *limit));
    if (group.joining_.is_open() && is_limited) return group;
  }
  return fail(ErrorCode::unavailable,
              fmt::format("Cannot make a cgroup below {}: {}", place->parent.string(),
                          std::generic_category().message(errno)));
}

RunGroup::RunGroup(RunGroup&& other) noexcept
    : folder_(std::exchange(other.folder_, {})), joining_(std::move(other.joining_)) {}

RunGroup::~RunGroup() {
  if (!folder_.empty()) ::rmdir(folder_.c_str());
}

std::vector<pid_t> RunGroup::members(pid_t leader) const {
  std::vector<pid_t> found;
  if (!folder_.empty()) {
    std::ifstream file(folder_ / "cgroup.procs");
    for (std::string line; std::getline(file, line);) {
      // A process that is invisible from here is listed as 0.
      const auto number = number_in(line);
      if (number && is_one_process(*number)) found.push_back(*number);
    }
  } else {
    for (const pid_t process : all_processes()) {
      if (is_one_process(process) && ::getsid(process) == leader) found.push_back(process);
    }
  }
  std::erase_if(found, [](pid_t process) { return is_dead(process); });
  return found;
}

void RunGroup::end_leader(pid_t leader) {
  if (!is_one_process(leader)) return;
  ::kill(-leader, SIGKILL);
  ::kill(leader, SIGKILL);
}

bool RunGroup::end_all(pid_t leader) const {
  if (!is_one_process(leader)) return false;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    end_leader(leader);
    // Where the kernel can kill a whole cgroup at once.
    if (!folder_.empty()) (void)write_text(folder_ / "cgroup.kill", "1");
    const auto left = members(leader);
    if (left.empty()) return true;
    for (const pid_t process : left) ::kill(process, SIGKILL);
    ::poll(nullptr, 0, kPauseMilliseconds);
  }
  return false;
}

std::uint64_t count_own_threads() {
  std::uint64_t count = 0;
  for (const pid_t process : all_processes()) {
    struct stat status {};
    const std::string folder = fmt::format("/proc/{}/task", process);
    const bool is_own = ::stat(folder.c_str(), &status) == 0 && status.st_uid == ::getuid();
    // A folder has a link for itself, one in its parent, and one in each folder inside.
    if (is_own && status.st_nlink > 2) count += status.st_nlink - 2;
  }
  return count;
}

}  // namespace wright::sandbox
