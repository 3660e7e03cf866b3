// What must hold of a session that has ended, and of all when the world has come to rest.
#include <fmt/format.h>

#include <algorithm>

#include "session/said.h"
#include "simulation/watch.h"
#include "simulation/world.h"
#include "store/status.h"

namespace wright::simulation {

// Every call has one result, in order, before anything else is said.
void Watch::check_transcript(const Session& session) {
  const auto stored = world_.store().truth().get_messages(session.id);
  if (!stored) return broken("a transcript can be read", stored.error().message);
  std::set<std::string> used;
  std::vector<std::string> open;
  for (const StoredMessage& each : *stored) {
    const Message& message = each.message;
    if (message.role == Role::tool) {
      for (const Part& part : message.parts) {
        const auto* result = std::get_if<ToolResult>(&part);
        if (result == nullptr) continue;
        if (open.empty() || open.front() != result->call_id) {
          return broken("every call has one result, in order",
                        fmt::format("session {}: {}", session.id, result->call_id));
        }
        open.erase(open.begin());
      }
      continue;
    }
    if (!open.empty()) {
      return broken("every call has one result, in order",
                    fmt::format("session {}: none for {}", session.id, open.front()));
    }
    for (const ToolCall& call : message.tool_calls()) {
      if (!used.insert(call.id).second) {
        return broken("the ids of calls differ",
                      fmt::format("session {}: {}", session.id, call.id));
      }
      open.push_back(call.id);
    }
  }
  if (!open.empty()) {
    broken("every call has one result, in order",
           fmt::format("session {} has ended without one for {}", session.id, open.front()));
  }
}

// Nothing of a session that has ended is under way.
void Watch::check_rows(const Session& session) {
  const auto calls = world_.store().truth().get_tool_calls(session.id);
  for (const StoredCall& call : *calls) {
    if (store::is_end(call.status) || call.status == CallStatus::unknown) continue;
    broken("a session ends with its calls",
           fmt::format("{} is {}", key_of(session.id, call.tool_call_id), to_string(call.status)));
  }
  const auto waits = world_.store().truth().get_waits({.session_id = session.id});
  for (const StoredWait& wait : *waits) {
    if (wait.session_id != session.id || wait.status != WaitStatus::open) continue;
    broken("a session ends with its waits", fmt::format("wait {}", wait.id));
  }
}

// What people said reached the call that asked, unless the session was stopped before.
void Watch::check_answers(const Session& session) {
  if (session.status != SessionStatus::completed) return;
  const auto waits = world_.store().truth().get_waits({.session_id = session.id});
  for (const StoredWait& wait : *waits) {
    if (wait.session_id != session.id || wait.status != WaitStatus::answered || !wait.answer) {
      continue;
    }
    const std::int64_t* payload = wait.answer->if_int64();
    const auto call = calls_.find(wait.call_id);
    if (payload == nullptr || call == calls_.end()) continue;
    if (call->second.status == CallStatus::completed && !received_.contains(*payload)) {
      broken("every answer is delivered", fmt::format("wait {}", wait.id));
    }
  }
}

// The calls of a session that have not ended, and the sessions below it.
std::string Watch::open_calls(SessionId id) {
  Store& store = world_.store().truth();
  std::string text;
  const auto rows = store.get_tool_calls(id);
  for (const StoredCall& call : rows.value()) {
    if (call.status == CallStatus::completed || call.status == CallStatus::failed) continue;
    text += fmt::format(" {} {} is {} (row {});", call.tool_name, call.tool_call_id,
                        to_string(call.status), call.id);
  }
  const auto children = store.list_sessions({.parent_session_id = id, .limit = kNoLimit});
  for (const Session& child : children.value()) {
    text += fmt::format(" session {} for row {} is {};", child.id, child.parent_call_id.value_or(0),
                        to_string(child.status));
  }
  return text;
}

std::string Watch::unsettled() {
  Store& store = world_.store().truth();
  const auto sessions = store.list_sessions({.limit = kNoLimit});
  const auto needing = store.list_sessions({.needs_driver = true, .limit = kNoLimit});
  if (!needing->empty()) return fmt::format("session {} needs a driver", needing->front().id);
  const auto records = store.get_records({.kind = std::string(kSaidRecords)});
  for (const Record& record : records.value()) {
    const auto session = store.get_session(std::stoll(record.key.substr(0, record.key.find('/'))));
    if (session && session->status == SessionStatus::completed) {
      return fmt::format("session {} has not taken {}", session->id, record.key);
    }
  }
  for (const Session& session : *sessions) {
    if (store::is_end(session.status)) continue;
    const SessionId root = root_of(session.id);
    const auto above = store.get_session(root);
    if (above && store::is_end(above->status)) {
      return fmt::format("session {} is {} below session {}, which has ended", session.id,
                         to_string(session.status), root);
    }
    if (session.status != SessionStatus::waiting) {
      return fmt::format("session {} is {}", session.id, to_string(session.status));
    }
    const auto waits = store.get_waits({.session_id = session.id, .status = WaitStatus::open});
    if (waits->empty()) {
      return fmt::format("session {} waits for nothing:{}", session.id, open_calls(session.id));
    }
    for (const StoredWait& wait : *waits) {
      if (!world_.ignores(wait.id)) return fmt::format("wait {} is to be answered", wait.id);
    }
    world_.reach("a session still waits at the end");
  }
  return {};
}

std::int64_t Watch::progress() {
  const auto sessions = world_.store().truth().list_sessions({.limit = kNoLimit});
  const auto ended = std::ranges::count_if(
      *sessions, [](const Session& session) { return store::is_end(session.status); });
  return static_cast<std::int64_t>(sessions->size()) + ended;
}

std::string said_token(std::int64_t number) {
  return fmt::format("[said {:08}]", number);
}

// It is in the store's list or in the conversation, always, and once.
void Watch::check_said() {
  Store& store = world_.store().truth();
  const auto untaken = store.get_records({.kind = std::string(kSaidRecords)});
  for (const auto& [key, at] : said_) {
    const std::size_t slash = key.find('/');
    const SessionId id = std::stoll(key.substr(0, slash));
    const std::string token = said_token(std::stoll(key.substr(slash + 1)));
    const auto messages = store.get_messages(id);
    if (!messages) continue;
    std::ptrdiff_t places = std::ranges::count(*untaken, key, &Record::key);
    for (const StoredMessage& each : *messages) {
      const std::string text = each.message.text();
      for (std::size_t at = text.find(token);
           each.message.is_from_user() && at != std::string::npos; at = text.find(token, at + 1)) {
        ++places;
      }
    }
    if (places != 1) {
      broken("what is said is neither lost nor taken twice",
             fmt::format("{} is in {} places", key, places));
    }
  }
}

void Watch::check_end() {
  check_said();
  const auto sessions = world_.store().truth().list_sessions({.limit = kNoLimit});
  for (const Session& session : *sessions) {
    if (!store::is_end(session.status)) continue;
    check_transcript(session);
    check_rows(session);
    check_answers(session);
  }
}

}  // namespace wright::simulation
