#include "wright/agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace wright {
namespace {

constexpr std::size_t kLongestToolName = 128;

// Vendors allow less; their protocols map names where necessary.
bool is_tool_name(std::string_view name) {
  const auto is_printable = [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; };
  return !name.empty() && name.size() <= kLongestToolName && is_valid_utf8(name) &&
         std::ranges::all_of(name, is_printable);
}

}  // namespace

Result<void> check(const Agent& agent) {
  if (agent.name.empty()) return fail(ErrorCode::invalid_argument, "The agent has no name");
  if (!agent.model.is_set()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The agent '{}' has no model. Set one, for example "
                            "wright::model(\"offline\")",
                            agent.name));
  }
  if (agent.limits.max_iterations < 1) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("max_iterations must be at least 1, not {}", agent.limits.max_iterations));
  }
  std::set<std::string_view> names;
  // With two tools under one name, it would be chance which one is called.
  const auto clash = [&](std::string_view name) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The agent '{}' has two tools named '{}'", agent.name, name));
  };
  for (const Tool& tool : agent.tools) {
    const std::string& name = tool.spec.name;
    if (!is_tool_name(name)) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("'{}' is not a tool name: use 1 to {} characters without spaces, best of "
                      "letters, digits, '_' and '-'",
                      name, kLongestToolName));
    }
    if (!names.insert(name).second) return clash(name);
    if (!tool.function) {
      return fail(ErrorCode::invalid_argument, fmt::format("The tool '{}' has no function", name));
    }
  }
  for (const Tool& tool : agent.tools) {
    for (const std::string& alias : tool.spec.aliases) {
      if (alias != tool.spec.name && !names.insert(alias).second) return clash(alias);
    }
  }
  return {};
}

}  // namespace wright
