// A task: a call that is answered before it is done, and is asked after from then on. In 2025-11-25
// the client wants one (`task` in the params of tools/call) and fetches its result (tasks/result);
// in 2026-07-28 it is an extension: the server decides, and tasks/get has all there is to know.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/protocol.h"

namespace wright::mcp {

inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";
inline constexpr std::string_view kRelatedTask = "io.modelcontextprotocol/related-task";

enum class TaskStatus : std::uint8_t { working, input_required, completed, failed, cancelled };
WRIGHT_ENUM(TaskStatus, working, input_required, completed, failed, cancelled)
bool has_ended(TaskStatus status);

// Whether a tool may be called as a task (2025-11-25).
enum class TaskSupport : std::uint8_t { forbidden, optional, required };
WRIGHT_ENUM(TaskSupport, forbidden, optional, required)

struct Task {
  std::string id = {};
  TaskStatus status = TaskStatus::working;
  std::string message = {};  // what it is doing, or why it ended so; may be empty
  std::string created_at = {};
  std::string updated_at = {};
  std::optional<std::int64_t> ttl_ms = {};   // absent: as long as the server likes
  std::optional<std::int64_t> poll_ms = {};  // how long to wait before asking again
};

JsonObject to_json(const Task& task, Era era);
Result<Task> task_from(const JsonObject& object, Era era);

// As a task tells its times: "2026-07-28T10:30:00.250Z".
std::string task_time(std::int64_t ms_since_1970);

// Whether whoever has these capabilities knows the extension (2026-07-28).
bool has_tasks_extension(const JsonObject& capabilities);
// The same with the extension added.
JsonObject with_tasks_extension(JsonObject capabilities);
// Whether a server takes tools/call as a task (2025-11-25).
bool takes_calls_as_tasks(const JsonObject& capabilities);

// What the client must say that it has.
Problem missing_tasks_extension();

}  // namespace wright::mcp
