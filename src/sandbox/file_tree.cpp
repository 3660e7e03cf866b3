#include "sandbox/file_tree.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "sandbox/landlock.h"

namespace wright::sandbox {
namespace {

constexpr std::uint64_t kNoDevices = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr int kMostLinks = 40;

enum class Reach : std::uint8_t { read, write, device };

struct Allowed {
  std::filesystem::path path;
  Reach reach = Reach::read;
  std::filesystem::path real = {};
};

bool is_inside(std::string_view path, std::string_view folder) {
  return folder == "/" || path == folder ||
         (path.starts_with(folder) && path[folder.size()] == '/');
}

class TreePlan {
 public:
  void allow(const Allowed& allowed) {
    const auto real = lead_to(allowed.path.native());
    if (!real) return;
    const bool writes = allowed.reach == Reach::write;
    const auto covers = [&](const Bound& bound) {
      return is_inside(*real, bound.path) && (bound.writable || !writes);
    };
    // A device is mounted even where its folder is visible: the others in it cannot be used.
    const bool is_device = allowed.reach == Reach::device;
    if (!is_device && std::ranges::any_of(bound_, covers)) return;
    std::uint64_t attributes = is_device ? MOUNT_ATTR_NOSUID : kNoDevices;
    if (!writes) attributes |= MOUNT_ATTR_RDONLY;
    mount(*real, *real, attributes);
    bound_.push_back({*real, writes});
    if (writes) tree_.writable.emplace_back(*real);
  }

  // At a place other than its own; writable.
  void put(const std::filesystem::path& source, const std::string& target) {
    for (std::size_t end = target.find('/', 1); end != std::string::npos;
         end = target.find('/', end + 1)) {
      make(TreeStep::Kind::folder, target.substr(0, end));
    }
    if (struct stat status{}; is_covered(target) && ::stat(target.c_str(), &status) != 0) return;
    mount(source.native(), target, kNoDevices);
    bound_.push_back({target, true});
  }

  void link(const std::string& target, std::string text) {
    if (!is_covered(target)) make(TreeStep::Kind::link, target, std::move(text));
  }

  FileTree finish() && { return std::move(tree_); }

 private:
  struct Bound {
    std::string path;
    bool writable;
  };

  bool is_covered(std::string_view path) const {
    return std::ranges::any_of(bound_, [&](const Bound& b) { return is_inside(path, b.path); });
  }

  void make(TreeStep::Kind kind, const std::string& target, std::string text = {}) {
    if (is_covered(target) || !created_.insert(target).second) return;
    tree_.steps.push_back({kind, target.substr(1), std::move(text)});
  }

  void mount(const std::string& source, const std::string& target, std::uint64_t attributes) {
    struct stat status {};
    if (::stat(source.c_str(), &status) != 0) return;
    make(S_ISDIR(status.st_mode) ? TreeStep::Kind::folder : TreeStep::Kind::file, target);
    tree_.steps.push_back({TreeStep::Kind::mount, target.substr(1), source, attributes});
  }

  // Resolves the path as the kernel would and creates what it meets on the way. Returns the path
  // without links.
  std::optional<std::string> lead_to(const std::string& path) {
    std::deque<std::string> rest;
    const auto put_in_front = [&](const std::filesystem::path& more) {
      std::vector<std::string> parts;
      for (const auto& part : more.relative_path()) parts.push_back(part.native());
      rest.insert(rest.begin(), parts.begin(), parts.end());
    };
    put_in_front(path);
    std::string here;
    for (int links = 0; !rest.empty();) {
      const std::string part = std::move(rest.front());
      rest.pop_front();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        here.resize(here.empty() ? 0 : here.rfind('/'));
        continue;
      }
      const std::string next = here + "/" + part;
      std::error_code problem;
      const auto status = std::filesystem::symlink_status(next, problem);
      if (problem || !std::filesystem::exists(status)) return std::nullopt;
      if (std::filesystem::is_symlink(status)) {
        const auto text = std::filesystem::read_symlink(next, problem);
        if (problem || ++links > kMostLinks) return std::nullopt;
        make(TreeStep::Kind::link, next, text.native());
        if (text.is_absolute()) here.clear();
        put_in_front(text);
        continue;
      }
      if (!rest.empty()) make(TreeStep::Kind::folder, next);
      here = next;
    }
    return here.empty() ? "/" : here;
  }

  FileTree tree_;
  std::vector<Bound> bound_;
  std::set<std::string> created_;
};

}  // namespace

bool FileTree::is_whole() const {
  return std::ranges::any_of(steps, [](const TreeStep& step) {
    return step.kind == TreeStep::Kind::mount && step.target.empty();
  });
}

Result<FileTree> plan_tree(const SandboxPolicy& policy, const PrivatePlaces& places) {
  std::vector<Allowed> allowed;
  for (const std::string_view path : system_paths()) allowed.push_back({path});
  for (const std::string_view path : system_devices()) allowed.push_back({path, Reach::device});
  const std::size_t named = allowed.size();
  for (const auto& path : policy.read_paths) allowed.push_back({path});
  for (const auto& path : policy.write_paths) allowed.push_back({path, Reach::write});
  for (const auto& path : {places.home, places.temporary}) allowed.push_back({path, Reach::write});
  for (const auto& path : {places.hidden_file, places.hidden_folder}) allowed.push_back({path});
  std::vector<Allowed> found;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    std::error_code problem;
    allowed[i].path = std::filesystem::absolute(allowed[i].path, problem);
    if (!problem) allowed[i].real = std::filesystem::canonical(allowed[i].path, problem);
    if (!problem) {
      found.push_back(allowed[i]);
    } else if (i >= named) {
      return cannot_allow(allowed[i].path, problem.value());
    }
  }
  // Folders before what is in them, and reading before writing at the same place.
  std::ranges::stable_sort(found, {}, &Allowed::real);
  TreePlan plan;
  for (const Allowed& each : found) plan.allow(each);
  plan.put(places.shared_memory, "/dev/shm");
  plan.link("/dev/fd", "/proc/self/fd");
  plan.link("/dev/stdin", "/proc/self/fd/0");
  plan.link("/dev/stdout", "/proc/self/fd/1");
  plan.link("/dev/stderr", "/proc/self/fd/2");
  return std::move(plan).finish();
}

}  // namespace wright::sandbox
