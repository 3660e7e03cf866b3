#include "wright/agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace wright {
namespace {

// The intersection of what the vendors allow.
bool is_tool_name(std::string_view name) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, is_allowed);
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
  for (const Tool& tool : agent.tools) {
    const std::string& name = tool.spec.name;
    if (!is_tool_name(name)) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("'{}' is not a tool name: use 1 to 64 letters, digits, '_' or '-'", name));
    }
    if (!names.insert(name).second) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The agent '{}' has two tools named '{}'", agent.name, name));
    }
    if (!tool.function) {
      return fail(ErrorCode::invalid_argument, fmt::format("The tool '{}' has no function", name));
    }
  }
  return {};
}

}  // namespace wright
