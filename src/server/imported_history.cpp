#include "server/imported_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/try.h"
#include "wright/run.h"

namespace wright::server {
namespace {

// Some protocols say each call of a turn in a message of its own.
std::vector<Message> with_whole_turns(std::vector<Message> messages) {
  std::vector<Message> whole;
  for (Message& message : messages) {
    const bool follows_assistant =
        message.role == Role::assistant && !whole.empty() && whole.back().role == Role::assistant;
    if (follows_assistant &&
        (!message.tool_calls().empty() || !whole.back().tool_calls().empty())) {
      auto& parts = whole.back().parts;
      parts.insert(parts.end(), message.parts.begin(), message.parts.end());
    } else {
      whole.push_back(std::move(message));
    }
  }
  return whole;
}

const ToolResult* first_result(const Message& message) {
  if (message.parts.empty()) return nullptr;
  return std::get_if<ToolResult>(&message.parts.front());
}

// Results may come in any order; those of a turn stand in the order of its calls.
void put_in_order(std::vector<Message>& messages) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::vector<ToolCall> calls = messages[i].tool_calls();
    const auto first = messages.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    const auto last = std::find_if(first, messages.end(),
                                   [](const Message& each) { return each.role != Role::tool; });
    std::stable_sort(
        first, calls.empty() ? first : last, [&](const Message& one, const Message& other) {
          const auto place = [&](const Message& each) {
            const ToolResult* result = first_result(each);
            return result == nullptr ? calls.end()
                                     : std::ranges::find(calls, result->call_id, &ToolCall::id);
          };
          return place(one) < place(other);
        });
    for (auto message = first; message != last; ++message) {
      for (Part& part : message->parts) {
        auto* result = std::get_if<ToolResult>(&part);
        if (result == nullptr) continue;
        const auto call = std::ranges::find(calls, result->call_id, &ToolCall::id);
        if (call != calls.end()) result->name = call->name;
      }
    }
  }
}

}  // namespace

Result<std::vector<Message>> as_conversation(std::vector<Message> told) {
  auto messages = with_whole_turns(std::move(told));
  put_in_order(messages);
  // What is checked when a session is loaded is checked before it is stored.
  Run run;
  run.messages = messages;
  run.messages.push_back(Message::user("?"));
  if (const auto run_as_stored = restored(std::move(run)); !run_as_stored) {
    return fail(ErrorCode::invalid_argument,
                "The messages make no conversation. " + run_as_stored.error().message);
  }
  return messages;
}

Result<SessionId> store_imported(Store& store, const Agent& agent, Json config,
                             std::vector<Message> told, const std::string& prompt,
                             const std::string& tenant) {
  if (!config.is_object()) config.emplace_object();
  config.get_object()[kImportedMessagesKey] = static_cast<std::int64_t>(told.size());
  Batch batch{.create = NewSession{.agent_name = agent.name,
                                   .provider = agent.model.provider(),
                                   .model = agent.model.name(),
                                   .user_prompt = prompt,
                                   .config = std::move(config),
                                   .labels = labels_for(agent),
                                   .tenant = tenant}};
  if (!agent.instructions.empty()) batch.create->system_prompt = agent.instructions;
  std::string last;
  for (Message& message : told) {
    if (message.role == Role::assistant) last = message.text();
    batch.writes.push_back(AppendMessage{.message = std::move(message), .is_told = true});
  }
  batch.writes.push_back(
      UpdateSession{.status = SessionStatus::completed, .result = std::move(last)});
  auto applied = store.apply_all({&batch, 1});
  const BatchIds ids = TRY(std::move(applied.front()));
  return ids.session;
}

std::size_t imported_messages_of(const Json& config) {
  const JsonObject* object = config.if_object();
  const Json* count = object == nullptr ? nullptr : object->if_contains(kImportedMessagesKey);
  const bool is_count = count != nullptr && count->is_int64() && count->get_int64() > 0;
  return is_count ? static_cast<std::size_t>(count->get_int64()) : 0;
}

Result<std::optional<MessageId>> last_imported(Store& store, const Session& session) {
  const std::size_t count = imported_messages_of(session.config);
  if (count == 0) return std::nullopt;
  const auto messages = TRY(store.get_messages(session.id, {.limit = count}));
  if (messages.empty()) return std::nullopt;
  return messages.back().id;
}

}  // namespace wright::server
