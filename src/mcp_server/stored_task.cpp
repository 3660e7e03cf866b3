#include "mcp_server/stored_task.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <random>

#include "core/enum_names.h"
#include "core/try.h"

namespace wright::mcp_server {
namespace {

constexpr std::string_view kTasks = "mcp_task";

std::int64_t number_of(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

JsonObject stored_form(const StoredTask& task) {
  JsonObject value{{"tool", task.tool},
                   {"principal", task.principal},
                   {"session", task.session},
                   {"after", task.after},
                   {"epoch", task.epoch},
                   {"said_until", task.said_until},
                   {"created_at", task.created_at}};
  if (!task.elsewhere.empty()) {
    JsonArray waits;
    for (const WaitId each : task.elsewhere) waits.emplace_back(each);
    value["elsewhere"] = std::move(waits);
  }
  if (task.ended) {
    value["ended"] = enum_name(*task.ended);
    value["ended_at"] = task.ended_at;
    value["result"] = task.result;
  }
  return value;
}

StoredTask from_stored(const Record& record) {
  StoredTask task{.id = record.key, .version = record.version};
  const JsonObject* value = record.value.if_object();
  if (value == nullptr) return task;
  task.tool = mcp::text_in(*value, "tool");
  task.principal = mcp::text_in(*value, "principal");
  task.session = number_of(*value, "session");
  task.after = number_of(*value, "after");
  task.epoch = static_cast<int>(number_of(*value, "epoch"));
  task.said_until = number_of(*value, "said_until");
  task.created_at = number_of(*value, "created_at");
  if (const Json* waits = value->if_contains("elsewhere"); waits != nullptr && waits->is_array()) {
    for (const Json& each : waits->get_array()) {
      if (each.is_int64()) task.elsewhere.push_back(each.get_int64());
    }
  }
  task.ended = enum_named<mcp::TaskStatus>(mcp::text_in(*value, "ended"));
  task.ended_at = number_of(*value, "ended_at");
  if (const JsonObject* result = mcp::object_in(*value, "result")) task.result = *result;
  return task;
}

}  // namespace

std::string new_task_id() {
  std::random_device device;
  std::string id;
  for (int i = 0; i < 4; ++i) id += fmt::format("{:08x}", device());
  return id;
}

Result<StoredTask> find_task(Store& store, std::string_view id, std::string_view principal) {
  const auto found =
      TRY(store.get_records({.kind = std::string(kTasks), .key = std::string(id), .limit = 1}));
  if (!found.empty()) {
    StoredTask task = from_stored(found.front());
    if (task.principal == principal) return task;
  }
  return fail(ErrorCode::not_found, "there is no such task");
}

Result<void> keep_task(Store& store, StoredTask& task) {
  PutRecord put{.kind = std::string(kTasks), .key = task.id, .value = stored_form(task)};
  if (task.version == 0) {
    put.session_id = task.session;
  } else {
    put.version = task.version;
  }
  TRY(store.apply_one(put));
  ++task.version;
  return {};
}

Result<std::vector<StoredTask>> open_tasks_of(Store& store, SessionId session) {
  const auto found = TRY(store.get_records({.kind = std::string(kTasks), .session_id = session}));
  std::vector<StoredTask> open;
  for (const Record& record : found) {
    StoredTask task = from_stored(record);
    if (!task.ended) open.push_back(std::move(task));
  }
  return open;
}

}  // namespace wright::mcp_server
