#include "project/hook_matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/text.h"
#include "interceptors/glob.h"

namespace wright::project {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

// What others call a tool, in small letters, and what it is called here.
constexpr std::array kNamesOfOthers{
    Names{"read", "read_file"},
    Names{"notebookread", "read_file"},
    Names{"write", "write_file"},
    Names{"edit", "apply_patch"},
    Names{"multiedit", "apply_patch"},
    Names{"notebookedit", "apply_patch"},
    Names{"edit", "write_file"},
    Names{"write", "apply_patch"},
    Names{"glob", "list_files"},
    Names{"ls", "list_files"},
    Names{"shell", "bash"},
    Names{"webfetch", "fetch_url"},
    Names{"websearch", "web_search"},
};

std::string glob_of(std::string_view one) {
  std::string glob = lower(trimmed(one));
  if (glob.starts_with('^')) glob.erase(0, 1);
  if (glob.ends_with('$')) glob.pop_back();
  for (std::size_t at = glob.find(".*"); at != std::string::npos; at = glob.find(".*", at)) {
    glob.erase(at, 1);
  }
  return glob;
}

template <class Function>
bool any_of(std::string_view matcher, Function&& fits) {
  while (true) {
    const std::size_t end = std::min(matcher.find('|'), matcher.size());
    if (fits(glob_of(matcher.substr(0, end)))) return true;
    if (end == matcher.size()) return false;
    matcher.remove_prefix(end + 1);
  }
}

bool is_part_of_name(char c) {
  return is_letter(c) || is_digit(c) || std::string_view("_-*?./:@").contains(c);
}

}  // namespace

Result<void> check_matcher(std::string_view matcher) {
  if (is_blank(matcher)) return {};
  const bool is_odd = any_of(matcher, [](const std::string& glob) {
    return glob.empty() || !std::ranges::all_of(glob, is_part_of_name);
  });
  if (!is_odd) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("matcher '{}' must be names of tools with | between them, and * and ? in "
                          "them: \"bash|write_*\"",
                          matcher));
}

bool is_about_tool(std::string_view matcher, std::string_view tool) {
  if (is_blank(matcher)) return true;
  const std::string name = lower(tool);
  return any_of(matcher, [&](const std::string& glob) {
    if (intercept::matches_glob(glob, name)) return true;
    constexpr std::string_view kServer = "mcp__";  // before the names of servers, elsewhere
    if (glob.starts_with(kServer) &&
        intercept::matches_glob(std::string_view(glob).substr(kServer.size()), name)) {
      return true;
    }
    return std::ranges::any_of(kNamesOfOthers, [&](const Names& names) {
      return names.second == name && intercept::matches_glob(glob, names.first);
    });
  });
}

}  // namespace wright::project
