#include "mcp_server/task_turn.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <span>

#include "core/json_members.h"
#include "core/try.h"
#include "mcp/content.h"

namespace wright::mcp_server {
namespace {

using mcp::TaskStatus;

bool has_ended(SessionStatus status) {
  return status == SessionStatus::completed || status == SessionStatus::failed ||
         status == SessionStatus::cancelled;
}

JsonObject answered(const StoredTask& task, std::string_view text) {
  JsonObject answer = mcp::text_result(text);
  answer["structuredContent"] = JsonObject{{"answer", text}, {"session_id", task.session}};
  return answer;
}

JsonObject not_answered(const StoredTask& task, std::string_view why, std::string_view best) {
  std::string text = fmt::format("{} (session {})", why, task.session);
  if (!best.empty()) text += fmt::format("\n{}", best);
  return mcp::error_result(text);
}

// What stored events tell of a session that has gone on since.
struct PastEvents {
  std::vector<StoredEvent> ended = {};
  std::vector<StoredEvent> taken = {};  // messages that were said while it worked
};

Result<PastEvents> past_events(Store& store, SessionId session) {
  constexpr std::size_t kPage = 1000;
  PastEvents past;
  EventFilter filter{.session_id = session, .limit = kPage};
  while (true) {
    auto page = TRY(store.get_events(filter));
    const bool is_last = page.size() < kPage;
    if (!page.empty()) filter.after = page.back().sequence;
    for (StoredEvent& event : page) {
      if (event.session_id != session) continue;
      if (event.type == "run_ended")
        past.ended.push_back(std::move(event));
      else if (event.type == "message_taken")
        past.taken.push_back(std::move(event));
    }
    if (is_last) return past;
  }
}

// Whether the run that worked took it, so that it began no turn of its own.
bool was_said_meanwhile(const PastEvents& past, const StoredMessage& message) {
  return std::ranges::any_of(past.taken, [&](const StoredEvent& event) {
    return text_in(event.data, "text") == message.content;
  });
}

std::optional<TurnEnd> end_in_events(const StoredTask& task, const PastEvents& past,
                                     std::int64_t from, std::int64_t until) {
  const auto found = std::ranges::find_if(
      past.ended.rbegin(), past.ended.rend(),
      [&](const StoredEvent& event) { return event.at >= from && event.at <= until; });
  if (found == past.ended.rend()) return std::nullopt;
  const std::string phase = text_in(found->data, "phase");
  const std::string text = text_in(found->data, "text");
  if (phase == "done") return TurnEnd{.result = answered(task, text), .at = found->at};
  const Json* error = member(found->data, "error");
  const std::string why = error != nullptr ? text_in(*error, "message") : std::string();
  return TurnEnd{.status = phase == "cancelled" ? TaskStatus::cancelled : TaskStatus::completed,
                 .result = not_answered(task, why.empty() ? "it failed" : why, text),
                 .at = found->at};
}

// By what was said alone: the last word before somebody went on is an answer where no tool was
// called with it. Anything else is none.
TurnEnd end_in_messages(const StoredTask& task, std::span<const StoredMessage> messages) {
  TurnEnd end{.at = messages.empty() ? task.created_at : messages.back().created_at};
  if (!messages.empty() && messages.back().message.role == Role::assistant &&
      messages.back().message.tool_calls().empty()) {
    end.result = answered(task, messages.back().message.answer());
  } else {
    end.result = not_answered(
        task, "It ended without an answer, and somebody has gone on with its session since", {});
  }
  return end;
}

TurnEnd end_as_session(const StoredTask& task, const Session& session) {
  TurnEnd end{.at = session.ended_at.value_or(system_clock_ms())};
  if (session.status == SessionStatus::completed) {
    end.result = answered(task, session.result.value_or(""));
    return end;
  }
  if (session.status == SessionStatus::cancelled) end.status = TaskStatus::cancelled;
  end.result =
      not_answered(task, session.error.value_or("it was cancelled"), session.result.value_or(""));
  return end;
}

}  // namespace

Result<std::optional<TurnEnd>> end_of_turn(Store& store, const StoredTask& task,
                                           const Session& session) {
  // Nobody has taken the session since: whatever was said meanwhile was said to this turn.
  const bool is_ours = session.lease_epoch == task.epoch && session.status != SessionStatus::queued;
  if (is_ours) {
    if (!has_ended(session.status)) return std::nullopt;
    return end_as_session(task, session);
  }
  const auto messages = TRY(store.get_messages(task.session, {.after = task.after}));
  const auto is_said = [](const StoredMessage& each) { return each.message.is_from_user(); };
  const auto own = std::ranges::find_if(messages, is_said);
  auto next = own;
  std::optional<PastEvents> past;
  while (next != messages.end()) {
    next = std::ranges::find_if(next + 1, messages.end(), is_said);
    if (next == messages.end() || next->id <= task.said_until) continue;
    if (!past) past = TRY(past_events(store, task.session));
    if (!was_said_meanwhile(*past, *next)) break;
  }
  if (next == messages.end()) {
    if (!has_ended(session.status)) return std::nullopt;
    return end_as_session(task, session);
  }
  if (auto end = end_in_events(task, *past, own->created_at, next->created_at)) return end;
  return end_in_messages(task, std::span(messages.data(), &*next));
}

Result<void> note_turn(Store& store, StoredTask& task) {
  const Session session = TRY(store.get_session(task.session));
  const auto last = TRY(store.get_messages(task.session, {.limit = 1, .keep = Page::Keep::last}));
  task.epoch = session.lease_epoch;
  if (!last.empty()) task.said_until = last.back().id;
  return keep_task(store, task);
}

}  // namespace wright::mcp_server
