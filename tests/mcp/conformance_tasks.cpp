#include "conformance_tasks.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>

namespace wright::conformance {
namespace {

std::string now_text() {
  return mcp::task_time(std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count());
}

}  // namespace

mcp::WorkOutcome FixtureTasks::call(const mcp::Work& work, Job job) {
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
    auto outcome =
        job([&](const auto& requests) { return ask(going, requests, stop); }, stop);
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
