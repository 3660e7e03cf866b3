// The store in memory: gone with the process, otherwise the same as the one in SQLite. Rows are
// kept as the columns that the SQLite store would write, so that both read back the same values.

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "store/json_columns.h"
#include "store/message_codec.h"
#include "store/status.h"
#include "wright/store.h"

namespace wright {
namespace {

struct MessageRow {
  MessageId id = 0;
  Role role = Role::user;
  store::MessageColumns columns;
  std::int64_t created_at = 0;
};

struct CallRow {
  StoredCall call;  // without request and response
  std::string request;
  std::optional<std::string> response;
};

struct SessionRow {
  Session session;  // without config
  std::optional<std::string> config;
  std::vector<MessageRow> messages;
  std::vector<CallRow> calls;
};

std::optional<std::string> valid(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return to_valid_utf8(*text);
}

store::MessageColumns valid(store::MessageColumns columns) {
  columns.content = to_valid_utf8(std::move(columns.content));
  columns.tool_call_id = valid(columns.tool_call_id);
  return columns;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool contains_ignoring_case(std::string_view text, std::string_view wanted) {
  return !std::ranges::search(text, wanted, {}, lower, lower).empty() || wanted.empty();
}

// Everything there is, without locking or transactions.
struct Tables {
  std::map<SessionId, SessionRow> sessions;
  std::unordered_map<CallId, SessionId> session_of_call;
  SessionId last_session = 0;
  MessageId last_message = 0;
  CallId last_call = 0;

  SessionRow* find_session(SessionId id) {
    const auto found = sessions.find(id);
    return found == sessions.end() ? nullptr : &found->second;
  }

  CallRow* find_call(CallId id) {
    const auto found = session_of_call.find(id);
    if (found == session_of_call.end()) return nullptr;
    auto& calls = sessions.at(found->second).calls;
    return &*std::ranges::lower_bound(calls, id, {},
                                      [](const CallRow& row) { return row.call.id; });
  }
};

// The writes of one batch. What they changed is undone unless keep() is called.
class Batch {
 public:
  Batch(Tables& tables, std::int64_t now)
      : tables_(tables),
        now_(now),
        last_session_(tables.last_session),
        last_message_(tables.last_message),
        last_call_(tables.last_call) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  ~Batch() {
    while (!undo_.empty()) {
      undo_.back()();
      undo_.pop_back();
    }
    if (is_kept_) return;
    tables_.last_session = last_session_;
    tables_.last_message = last_message_;
    tables_.last_call = last_call_;
  }

  BatchIds keep() {
    undo_.clear();
    is_kept_ = true;
    return std::move(ids_);
  }

  Result<SessionId> create_session(const NewSession& session) {
    auto config = store::config_column(session.config);
    if (!config) return std::unexpected(config.error());
    const auto parent = session.parent_session_id;
    if (parent && tables_.find_session(*parent) == nullptr) {
      return std::unexpected(store::no_session(*parent));
    }
    const SessionId id = ++tables_.last_session;
    SessionRow& row = tables_.sessions[id];
    undo_.push_back([this, id] { tables_.sessions.erase(id); });
    row.config = std::move(*config);
    row.session = Session{.id = id,
                          .agent_name = to_valid_utf8(session.agent_name),
                          .provider = to_valid_utf8(session.provider),
                          .model = to_valid_utf8(session.model),
                          .system_prompt = valid(session.system_prompt),
                          .user_prompt = to_valid_utf8(session.user_prompt),
                          .started_at = now_,
                          .parent_session_id = parent};
    return id;
  }

  // Writes that follow go to `session_id`, whatever they say themselves.
  void redirect_to(SessionId session_id) { session_id_ = session_id; }

  Result<void> write(const Write& write) {
    return std::visit([&](const auto& one) { return apply(one); }, write);
  }

 private:
  Result<SessionRow*> target(SessionId written) {
    const SessionId id = session_id_.value_or(written);
    SessionRow* row = tables_.find_session(id);
    if (row == nullptr) return std::unexpected(store::no_session(id));
    return row;
  }

  Result<void> apply(const AppendMessage& write) {
    const auto row = target(write.session_id);
    if (!row) return std::unexpected(row.error());
    const MessageId id = ++tables_.last_message;
    (*row)->messages.push_back(
        {id, write.message.role, valid(store::to_columns(write.message)), now_});
    undo_.push_back([messages = &(*row)->messages] { messages->pop_back(); });
    ids_.messages.push_back(id);
    std::size_t to_start = write.started_calls;
    for (const Part& part : write.message.parts) {
      const auto* call = std::get_if<ToolCall>(&part);
      if (call == nullptr) continue;
      insert_call(**row, id, *call);
      if (to_start == 0) continue;
      --to_start;
      if (auto started = apply(UpdateCall{.call_id = ids_.calls.back()}); !started) return started;
    }
    return {};
  }

  Result<void> apply(const CreateCall& write) {
    const auto row = target(write.session_id);
    if (!row) return std::unexpected(row.error());
    if (write.message_id &&
        !std::ranges::binary_search((*row)->messages, *write.message_id, {}, &MessageRow::id)) {
      return std::unexpected(store::no_message(*write.message_id, (*row)->session.id));
    }
    insert_call(**row, write.message_id, write.call);
    return {};
  }

  Result<void> apply(const UpdateCall& write) {
    CallRow* row = tables_.find_call(write.call_id);
    if (row == nullptr) return std::unexpected(store::no_call(write.call_id));
    if (!store::may_move(row->call.status, write.status)) {
      return std::unexpected(store::illegal_move(write.call_id, row->call.status, write.status));
    }
    auto response = store::json_column(write.response);
    if (!response) return std::unexpected(response.error());
    undo_.push_back([this, before = *row] { *tables_.find_call(before.call.id) = before; });
    row->call.status = write.status;
    row->call.completed_at = store::is_end(write.status) ? std::optional(now_) : std::nullopt;
    if (*response) row->response = std::move(*response);
    if (write.execution_time_ms) row->call.execution_time_ms = write.execution_time_ms;
    if (write.error_details) row->call.error_details = valid(write.error_details);
    return {};
  }

  Result<void> apply(const UpdateSession& write) {
    const auto row = target(write.session_id);
    if (!row) return std::unexpected(row.error());
    Session& session = (*row)->session;
    undo_.push_back(
        [this, before = session] { tables_.find_session(before.id)->session = before; });
    if (write.status) {
      session.status = *write.status;
      session.ended_at = store::is_end(*write.status) ? std::optional(now_) : std::nullopt;
    }
    if (write.result) session.result = valid(write.result);
    if (write.error) session.error = valid(write.error);
    if (write.usage) session.usage = *write.usage;
    if (write.iterations) session.iterations = *write.iterations;
    return {};
  }

  void insert_call(SessionRow& row, std::optional<MessageId> message_id, const ToolCall& call) {
    const CallId id = ++tables_.last_call;
    row.calls.push_back({StoredCall{.id = id,
                                    .session_id = row.session.id,
                                    .message_id = message_id,
                                    .tool_call_id = to_valid_utf8(call.id),
                                    .tool_name = to_valid_utf8(call.name),
                                    .created_at = now_},
                         store::request_column(call.arguments),
                         {}});
    tables_.session_of_call[id] = row.session.id;
    undo_.push_back([this, id, calls = &row.calls] {
      calls->pop_back();
      tables_.session_of_call.erase(id);
    });
    ids_.calls.push_back(id);
  }

  Tables& tables_;
  std::int64_t now_;
  SessionId last_session_;
  MessageId last_message_;
  CallId last_call_;
  bool is_kept_ = false;
  std::optional<SessionId> session_id_;
  BatchIds ids_;
  std::vector<std::function<void()>> undo_;
};

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(Clock clock) : clock_(std::move(clock)) {}

  Result<SessionId> create_session(const NewSession& session) override {
    auto created = create_session_with(session, {});
    if (!created) return std::unexpected(std::move(created).error());
    return created->first;
  }

  Result<std::pair<SessionId, BatchIds>> create_session_with(
      const NewSession& session, std::span<const Write> writes) override {
    const std::lock_guard lock(mutex_);
    Batch batch(tables_, clock_());
    const auto id = batch.create_session(session);
    if (!id) return std::unexpected(id.error());
    batch.redirect_to(*id);
    for (const Write& write : writes) {
      if (auto written = batch.write(write); !written) return std::unexpected(written.error());
    }
    return std::pair{*id, batch.keep()};
  }

  Result<BatchIds> apply(std::span<const Write> writes) override {
    const std::lock_guard lock(mutex_);
    Batch batch(tables_, clock_());
    for (const Write& write : writes) {
      if (auto written = batch.write(write); !written) return std::unexpected(written.error());
    }
    return batch.keep();
  }

  Result<void> delete_session(SessionId id) override {
    const std::lock_guard lock(mutex_);
    if (tables_.find_session(id) == nullptr) return std::unexpected(store::no_session(id));
    // A child is always younger than its parent, so one pass in the order of ids finds them all.
    std::vector<SessionId> family{id};
    for (auto at = tables_.sessions.upper_bound(id); at != tables_.sessions.end(); ++at) {
      const auto parent = at->second.session.parent_session_id;
      if (parent && std::ranges::binary_search(family, *parent)) family.push_back(at->first);
    }
    for (const SessionId member : family) {
      for (const CallRow& row : tables_.sessions.at(member).calls) {
        tables_.session_of_call.erase(row.call.id);
      }
      tables_.sessions.erase(member);
    }
    return {};
  }

  Result<Session> get_session(SessionId id) override {
    const std::lock_guard lock(mutex_);
    const SessionRow* row = tables_.find_session(id);
    if (row == nullptr) return std::unexpected(store::no_session(id));
    return with_config(*row);
  }

  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override {
    const std::lock_guard lock(mutex_);
    const std::string text = to_valid_utf8(filter.text);
    const auto agent_name = valid(filter.agent_name);
    std::vector<Session> sessions;
    for (auto at = tables_.sessions.rbegin();
         at != tables_.sessions.rend() && sessions.size() < filter.limit; ++at) {
      const Session& session = at->second.session;
      if (session.started_at < filter.started_since) continue;
      if (agent_name && session.agent_name != *agent_name) continue;
      if (filter.status && session.status != *filter.status) continue;
      if (filter.parent_session_id && session.parent_session_id != filter.parent_session_id) {
        continue;
      }
      if (!contains_ignoring_case(session.user_prompt, text) &&
          !contains_ignoring_case(session.result.value_or(""), text)) {
        continue;
      }
      auto complete = with_config(at->second);
      if (!complete) return std::unexpected(std::move(complete).error());
      sessions.push_back(std::move(*complete));
    }
    return sessions;
  }

  Result<std::vector<StoredMessage>> get_messages(SessionId id) override {
    const std::lock_guard lock(mutex_);
    const SessionRow* session = tables_.find_session(id);
    if (session == nullptr) return std::unexpected(store::no_session(id));
    std::vector<StoredMessage> messages;
    messages.reserve(session->messages.size());
    for (const MessageRow& row : session->messages) {
      auto message = store::message_from(row.role, row.columns);
      if (!message) return std::unexpected(std::move(message).error());
      messages.push_back({row.id, id, std::move(*message), row.columns.content, row.created_at});
    }
    return messages;
  }

  Result<std::vector<StoredCall>> get_tool_calls(SessionId id) override {
    return calls_where(id, [](const StoredCall&) { return true; });
  }

  Result<std::vector<StoredCall>> get_pending_tool_calls(SessionId id) override {
    return calls_where(id,
                       [](const StoredCall& call) { return call.status == CallStatus::pending; });
  }

 private:
  static Result<Session> with_config(const SessionRow& row) {
    auto config = store::json_from(row.config);
    if (!config) return std::unexpected(std::move(config).error());
    Session session = row.session;
    session.config = std::move(*config).value_or(Json());
    return session;
  }

  template <class Predicate>
  Result<std::vector<StoredCall>> calls_where(SessionId id, Predicate is_wanted) {
    const std::lock_guard lock(mutex_);
    const SessionRow* session = tables_.find_session(id);
    if (session == nullptr) return std::unexpected(store::no_session(id));
    std::vector<StoredCall> calls;
    for (const CallRow& row : session->calls) {
      if (!is_wanted(row.call)) continue;
      auto request = store::arguments_from(row.request);
      if (!request) return std::unexpected(std::move(request).error());
      auto response = store::json_from(row.response);
      if (!response) return std::unexpected(std::move(response).error());
      calls.push_back(row.call);
      calls.back().request = std::move(*request);
      calls.back().response = std::move(*response);
    }
    return calls;
  }

  std::mutex mutex_;
  Tables tables_;
  Clock clock_;
};

}  // namespace

std::unique_ptr<Store> open_memory_store(Clock clock) {
  if (!clock) clock = system_clock_ms;
  return std::make_unique<MemoryStore>(std::move(clock));
}

}  // namespace wright
