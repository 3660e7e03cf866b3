#include "mcp_client/paused_call.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

#include "core/begun_wait.h"
#include "core/unknown_outcome.h"
#include "mcp/json_rpc.h"

namespace wright::mcp_client {
namespace {

constexpr std::string_view kTask = "mcp_task";

constexpr std::array<std::pair<Paused::How, std::string_view>, 4> kHow{
    {{Paused::How::with_state, "with_state"},
     {Paused::How::in_place, "in_place"},
     {Paused::How::anew, "anew"},
     {Paused::How::as_task, "as_task"}}};

}  // namespace

Json paused_json(const Paused& paused) {
  JsonObject json;
  for (const auto& [how, name] : kHow) {
    if (how == paused.how) json["goes_on"] = name;
  }
  if (paused.how != Paused::How::anew) json[kHasBegun] = true;
  if (paused.request_state) json["request_state"] = *paused.request_state;
  if (!paused.task.empty()) json["task"] = paused.task;
  if (!paused.questions.is_null()) json["questions"] = paused.questions;
  return json;
}

std::optional<Paused> paused_from(const Json& json) {
  const JsonObject* object = json.if_object();
  if (object == nullptr) return std::nullopt;
  const std::string name = mcp::text_in(*object, "goes_on");
  const auto how = std::ranges::find(kHow, name, [](const auto& each) { return each.second; });
  if (how == kHow.end()) return std::nullopt;
  Paused paused{.how = how->first, .task = mcp::text_in(*object, "task")};
  if (const JsonString* state = mcp::string_in(*object, "request_state")) {
    paused.request_state = std::string(*state);
  }
  if (const Json* questions = object->if_contains("questions")) paused.questions = *questions;
  return paused;
}

Waiting waiting_for(const AskUserRequest& asked, const Paused& paused) {
  return {.kind = WaitKind::question, .shown = encode(asked), .state = paused_json(paused)};
}

Json task_note(std::string_view id) {
  return JsonObject{{kTask, id}};
}

std::string task_in_note(const Json& note) {
  const JsonObject* object = note.if_object();
  return object != nullptr ? mcp::text_in(*object, kTask) : std::string();
}

std::unexpected<Error> outcome_unknown(std::string_view server, std::string_view why) {
  return std::unexpected(unknown_outcome(
      ErrorCode::unavailable,
      fmt::format("The outcome of this call is not known: the MCP server {} gave no answer "
                  "to it ({}). It may have happened or not, and it was not repeated. Find "
                  "out before you do it again.",
                  server, to_valid_utf8(std::string(why)))));
}

}  // namespace wright::mcp_client
