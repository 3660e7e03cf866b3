#include "agents/agent_file_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/nearest.h"

namespace wright {
namespace {

constexpr auto kTopKeys = std::to_array<std::string_view>(
    {"name", "description", "domain", "model", "instructions", "instructions_file", "tools",
     "specialists", "labels", "enabled", "primary"});
constexpr auto kInnerKeys = std::to_array<std::string_view>(
    {"parameters.temperature", "parameters.top_p", "parameters.max_tokens", "parameters.reasoning",
     "parameters.stop_sequences", "parameters.tool_choice", "parameters.response_format",
     "parameters.vendor_tools", "parameters.response_format.name",
     "parameters.response_format.schema", "limits.max_iterations", "limits.context_tokens"});

std::string_view last_word(std::string_view full_name) {
  return full_name.substr(full_name.rfind('.') + 1);
}

}  // namespace

std::string unknown_agent_key(std::string_view full_name) {
  std::vector<std::string_view> candidates(kTopKeys.begin(), kTopKeys.end());
  candidates.insert(candidates.end(), kAgentFileSections.begin(), kAgentFileSections.end());
  const std::size_t at_top = candidates.size();
  candidates.insert(candidates.end(), kInnerKeys.begin(), kInnerKeys.end());
  for (const OwnKey& key : kOwnKeys) candidates.push_back(key.name);

  // A key in the wrong section, then a slip of the hand.
  const std::string_view last = last_word(full_name);
  const auto elsewhere = std::ranges::find(candidates, last, last_word);
  if (elsewhere != candidates.end()) {
    return fmt::format("unknown key; did you mean '{}'?", *elsewhere);
  }
  if (const auto near = nearest(full_name, candidates)) {
    return fmt::format("unknown key; did you mean '{}'?", *near);
  }
  std::vector<std::string_view> bare;
  bare.reserve(candidates.size());
  for (const std::string_view name : candidates) bare.push_back(last_word(name));
  if (const auto near = nearest(last, bare)) {
    const auto position = std::ranges::find(bare, *near) - bare.begin();
    return fmt::format("unknown key; did you mean '{}'?",
                       candidates[static_cast<std::size_t>(position)]);
  }
  const std::string_view section = full_name.substr(0, full_name.find('.'));
  std::vector<std::string_view> siblings;
  for (std::string_view name : candidates) {
    if (!name.starts_with(section) || !name.substr(section.size()).starts_with('.')) continue;
    siblings.push_back(name.substr(section.size() + 1));
  }
  if (full_name != section && !siblings.empty()) {
    return fmt::format("unknown key; [{}] in the file of an agent has {}", section,
                       fmt::join(siblings, ", "));
  }
  candidates.resize(at_top);
  return fmt::format("unknown key; there are {}", fmt::join(candidates, ", "));
}

}  // namespace wright
