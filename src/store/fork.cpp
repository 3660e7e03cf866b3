#include "store/fork.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "store/status.h"

namespace wright::store {

bool has_run(const Session& session) {
  return !session.forked_from || session.iterations > 0 ||
         session.status != SessionStatus::completed;
}

bool was_copied(const Session& session, const StoredCall& call) {
  return session.forked_from && call.created_at < session.started_at;
}

namespace {

// The ids of calls that have no result yet. A model may use an id again once it was answered.
class OpenCalls {
 public:
  void see(const Message& message) {
    for (const Part& part : message.parts) {
      if (const auto* call = std::get_if<ToolCall>(&part)) open_.insert(call->id);
      if (const auto* result = std::get_if<ToolResult>(&part)) {
        const auto answered = open_.find(result->call_id);
        if (answered != open_.end()) open_.erase(answered);
      }
    }
  }
  bool empty() const { return open_.empty(); }
  const std::string& first() const { return *open_.begin(); }

 private:
  std::multiset<std::string> open_;
};

Error open_call(MessageId last, const std::string& call_id, std::optional<MessageId> before,
                std::optional<MessageId> after) {
  JsonObject detail;
  if (before) detail["before"] = *before;
  if (after) detail["after"] = *after;
  std::string places = "there is no place to fork this session yet";
  if (before && after) {
    places = fmt::format("the nearest places are message {} before and message {} behind it",
                         *before, *after);
  } else if (before || after) {
    places = fmt::format("the nearest place is message {}", before ? *before : *after);
  }
  return {ErrorCode::invalid_argument,
          fmt::format("The session cannot be forked at message {}, where call '{}' has no result "
                      "yet; {}",
                      last, call_id, places),
          std::move(detail)};
}

}  // namespace

Result<std::size_t> messages_to_fork(SessionId session_id, std::span<const StoredMessage> messages,
                                     MessageId last) {
  const auto found = std::ranges::find(messages, last, &StoredMessage::id);
  if (found == messages.end()) return std::unexpected(no_message(last, session_id));
  const auto count = static_cast<std::size_t>(found - messages.begin()) + 1;

  OpenCalls open;
  std::optional<MessageId> before;
  for (const StoredMessage& stored : messages.first(count)) {
    open.see(stored.message);
    if (open.empty()) before = stored.id;
  }
  if (open.empty()) return count;

  const std::string call_id = open.first();
  std::optional<MessageId> after;
  for (const StoredMessage& stored : messages.subspan(count)) {
    open.see(stored.message);
    if (!open.empty()) continue;
    after = stored.id;
    break;
  }
  return std::unexpected(open_call(last, call_id, before, after));
}

}  // namespace wright::store
