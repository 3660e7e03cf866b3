#include "runtime/outside_calls.h"

#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/begun_wait.h"
#include "core/try.h"
#include "store/lease.h"

namespace wright::runtime {
namespace {

constexpr const char* kNoteKind = "outside_call";
constexpr std::string_view kSession = "session_id";
constexpr std::string_view kRunner = "runner_id";  // absent: it waits for a person
constexpr std::string_view kRow = "row";
constexpr std::string_view kId = "id";
constexpr std::string_view kNote = "note";
constexpr std::string_view kNoAnswerInTime = "Nobody answered in time: it was not run";
constexpr std::string_view kNoAnswerInTheMiddle =
    "Nobody answered in time what it asked after it had begun. It may have happened or not, and it "
    "was not repeated. Find out before you do it again.";

std::optional<std::int64_t> whole_number(const Json& json, std::string_view key) {
  const JsonObject* object = json.if_object();
  const Json* value = object != nullptr ? object->if_contains(key) : nullptr;
  return value != nullptr && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
}

PutRecord note(const OutsideCall& call, Json value, std::int64_t due_at) {
  PutRecord put{kNoteKind, call.id, std::move(value), due_at, {}};
  if (call.note != 0) put.version = call.note;
  return put;
}

// What is to be written about a call that nobody will end, besides that its note is gone.
void add_ending(std::vector<Write>& writes, const StoredCall& call, const Json& note) {
  const bool was_executed = call.status == CallStatus::executing;
  const bool may_have_happened = was_executed || waits_in_the_middle(note);
  std::string words(may_have_happened ? kNoAnswerInTheMiddle : kNoAnswerInTime);
  ToolResult told{.call_id = call.tool_call_id,
                  .name = call.tool_name,
                  .content = was_executed ? std::string(kOutcomeUnknown) : words,
                  .is_error = true};
  writes.emplace_back(UpdateCall{
      .call_id = call.id,
      .status = may_have_happened ? CallStatus::unknown : CallStatus::cancelled,
      .error_details = was_executed ? "The process ended while it ran" : std::move(words)});
  writes.emplace_back(
      AppendMessage{.session_id = call.session_id, .message = Message::tool(std::move(told))});
}

Result<std::optional<StoredCall>> find_open(Store& store, SessionId session, std::string_view id) {
  for (const CallStatus status : {CallStatus::executing, CallStatus::waiting}) {
    auto calls = store.get_tool_calls(session, {.status = status});
    if (!calls && calls.error().code == ErrorCode::not_found) return std::nullopt;
    if (!calls) return std::unexpected(std::move(calls).error());
    const auto found = std::ranges::find(*calls, id, &StoredCall::tool_call_id);
    if (found != calls->end()) return std::move(*found);
  }
  return std::nullopt;
}

}  // namespace

Json to_json(const OutsideCall& call) {
  return {{kSession, call.session}, {kRow, call.row}, {kId, call.id}, {kNote, call.note}};
}

std::optional<OutsideCall> outside_call_from(const Json& json) {
  const auto session = whole_number(json, kSession);
  const auto row = whole_number(json, kRow);
  const auto version = whole_number(json, kNote);
  if (!session || !row || !version) return std::nullopt;
  const Json* id = json.get_object().if_contains(kId);
  if (id == nullptr || !id->is_string()) return std::nullopt;
  return OutsideCall{*session, *row, std::string(id->get_string()), *version};
}

PutRecord note_of_executing(const OutsideCall& call, RunnerId runner) {
  return note(call, JsonObject{{kSession, call.session}, {kRunner, runner}}, 0);
}

PutRecord note_of_waiting(const OutsideCall& call, std::int64_t until_ms, Done done) {
  JsonObject value{{kSession, call.session}};
  if (done == Done::perhaps_something) value[kHasBegun] = true;
  return note(call, std::move(value), until_ms);
}

RemoveRecords no_note_of(const OutsideCall& call) {
  return {.kind = kNoteKind, .key = call.id};
}

Result<int> settle_outside_calls(Store& store) {
  const store::Moment now = store::moment_of(Clocks());
  // Those that wait and have time left are not due.
  const auto notes =
      TRY(store.get_records({.kind = kNoteKind, .due_before = now.wall, .limit = kNoLimit}));
  if (notes.empty()) return 0;
  const auto runners = TRY(store.get_runners());
  int settled = 0;
  for (const Record& note : notes) {
    const auto runner = whole_number(note.value, kRunner);
    if (store::is_alive(runner, runners, now)) continue;
    const SessionId session = whole_number(note.value, kSession).value_or(0);
    // Only as long as it is this note: who goes on with the call in this moment has another.
    std::vector<Write> writes{PutRecord{note.kind, note.key, note.value, note.due_at, note.version},
                              RemoveRecords{.kind = note.kind, .key = note.key}};
    const auto call = TRY(find_open(store, session, note.key));
    if (call) add_ending(writes, *call, note.value);
    const auto written = store.apply(writes);
    if (written) {
      settled += call ? 1 : 0;
    } else if (written.error().code == ErrorCode::storage) {
      return std::unexpected(written.error());
    }
    // Else somebody has moved the call on in this moment, or the next round tries again.
  }
  return settled;
}

}  // namespace wright::runtime
