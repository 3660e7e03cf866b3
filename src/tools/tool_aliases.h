// The other names of tools that ship. One list: for calls, for files that name tools, and for rules
// about tools that are off.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wright::tools {

struct ToolAlias {
  std::string_view alias;
  std::string_view tool;
};

inline constexpr auto kToolAliases = std::to_array<ToolAlias>({
    {"sqlite3_reader", "sqlite_reader"},
    {"web_fetch", "fetch_url"},
    {"fetch", "fetch_url"},
    {"search_web", "web_search"},
});

// As in ToolSpec::aliases.
inline std::vector<std::string> aliases_of(std::string_view tool) {
  std::vector<std::string> aliases;
  for (const ToolAlias& each : kToolAliases) {
    if (each.tool == tool) aliases.emplace_back(each.alias);
  }
  return aliases;
}

// The name of the tool that `name` means by one of `aliases`; `name` itself where none of them
// says.
inline std::string_view own_tool_name(std::string_view name,
                                      std::span<const ToolAlias> aliases = kToolAliases) {
  const auto found = std::ranges::find(aliases, name, &ToolAlias::alias);
  return found == aliases.end() ? name : found->tool;
}

}  // namespace wright::tools
