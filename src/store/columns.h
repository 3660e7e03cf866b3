// The columns of the agent tables in the order in which every database reads them; see
// row_values.h.
#pragma once

#include <string_view>

namespace wright::store {

// The columns of agent_sessions in the order in which the store reads them.
inline constexpr std::string_view kSessionColumns =
    "id, agent_name, provider, model, system_prompt, user_prompt, status, started_at, ended_at, "
    "result, error, parent_session_id, input_tokens, output_tokens, cached_tokens, "
    "reasoning_tokens, cache_write_tokens, cost_usd, iterations, config, format_version, "
    "parent_call_id, forked_from, runner_id, lease_epoch, feedback, context, "
    "error_code, limit_reached, worked_ms, turn_worked_ms, cancel_reason, priority, ready_at, "
    "labels, tenant";

// The same of agent_tool_calls.
inline constexpr std::string_view kCallColumns =
    "id, session_id, message_id, tool_call_id, tool_name, request, response, status, created_at, "
    "completed_at, execution_time_ms, error_details, result";

// The same of agent_messages.
inline constexpr std::string_view kMessageColumns =
    "id, session_id, role, content, created_at, parts, tool_call_id";

// The same of agent_waits.
inline constexpr std::string_view kWaitColumns =
    "id, session_id, call_id, kind, shown, status, created_at, expires_at, answered_at, "
    "answered_by, answer, covers, state";

// The same of agent_events.
inline constexpr std::string_view kEventColumns = "sequence, session_id, type, data, at";

// The same of agent_records.
inline constexpr std::string_view kRecordColumns =
    "id, kind, key, value, due_at, version, session_id";

// The same of agent_runners.
inline constexpr std::string_view kRunnerColumns = "id, name, expires_at, boot_id, boot_expires_at";

}  // namespace wright::store
