#include "app/terminal/transcript.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "app/terminal/figures.h"
#include "core/try.h"
#include "server/imported_history.h"
#include "store/damage.h"
#include "store/readable_rows.h"
#include "wright/driver.h"
#include "wright/feedback.h"

namespace wright::app {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json call_json(const StoredCall& call) {
  // Arguments that are JSON are shown as such; broken ones as the text they are.
  auto arguments = parse_json(call.request);
  return {{"id", call.id},
          {"message_id", or_null(call.message_id)},
          {"tool_call_id", call.tool_call_id},
          {"tool_name", call.tool_name},
          {"request", arguments ? std::move(*arguments) : Json(call.request)},
          {"response", or_null(call.response)},
          {"status", to_string(call.status)},
          {"created_at", call.created_at},
          {"completed_at", or_null(call.completed_at)},
          {"execution_time_ms", or_null(call.execution_time_ms)},
          {"error_details", or_null(call.error_details)}};
}

Json message_json(const StoredMessage& stored, std::size_t number) {
  JsonObject json{{"number", number}, {"id", stored.id}, {"created_at", stored.created_at}};
  const Json message = to_json(stored.message);
  for (const auto& [key, value] : message.get_object()) json[key] = value;
  json["content"] = stored.content;
  return json;
}

// What can be read; what cannot is told, a list that cannot be read at all as well. Any other
// error is no damage.
template <class Row>
Result<store::ReadableRows<Row>> kept_or_told(Result<store::ReadableRows<Row>> read,
                                              std::vector<std::string>& damaged) {
  if (!read && read.error().code != ErrorCode::storage) return read;
  if (!read) {
    damaged.push_back(read.error().message);
    return store::ReadableRows<Row>();
  }
  for (const auto& each : read->damaged) damaged.push_back(each.error.message);
  return read;
}

// How many of the first `told` messages can be read.
std::size_t told_among(std::size_t told, const store::ReadableRows<StoredMessage>& messages) {
  std::size_t readable = told;
  for (std::size_t i = 0; i < messages.damaged.size(); ++i) {
    const auto is_before = [&](const StoredMessage& each) {
      return each.id < messages.damaged[i].id;
    };
    const auto before = static_cast<std::size_t>(std::ranges::count_if(messages.rows, is_before));
    if (before + i < told) --readable;
  }
  return readable;
}

}  // namespace

Result<Transcript> load_transcript(Store& store, SessionId id) {
  auto session = TRY(store.get_session(id));
  auto messages = TRY(store.get_messages(id));
  auto calls = TRY(store.get_tool_calls(id));
  const std::size_t told = server::imported_messages_of(session.config);
  // A server does not tell of them.
  auto unread = untaken_messages(store, id).value_or(std::vector<Message>());
  return Transcript{std::move(session), std::move(messages), std::move(calls), told,
                    std::move(unread)};
}

Result<Transcript> load_readable_transcript(Store& store, SessionId id) {
  auto sessions = TRY(
      store.list_sessions({.after = id - 1, .before = id + 1, .limit = 1, .keeps_damaged = true}));
  if (sessions.empty()) {
    return fail(ErrorCode::not_found, fmt::format("There is no session {}", id));
  }
  Transcript rest{.session = std::move(sessions.front())};
  if (store::is_damaged(rest.session)) rest.damaged.push_back(rest.session.error.value_or(""));
  const auto messages = TRY(kept_or_told(
      store::readable_rows<StoredMessage>(
          {}, store::kDamagedRow, [&](const Page& page) { return store.get_messages(id, page); }),
      rest.damaged));
  const auto calls = TRY(
      kept_or_told(store::readable_rows<StoredCall>(
                       {}, store::kDamagedRow,
                       [&](const Page& page) { return store.get_tool_calls(id, {.page = page}); }),
                   rest.damaged));
  rest.messages = messages.rows;
  rest.calls = calls.rows;
  rest.told_messages = told_among(server::imported_messages_of(rest.session.config), messages);
  rest.unread = untaken_messages(store, id).value_or(std::vector<Message>());
  return rest;
}

Json session_json(const Session& session) {
  JsonObject json{{"id", session.id},
                  {"agent_name", session.agent_name},
                  {"provider", session.provider},
                  {"model", session.model},
                  {"status", to_string(session.status)},
                  {"started_at", session.started_at},
                  {"ended_at", or_null(session.ended_at)},
                  {"worked_ms", or_null(session.worked_ms)},
                  {"user_prompt", session.user_prompt},
                  {"system_prompt", or_null(session.system_prompt)},
                  {"result", or_null(session.result)},
                  {"error", or_null(session.error)},
                  {"parent_session_id", or_null(session.parent_session_id)},
                  {"iterations", session.iterations},
                  {"usage", to_json(session.usage)},
                  {"config", session.config},
                  {"feedback", session.feedback}};
  if (!session.tenant.empty()) json["tenant"] = session.tenant;
  // Its status is not known, nor what else is not here.
  if (store::is_damaged(session)) json["is_damaged"] = true;
  return json;
}

Json transcript_json(const Transcript& transcript) {
  JsonArray messages;
  for (const StoredMessage& message : transcript.messages) {
    messages.push_back(message_json(message, messages.size() + 1));
    if (messages.size() <= transcript.told_messages) {
      messages.back().as_object()["is_told"] = true;
    }
  }
  JsonArray calls;
  for (const StoredCall& call : transcript.calls) calls.push_back(call_json(call));
  JsonObject json{{"format", "wright-session"},
                  {"version", kTranscriptFormatVersion},
                  {"session", session_json(transcript.session)},
                  {"messages", std::move(messages)},
                  {"tool_calls", std::move(calls)}};
  JsonArray unread;
  for (const Message& message : transcript.unread) unread.push_back(to_json(message));
  if (!unread.empty()) json["unread"] = std::move(unread);
  if (!transcript.damaged.empty()) {
    json["damaged"] = JsonArray(transcript.damaged.begin(), transcript.damaged.end());
  }
  return json;
}

std::string feedback_text(const Session& session) {
  if (session.feedback.is_null()) return {};
  const auto report = feedback_report_from_json(session.feedback);
  return report ? to_text(*report) : report.error().message + "\n";
}

std::string duration_of(const Session& session) {
  const auto took = duration_ms(session);
  return took ? show_whole_duration(*took) : std::string();
}

std::string model_label(std::string_view provider, std::string_view name) {
  if (provider == "offline") return std::string(provider);
  return fmt::format("{}:{}", provider, name);
}

const StoredCall* call_of(const Transcript& transcript, const ToolResult& result) {
  const auto found = std::ranges::find(transcript.calls, result.call_id, &StoredCall::tool_call_id);
  return found == transcript.calls.end() ? nullptr : &*found;
}

std::string standing_of(const Transcript& transcript, const ToolCall& call) {
  const auto row = std::ranges::find(transcript.calls, call.id, &StoredCall::tool_call_id);
  const bool is_told = row == transcript.calls.end() || row->status == CallStatus::completed ||
                       row->status == CallStatus::failed;
  if (is_told) return {};
  const auto is_result = [&](const Part& part) {
    const auto* result = std::get_if<ToolResult>(&part);
    return result != nullptr && result->call_id == call.id;
  };
  const auto has_result = [&](const StoredMessage& stored) {
    return std::ranges::any_of(stored.message.parts, is_result);
  };
  if (std::ranges::any_of(transcript.messages, has_result)) return {};
  std::string words(to_string(row->status));
  if (row->status == CallStatus::waiting) words += " for a person";
  if (row->error_details && !row->error_details->empty()) words += ": " + *row->error_details;
  return words;
}

Colour colour_of(SessionStatus status) {
  switch (status) {
    case SessionStatus::completed: return Colour::green;
    case SessionStatus::failed: return Colour::red;
    case SessionStatus::running: return Colour::cyan;
    case SessionStatus::queued:
    case SessionStatus::waiting:
    case SessionStatus::cancelled: return Colour::yellow;
  }
  return Colour::none;
}

}  // namespace wright::app
