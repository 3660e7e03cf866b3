#include "sandbox/path_patterns.h"

#include <fnmatch.h>

#include <algorithm>

namespace wright::sandbox {
namespace {

bool is_literal(std::string_view pattern) {
  return pattern.find_first_of("*?[\\") == std::string_view::npos;
}

// A pattern for names: most are, and most of those are just a name.
bool has_such_name(std::string_view pattern, std::string_view path) {
  const bool is_just_a_name = is_literal(pattern);
  const std::string glob(is_just_a_name ? std::string_view() : pattern);
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    if (is_just_a_name ? name == pattern
                       : ::fnmatch(glob.c_str(), std::string(name).c_str(), 0) == 0) {
      return true;
    }
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

}  // namespace

bool is_meant(std::string_view pattern, const std::string& path) {
  const bool is_anywhere = pattern.starts_with("**/");
  if (is_anywhere) pattern.remove_prefix(3);
  const std::string_view last = pattern.substr(pattern.rfind('/') + 1);
  if (is_literal(last) && !path.ends_with(last)) return false;
  const std::string rest(pattern);
  if (!is_anywhere && rest.find('/') != std::string::npos) {
    return ::fnmatch(rest.c_str(), path.c_str(), FNM_PATHNAME) == 0;
  }
  // Each slash stands for one, so it can only be about the last names of the path.
  std::size_t start = path.size() + 1;
  for (auto names = std::ranges::count(rest, '/') + 1; names > 0; --names) {
    if (start < 2) return false;
    const std::size_t slash = path.rfind('/', start - 2);
    start = slash == std::string::npos ? 0 : slash + 1;
  }
  return ::fnmatch(rest.c_str(), path.c_str() + start, FNM_PATHNAME) == 0;
}

bool is_meant_by_any(std::span<const std::string> patterns, std::string_view path) {
  return std::ranges::any_of(patterns, [&](std::string_view pattern) {
    const std::string_view rest = pattern.substr(pattern.starts_with("**/") ? 3 : 0);
    if (rest.find('/') == std::string_view::npos) return has_such_name(rest, path);
    const std::string_view last = rest.substr(rest.rfind('/') + 1);
    if (is_literal(last) && path.find(last) == std::string_view::npos) return false;
    for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
      if (is_meant(pattern, std::string(path.substr(0, end)))) return true;
      if (end == std::string_view::npos) return false;
    }
  });
}

}  // namespace wright::sandbox
