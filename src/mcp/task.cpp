#include "mcp/task.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <ctime>

#include "core/enum_names.h"

namespace wright::mcp {
namespace {

constexpr std::size_t kLongestTaskId = 1'000;

std::string_view ttl_key(Era era) {
  return era == Era::modern ? "ttlMs" : "ttl";
}
std::string_view poll_key(Era era) {
  return era == Era::modern ? "pollIntervalMs" : "pollInterval";
}

// Nothing where it is none, or none that makes sense.
std::optional<std::int64_t> milliseconds_in(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const double number = value->to_number<double>();
  constexpr double kMost = 1e15;
  if (!(number >= 0) || number > kMost) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace

bool has_ended(TaskStatus status) {
  return status != TaskStatus::working && status != TaskStatus::input_required;
}

JsonObject to_json(const Task& task, Era era) {
  JsonObject json{{"taskId", task.id}, {"status", enum_name(task.status)}};
  if (!task.message.empty()) json["statusMessage"] = to_valid_utf8(task.message);
  json["createdAt"] = task.created_at;
  json["lastUpdatedAt"] = task.updated_at;
  json[ttl_key(era)] = task.ttl_ms ? Json(*task.ttl_ms) : Json(nullptr);
  if (task.poll_ms) json[poll_key(era)] = *task.poll_ms;
  return json;
}

Result<Task> task_from(const JsonObject& object, Era era) {
  Task task{.id = text_in(object, "taskId"),
            .message = to_valid_utf8(text_in(object, "statusMessage")),
            .created_at = text_in(object, "createdAt"),
            .updated_at = text_in(object, "lastUpdatedAt"),
            .ttl_ms = milliseconds_in(object, ttl_key(era)),
            .poll_ms = milliseconds_in(object, poll_key(era))};
  if (task.id.empty() || task.id.size() > kLongestTaskId) {
    return fail(ErrorCode::protocol, "a task of the server has no usable id");
  }
  const auto status = enum_named<TaskStatus>(text_in(object, "status"));
  if (!status) return fail(ErrorCode::protocol, "a task of the server has no known status");
  task.status = *status;
  return task;
}

std::string task_time(std::int64_t ms_since_1970) {
  const std::time_t seconds = ms_since_1970 / 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), ms_since_1970 % 1000);
}

bool has_tasks_extension(const JsonObject& capabilities) {
  const JsonObject* extensions = object_in(capabilities, "extensions");
  return extensions != nullptr && object_in(*extensions, kTasksExtension) != nullptr;
}

JsonObject with_tasks_extension(JsonObject capabilities) {
  Json& extensions = capabilities["extensions"];
  if (!extensions.is_object()) extensions.emplace_object();
  extensions.get_object()[kTasksExtension] = JsonObject();
  return capabilities;
}

bool takes_calls_as_tasks(const JsonObject& capabilities) {
  const JsonObject* found = &capabilities;
  for (const std::string_view key : {"tasks", "requests", "tools", "call"}) {
    found = object_in(*found, key);
    if (found == nullptr) return false;
  }
  return true;
}

Problem missing_tasks_extension() {
  return {code::kMissingCapability,
          fmt::format("this needs a client that has the extension {}", kTasksExtension),
          JsonObject{{"requiredCapabilities", with_tasks_extension({})}}};
}

}  // namespace wright::mcp
