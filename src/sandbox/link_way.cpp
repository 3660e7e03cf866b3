#include "sandbox/link_way.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <span>
#include <system_error>

namespace wright::sandbox {
namespace {

constexpr std::size_t kMostLinksOnAWay = 40;     // as the kernel has it
constexpr std::size_t kMostPathsBehind = 1'000;  // of one link

using Names = std::vector<std::string>;

Names names_in(std::string_view path) {
  Names names;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) names.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return names;
}

bool is_name_meant(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

struct PatternNames {
  Names names;
  bool is_anywhere;
};

PatternNames names_of_pattern(std::string_view pattern) {
  const bool has_stars = pattern.starts_with("**/");
  if (has_stars) pattern.remove_prefix(3);
  return {names_in(pattern), has_stars || pattern.find('/') == std::string_view::npos};
}

// How many names of the pattern a path may have used up, so that the others mean what lies below.
std::vector<std::size_t> used_up(const PatternNames& pattern, const Names& path) {
  std::vector<std::size_t> counts;
  const std::size_t most = std::min(pattern.names.size(), path.size());
  for (std::size_t count = pattern.is_anywhere ? 1 : path.size(); count <= most; ++count) {
    const auto start = path.end() - static_cast<std::ptrdiff_t>(count);
    const bool is_same = std::equal(start, path.end(), pattern.names.begin(),
                                    [](const std::string& name, const std::string& wanted) {
                                      return is_name_meant(wanted, name);
                                    });
    if (is_same) counts.push_back(count);
  }
  return counts;
}

// Goes down by what the rest of a pattern says, through whatever is a folder in the end, until
// there is too much of it.
void add_below(const std::string& path, std::span<const std::string> rest, Names& found) {
  if (rest.empty()) {
    found.push_back(path);
    return;
  }
  std::error_code problem;
  std::filesystem::directory_iterator entries(path, problem);
  for (; !problem && entries != std::filesystem::directory_iterator(); entries.increment(problem)) {
    if (found.size() > kMostPathsBehind) return;
    const std::string name = entries->path().filename().native();
    if (is_name_meant(rest.front(), name)) {
      add_below(fmt::format("{}/{}", path, name), rest.subspan(1), found);
    }
  }
}

}  // namespace

LinkWay way_of(const std::string& path) {
  LinkWay way;
  std::deque<std::string> rest;
  const auto put_in_front = [&](const std::string& more) {
    const Names names = names_in(more);
    rest.insert(rest.begin(), names.begin(), names.end());
  };
  put_in_front(path);
  while (!rest.empty()) {
    const std::string name = std::move(rest.front());
    rest.pop_front();
    if (name == ".") continue;
    if (name == "..") {
      way.real.resize(way.real.empty() ? 0 : way.real.rfind('/'));
      continue;
    }
    std::string next = fmt::format("{}/{}", way.real, name);
    struct stat status {};
    if (::lstat(next.c_str(), &status) != 0) {
      way.real = std::move(next);
      way.end = rest.empty() ? LinkWay::End::missing : LinkWay::End::missing_on_the_way;
      return way;
    }
    if (!S_ISLNK(status.st_mode)) {
      way.real = std::move(next);
      continue;
    }
    std::error_code problem;
    const std::string target = std::filesystem::read_symlink(next, problem).native();
    way.links.push_back(std::move(next));
    if (problem || way.links.size() > kMostLinksOnAWay) {
      way.end = LinkWay::End::nowhere;
      return way;
    }
    if (target.starts_with('/')) way.real.clear();
    put_in_front(target);
  }
  if (way.real.empty()) way.real = "/";
  return way;
}

std::vector<std::string> meant_behind(std::string_view pattern, const std::string& link,
                                      std::string_view below) {
  const PatternNames wanted = names_of_pattern(pattern);
  std::vector<std::string> found;
  for (const std::size_t count : used_up(wanted, names_in(below))) {
    add_below(link, std::span(wanted.names).subspan(count), found);
  }
  if (found.size() > kMostPathsBehind) return {link};
  return found;
}

bool leads_on(std::string_view pattern, std::string_view below) {
  return !used_up(names_of_pattern(pattern), names_in(below)).empty();
}

}  // namespace wright::sandbox
