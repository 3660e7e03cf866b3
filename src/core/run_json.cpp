// The JSON form of a run, with a format version.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <limits>

#include "core/json_members.h"
#include "core/older_forms.h"
#include "core/run_invariants.h"
#include "core/run_phases.h"
#include "core/try.h"
#include "wright/run.h"

namespace wright {
namespace {

constexpr std::array kPhases{Phase::model, Phase::tools,  Phase::waiting,
                             Phase::done,  Phase::failed, Phase::cancelled};
constexpr std::array kStates{std::pair{OpenCall::State::open, std::string_view("open")},
                             std::pair{OpenCall::State::waiting, std::string_view("waiting")},
                             std::pair{OpenCall::State::answered, std::string_view("answered")}};

std::unexpected<Error> bad(std::string_view key) {
  return fail(ErrorCode::invalid_json, fmt::format("A stored run lacks a valid '{}'", key));
}

std::string_view state_name(OpenCall::State state) {
  for (const auto& [value, name] : kStates) {
    if (value == state) return name;
  }
  return "open";
}

Json answers_json(const WaitAnswers& answers) {
  JsonObject json;
  if (answers.approval) {
    json["approval"] = {{"decision", to_string(answers.approval->decision)},
                        {"reason", answers.approval->reason}};
    json["approved"] = answers.approved;
  }
  if (answers.answer) json["answer"] = *answers.answer;
  if (!answers.state.is_null()) json["state"] = answers.state;
  if (!answers.kept.is_null()) json["kept"] = answers.kept;
  if (const auto& specialist = answers.specialist) {
    JsonObject& said = (json["specialist"] = JsonObject()).get_object();
    said["text"] = specialist->text;
    if (specialist->error) said["error"] = *specialist->error;
    said["duration_ms"] = specialist->duration_ms;
  }
  return json;
}

Result<SpecialistResult> specialist_from(const Json& json) {
  const JsonObject* object = json.if_object();
  if (object == nullptr || string_in(*object, "text") == nullptr) return bad("specialist");
  SpecialistResult answer{.text = std::string(*string_in(*object, "text"))};
  if (const JsonString* error = string_in(*object, "error")) answer.error = std::string(*error);
  const Json* duration = object->if_contains("duration_ms");
  if (duration != nullptr && duration->is_number()) {
    answer.duration_ms = duration->to_number<double>();
  }
  return answer;
}

Json waits_json(const WaitsFor& waits_for) {
  if (const auto* delegated = std::get_if<Delegate>(&waits_for)) {
    return {{"message", delegated->message}};
  }
  const auto* waiting = std::get_if<Waiting>(&waits_for);
  if (waiting == nullptr) return nullptr;
  JsonArray covers(waiting->covers.begin(), waiting->covers.end());
  JsonObject json{
      {"kind", to_string(waiting->kind)}, {"shown", waiting->shown}, {"covers", std::move(covers)}};
  if (waiting->timeout) json["timeout_secs"] = waiting->timeout->count();
  if (!waiting->state.is_null()) json["state"] = waiting->state;
  return json;
}

Result<WaitsFor> waits_from(const Json& json) {
  if (json.is_null()) return WaitsFor{};
  const JsonObject* object = json.if_object();
  if (object == nullptr) return bad("waits_for");
  if (const JsonString* message = string_in(*object, "message")) {
    return Delegate{std::string(*message)};
  }
  const JsonString* kind = string_in(*object, "kind");
  const Json* shown = object->if_contains("shown");
  const Json* covers = object->if_contains("covers");
  if (kind == nullptr || shown == nullptr || covers == nullptr || !covers->is_array()) {
    return bad("waits_for");
  }
  const auto known = TRY(wait_kind_from(*kind));
  Waiting waiting{.kind = known, .shown = *shown};
  for (const Json& each : covers->get_array()) {
    if (!each.is_string()) return bad("covers");
    waiting.covers.emplace_back(each.get_string());
  }
  const Json* timeout = object->if_contains("timeout_secs");
  if (timeout != nullptr && timeout->is_int64()) {
    waiting.timeout = std::chrono::seconds(timeout->get_int64());
  }
  if (const Json* state = object->if_contains("state")) waiting.state = *state;
  return waiting;
}

// Absent in runs of format 1.
Result<WaitAnswers> answers_from(const Json* json) {
  WaitAnswers answers;
  if (json == nullptr) return answers;
  const JsonObject* object = json->if_object();
  if (object == nullptr) return bad("answers");
  if (const Json* answer = object->if_contains("answer")) answers.answer = *answer;
  if (const Json* state = object->if_contains("state")) answers.state = *state;
  if (const Json* kept = object->if_contains("kept")) answers.kept = *kept;
  if (const Json* specialist = object->if_contains("specialist")) {
    answers.specialist = TRY(specialist_from(*specialist));
  }
  const Json* approval = object->if_contains("approval");
  if (approval == nullptr) return answers;
  const JsonObject* given = approval->if_object();
  const auto text = [&](std::string_view key) -> const JsonString* {
    const Json* found = given != nullptr ? given->if_contains(key) : nullptr;
    return found != nullptr ? found->if_string() : nullptr;
  };
  if (text("decision") == nullptr || text("reason") == nullptr) return bad("approval");
  const auto decision = TRY(decision_from(*text("decision")));
  answers.approval = Approval{decision, std::string(*text("reason"))};
  if (const Json* approved = object->if_contains("approved")) answers.approved = *approved;
  return answers;
}

template <class Number>
Json number_or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json limits_json(const Limits& limits) {
  std::optional<std::int64_t> milliseconds;
  if (limits.max_time) milliseconds = limits.max_time->count();
  return {{"max_tool_calls", number_or_null(limits.max_tool_calls)},
          {"max_tokens", number_or_null(limits.max_tokens)},
          {"max_cost_usd", number_or_null(limits.max_cost_usd)},
          {"max_time_ms", number_or_null(milliseconds)},
          {"max_repeats", number_or_null(limits.max_repeats)},
          {"max_depth", limits.max_depth},
          {"max_cuts", limits.max_cuts}};
}

// Absent in runs of format 1. Up to format 3, no limit was written as 0.
Result<void> read_limits(const Json* json, int version, Limits& limits) {
  if (json == nullptr) return {};
  const JsonObject* object = json->if_object();
  if (object == nullptr) return bad("limits");
  const auto read = [&](std::string_view key, auto& limit) {
    const Json* found = object->if_contains(key);
    limit.reset();
    if (found != nullptr && found->is_null()) return true;
    if (found == nullptr || !found->is_number()) return false;
    boost::system::error_code error;
    limit = found->to_number<typename std::remove_reference_t<decltype(limit)>::value_type>(error);
    if (error || limit < 0) return false;
    if (version <= 3 && limit == 0) limit.reset();
    return true;
  };
  std::optional<std::int64_t> milliseconds;
  std::optional<int> depth;
  if (!read("max_tool_calls", limits.max_tool_calls) || !read("max_tokens", limits.max_tokens) ||
      !read("max_cost_usd", limits.max_cost_usd) || !read("max_time_ms", milliseconds) ||
      !read("max_repeats", limits.max_repeats) || !read("max_depth", depth)) {
    return bad("limits");
  }
  limits.max_depth = depth.value_or(0);
  // Runs of earlier versions do not say it.
  std::optional<int> cuts = kMostCutsInARow;
  if (object->contains("max_cuts") && !read("max_cuts", cuts)) return bad("limits");
  limits.max_cuts = cuts.value_or(0);
  limits.max_time.reset();
  if (milliseconds) limits.max_time = std::chrono::milliseconds(*milliseconds);
  return {};
}

// A call and its answer travel as parts of messages do.
Json open_call_json(const OpenCall& open) {
  return {{"call", to_json(Message{Role::assistant, {open.call}})},
          {"state", state_name(open.state)},
          {"waits_for", waits_json(open.waits_for)},
          {"result", to_json(Message::tool(open.result))},
          {"answers", answers_json(open.answers)}};
}

template <class T>
Result<T> part_of(const JsonObject& object, std::string_view key) {
  const Json* found = object.if_contains(key);
  if (found == nullptr) return bad(key);
  auto message = TRY(message_from_json(*found));
  if (message.parts.size() != 1 || !std::holds_alternative<T>(message.parts[0])) return bad(key);
  return std::get<T>(std::move(message.parts[0]));
}

Result<OpenCall> open_call_from(const Json& json) {
  const JsonObject* object = json.if_object();
  if (object == nullptr) return bad("open_calls");
  auto call = TRY(part_of<ToolCall>(*object, "call"));
  auto result = TRY(part_of<ToolResult>(*object, "result"));
  OpenCall open{.call = std::move(call), .result = std::move(result)};
  if (const Json* shown = object->if_contains("shown")) {
    open.waits_for = older::waits_for(*shown);
  } else if (const Json* waits_for = object->if_contains("waits_for")) {
    open.waits_for = TRY(waits_from(*waits_for));
  }
  open.answers = TRY(answers_from(object->if_contains("answers")));
  const Json* state = object->if_contains("state");
  if (state == nullptr || !state->is_string()) return bad("state");
  for (const auto& [value, name] : kStates) {
    if (name != state->get_string()) continue;
    open.state = value;
    const bool waits = value == OpenCall::State::waiting;
    if (waits && std::holds_alternative<std::monostate>(open.waits_for)) open.waits_for = Waiting{};
    return open;
  }
  return bad("state");
}

Result<int> version_of(const JsonObject& object) {
  const Json* format = object.if_contains("format");
  if (format == nullptr || !format->is_int64() || format->get_int64() < 1) return bad("format");
  if (format->get_int64() > kRunFormatVersion) {
    return fail(ErrorCode::unsupported,
                fmt::format("This run was written by a newer Wright (format {}; this one reads up "
                            "to {}). Update Wright to use it",
                            format->get_int64(), kRunFormatVersion));
  }
  return static_cast<int>(format->get_int64());
}

Result<int> count_from(const JsonObject& object, std::string_view key) {
  const Json* found = object.if_contains(key);
  if (found == nullptr || !found->is_int64() || found->get_int64() < 0 ||
      found->get_int64() > std::numeric_limits<int>::max()) {
    return bad(key);
  }
  return static_cast<int>(found->get_int64());
}

Result<Phase> phase_from(const JsonObject& object) {
  const Json* found = object.if_contains("phase");
  if (found == nullptr || !found->is_string()) return bad("phase");
  for (const Phase phase : kPhases) {
    if (to_string(phase) == found->get_string()) return phase;
  }
  return bad("phase");
}

Result<Error> error_from(const Json& json) {
  const JsonObject* object = json.if_object();
  const auto text = [&](std::string_view key) -> const JsonString* {
    const Json* found = object != nullptr ? object->if_contains(key) : nullptr;
    return found != nullptr ? found->if_string() : nullptr;
  };
  const Json* detail = object != nullptr ? object->if_contains("detail") : nullptr;
  if (text("code") == nullptr || text("message") == nullptr || detail == nullptr) {
    return bad("error");
  }
  const auto code = TRY(error_code_from(*text("code")));
  return Error{code, std::string(*text("message")), older::detail(*detail)};
}

}  // namespace

Json to_json(const Run& run) {
  JsonArray messages;
  messages.reserve(run.messages.size());
  for (const Message& message : run.messages) messages.push_back(to_json(message));
  JsonArray open_calls;
  for (const OpenCall& open : run.open_calls) open_calls.push_back(open_call_json(open));
  return {{"format", kRunFormatVersion},
          {"agent", run.agent},
          {"max_iterations", run.limits.max_iterations},
          {"limits", limits_json(run.limits)},
          {"phase", to_string(run.phase)},
          {"iterations", run.iterations},
          {"usage", to_json(run.usage)},
          {"error",
           {{"code", to_string(run.error.code)},
            {"message", run.error.message},
            {"detail", run.error.detail}}},
          {"messages", std::move(messages)},
          {"open_calls", std::move(open_calls)}};
}

Result<Run> run_from_json(const Json& json) {
  const JsonObject* object = json.if_object();
  if (object == nullptr) return fail(ErrorCode::invalid_json, "A stored run is not an object");
  const auto version = TRY(version_of(*object));

  Run run;
  const Json* agent = object->if_contains("agent");
  if (agent == nullptr || !agent->is_string()) return bad("agent");
  run.agent = std::string_view(agent->get_string());

  const auto limit = count_from(*object, "max_iterations");
  const auto iterations = count_from(*object, "iterations");
  const auto phase = phase_from(*object);
  if (!limit) return std::unexpected(limit.error());
  if (!iterations) return std::unexpected(iterations.error());
  if (!phase) return std::unexpected(phase.error());
  run.limits.max_iterations = *limit;
  TRY(read_limits(object->if_contains("limits"), version, run.limits));
  run.iterations = *iterations;
  run.phase = *phase;

  const Json* usage = object->if_contains("usage");
  const Json* error = object->if_contains("error");
  if (usage == nullptr) return bad("usage");
  if (error == nullptr) return bad("error");
  run.usage = TRY(usage_from_json(*usage));
  run.error = TRY(error_from(*error));

  const Json* messages = object->if_contains("messages");
  const Json* open_calls = object->if_contains("open_calls");
  if (messages == nullptr || !messages->is_array()) return bad("messages");
  if (open_calls == nullptr || !open_calls->is_array()) return bad("open_calls");
  for (const Json& item : messages->get_array()) {
    auto message = TRY(message_from_json(item));
    run.messages.push_back(version < 3 ? older::with_notices(std::move(message))
                                       : std::move(message));
  }
  for (const Json& item : open_calls->get_array()) {
    auto open = TRY(open_call_from(item));
    run.open_calls.push_back(std::move(open));
  }
  recount(run);
  TRY(check_invariants(run));
  return run;
}

}  // namespace wright
