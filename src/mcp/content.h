// Tools and what they answer, in the words of MCP and in ours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mcp/json_rpc.h"
#include "mcp/task.h"
#include "wright/tool.h"

namespace wright::mcp {

// --- ours, for others --------------------------------------------------------------------------

// As tools/list shows it. The effect becomes hints.
JsonObject tool_json(const ToolSpec& spec);
// The result of tools/call.
JsonObject call_result(const ToolOutcome& outcome);
JsonObject text_result(std::string_view text);
JsonObject error_result(std::string_view text);

// --- others', for us ---------------------------------------------------------------------------

// One tool of a server, as tools/list shows it.
struct RemoteTool {
  std::string name = {};
  std::string description = {};
  Json input_schema = JsonObject{{"type", "object"}};
  Json output_schema = {};        // null: none
  Effect effect = Effect::write;  // by its hints, which nobody has checked
  // Likewise: whether it may destroy or overwrite what is there. Absent: it does not say, and may.
  std::optional<bool> destroys = {};
  TaskSupport task_support = TaskSupport::forbidden;  // 2025-11-25
};
// Refuses one without a usable name or schema.
Result<RemoteTool> remote_tool(const Json& listed);

// The result of tools/call. One that tells of an error is an error; structured content is checked
// against `output_schema` where there is one.
Result<Output> output_of(const JsonObject& result, const std::optional<JsonSchema>& output_schema);

// What resources/read answers, as text for a model or a person.
Result<Output> resource_output(const JsonObject& result);

// The messages of prompts/get.
Result<std::vector<wright::Message>> prompt_messages(const JsonObject& result);

}  // namespace wright::mcp
