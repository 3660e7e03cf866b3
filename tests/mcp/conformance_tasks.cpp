#include "conformance_tasks.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>

#include "mcp/content.h"

namespace wright::conformance {
namespace {

std::string now_text() {
  return mcp::task_time(std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count());
}

mcp::WorkOutcome text(std::string_view words) {
  return mcp::Finished{mcp::text_result(words)};
}

JsonObject json(std::string_view text) {
  return parse_json(text).value().as_object();
}

mcp::NeedsInput::Request form(std::string key, std::string_view property, std::string_view type) {
  const JsonObject schema{{"type", "object"},
                          {"properties", JsonObject{{property, JsonObject{{"type", type}}}}},
                          {"required", JsonArray{property}}};
  return {std::move(key),
          "elicitation/create",
          {{"mode", "form"}, {"message", "Please say"}, {"requestedSchema", schema}}};
}

std::string argument_of(const mcp::Work& work, std::string_view key) {
  const JsonObject* given = mcp::object_in(work.params, "arguments");
  const Json* value = given != nullptr ? given->if_contains(key) : nullptr;
  if (value == nullptr) return {};
  return value->is_string() ? std::string(value->get_string()) : to_text(*value);
}

void sleep_for(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

JsonArray FixtureTasks::tools() {
  JsonArray list;
  const auto add = [&](std::string_view name, std::string_view properties) {
    list.emplace_back(JsonObject{
        {"name", name},
        {"description", "For the suite"},
        {"inputSchema", JsonObject{{"type", "object"}, {"properties", json(properties)}}}});
  };
  add("greet", R"({"name":{"type":"string"}})");
  add("slow_compute", R"({"seconds":{"type":"number"},"label":{"type":"string"}})");
  for (const std::string_view name : {"failing_job", "protocol_error_job", "confirm_delete",
                                      "multi_input", "test_tool_with_task"}) {
    add(name, "{}");
  }
  return list;
}

FixtureTasks::Job FixtureTasks::asking(std::vector<mcp::NeedsInput::Request> requests) {
  return [requests = std::move(requests)](const Ask& ask, const std::stop_token&) {
    const auto answers = ask(requests);
    if (!answers) return text("nobody was asked");
    std::string said;
    for (const auto& [key, answer] : *answers) said += to_text(answer);
    return text(said);
  };
}

std::optional<mcp::WorkOutcome> FixtureTasks::call(const mcp::Work& work) {
  const std::string name = mcp::text_in(work.params, "name");
  const bool needs_task = name == "failing_job" || name == "test_tool_with_task";
  if (needs_task && !work.client->knows_tasks()) return mcp::missing_tasks_extension();
  if (name == "greet") return text(fmt::format("Hello, {}!", argument_of(work, "name")));
  if (name == "slow_compute") {
    const std::string seconds = argument_of(work, "seconds");
    const auto time = std::chrono::milliseconds(
        static_cast<int>(1000 * (seconds.empty() ? 0 : std::stod(seconds))));
    return begin(
        work, [time, label = argument_of(work, "label")](const Ask&, const std::stop_token& stop) {
          sleep_for(time, stop);
          return text("computed " + label);
        });
  }
  if (name == "failing_job") {
    return begin(work, [](const Ask&, const std::stop_token& stop) {
      sleep_for(std::chrono::milliseconds(300), stop);
      return mcp::WorkOutcome(mcp::Finished{mcp::error_result("This job always fails")});
    });
  }
  if (name == "protocol_error_job") {
    return begin(work, [](const Ask&, const std::stop_token&) {
      return mcp::WorkOutcome(mcp::Problem{mcp::code::kInternalError, "this job breaks"});
    });
  }
  if (name == "confirm_delete") {
    return begin(work, asking({form("confirm", "confirm", "boolean")}));
  }
  if (name == "multi_input") {
    return begin(
        work, asking({form("first", "confirm", "boolean"), form("second", "confirm", "boolean")}));
  }
  if (name != "test_tool_with_task") return std::nullopt;
  const auto answer = work.answers.find("user_name");
  if (answer == work.answers.end()) {
    return mcp::NeedsInput{{form("user_name", "name", "string")}, {}};
  }
  const auto* given = std::get_if<JsonObject>(&answer->second);
  return begin(work, [said = given != nullptr ? to_text(*given) : ""](
                         const Ask&, const std::stop_token&) { return text("done for " + said); });
}

mcp::WorkOutcome FixtureTasks::begin(const mcp::Work& work, Job job) {
  if (!work.client->knows_tasks()) {
    return job([](const auto&) { return std::optional<Answers>(); }, {});
  }
  const std::lock_guard lock(mutex_);
  const std::string id = fmt::format("fixture-{}", ++last_);
  Going& going = *(tasks_[id] = std::make_unique<Going>());
  going.task = {.id = id,
                .created_at = now_text(),
                .updated_at = now_text(),
                .ttl_ms = 60'000,
                .poll_ms = 100};
  JsonObject created = to_json(going.task, mcp::Era::modern);
  created["resultType"] = "task";
  going.thread = std::jthread([this, &going, job = std::move(job)](const std::stop_token& stop) {
    auto outcome = job([&](const auto& requests) { return ask(going, requests, stop); }, stop);
    const std::lock_guard ended(mutex_);
    if (mcp::has_ended(going.task.status)) return;
    going.task.status = std::holds_alternative<mcp::Problem>(outcome) ? mcp::TaskStatus::failed
                                                                      : mcp::TaskStatus::completed;
    going.task.updated_at = now_text();
    going.outcome = std::move(outcome);
  });
  return mcp::Finished{std::move(created)};
}

std::optional<FixtureTasks::Answers> FixtureTasks::ask(
    Going& going, const std::vector<mcp::NeedsInput::Request>& requests,
    const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  going.open = requests;
  going.task.status = mcp::TaskStatus::input_required;
  const bool is_answered = changed_.wait(lock, stop, [&] { return going.open.empty(); });
  if (!is_answered) return std::nullopt;
  going.task.status = mcp::TaskStatus::working;
  return going.answers;
}

mcp::WorkOutcome FixtureTasks::perform(const mcp::Work& work) {
  const std::lock_guard lock(mutex_);
  const auto found = tasks_.find(mcp::text_in(work.params, "taskId"));
  if (found == tasks_.end()) {
    return mcp::Problem{mcp::code::kInvalidParams, "there is no such task"};
  }
  Going& going = *found->second;
  if (work.method == "tasks/cancel") {
    if (mcp::has_ended(going.task.status)) return mcp::Finished{};
    going.task.status = mcp::TaskStatus::cancelled;
    going.task.updated_at = now_text();
    going.thread.request_stop();
    return mcp::Finished{};
  }
  if (work.method == "tasks/update") {
    for (const auto& [key, value] : work.params.at("inputResponses").as_object()) {
      const auto is_it = [&](const auto& each) { return each.key == key; };
      if (std::erase_if(going.open, is_it) == 0 || !value.is_object()) continue;
      going.answers[std::string(key)] = value.get_object();
    }
    changed_.notify_all();
    return mcp::Finished{};
  }
  JsonObject json = to_json(going.task, mcp::Era::modern);
  if (going.task.status == mcp::TaskStatus::input_required) {
    JsonObject requests;
    for (const auto& each : going.open) {
      requests[each.key] = JsonObject{{"method", each.method}, {"params", each.params}};
    }
    // All have been answered, and its thread has not seen it yet.
    if (requests.empty()) json["status"] = "working";
    if (!requests.empty()) json["inputRequests"] = std::move(requests);
  }
  if (const auto* finished = std::get_if<mcp::Finished>(&going.outcome);
      finished != nullptr && going.task.status == mcp::TaskStatus::completed) {
    json["result"] = finished->result;
  }
  if (const auto* problem = std::get_if<mcp::Problem>(&going.outcome)) {
    json["error"] = JsonObject{{"code", problem->code}, {"message", problem->message}};
  }
  return mcp::Finished{std::move(json)};
}

}  // namespace wright::conformance
