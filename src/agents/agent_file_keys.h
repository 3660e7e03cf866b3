// The keys of an agent's TOML file, once, and what is said about one that is none of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace wright {

inline constexpr auto kAgentFileSections = std::to_array<std::string_view>(
    {"parameters", "limits", "permissions", "tool_execution", "debug", "metadata"});

// A key of [tool_execution] or [debug]: as in the configuration of the program.
struct OwnKey {
  enum class Type : std::uint8_t { flag, count };
  std::string_view name;  // the full one
  Type type = Type::flag;
};
inline constexpr auto kOwnKeys = std::to_array<OwnKey>({
    {"tool_execution.enable_validation"},
    {"tool_execution.enable_logging"},
    {"tool_execution.enable_metadata"},
    {"tool_execution.log_arguments"},
    {"tool_execution.truncate_logs", OwnKey::Type::count},
    {"debug.enabled"},
    {"debug.verbose_logging"},
    {"debug.track_performance"},
    {"debug.tool_feedback.enabled"},
    {"debug.tool_feedback.include_reasoning"},
    {"debug.tool_feedback.include_limitations"},
    {"debug.tool_feedback.include_suggestions"},
    {"debug.tool_feedback.include_alternatives"},
});

// "unknown key; did you mean 'parameters.temperature'?"
std::string unknown_agent_key(std::string_view full_name);

}  // namespace wright
