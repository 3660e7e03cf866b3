// The store in memory: gone with the process, otherwise the same as the one in SQLite.
#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/text.h"
#include "store/fork.h"
#include "store/json_columns.h"
#include "store/memory_batch.h"
#include "store/memory_tables.h"
#include "store/status.h"
#include "wright/store.h"

namespace wright {
namespace {

using store::CallRow;
using store::MemoryBatch;
using store::MessageRow;
using store::SessionRow;
using store::Tables;
using store::WaitRow;

bool contains_ignoring_case(std::string_view text, std::string_view wanted) {
  return !std::ranges::search(text, wanted, {}, to_lower, to_lower).empty() || wanted.empty();
}

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
    auto ids = write(&session, writes);
    if (!ids) return std::unexpected(std::move(ids).error());
    const SessionId id = ids->session;
    return std::pair{id, std::move(*ids)};
  }

  Result<BatchIds> apply(std::span<const Write> writes) override { return write(nullptr, writes); }

  Result<void> delete_session(SessionId id) override {
    const std::lock_guard lock(mutex_);
    if (tables_.find_session(id) == nullptr) return std::unexpected(store::no_session(id));
    for (const SessionId member : tables_.family_of(id)) {
      const SessionRow& session = tables_.sessions.at(member);
      for (const CallRow& row : session.calls) tables_.session_of_call.erase(row.call.id);
      for (const WaitRow& row : session.waits) tables_.session_of_wait.erase(row.wait.id);
      tables_.sessions.erase(member);
    }
    return {};
  }

  Result<Session> get_session(SessionId id) override {
    const std::lock_guard lock(mutex_);
    const SessionRow* row = tables_.find_session(id);
    if (row == nullptr) return std::unexpected(store::no_session(id));
    return read(*row);
  }

  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override {
    const std::lock_guard lock(mutex_);
    const std::string text = to_valid_utf8(filter.text);
    const auto agent_name = store::valid(filter.agent_name);
    const std::int64_t now = clock_();
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
      if (filter.is_abandoned && !is_abandoned(session, now)) continue;
      if (!contains_ignoring_case(session.user_prompt, text) &&
          !contains_ignoring_case(session.result.value_or(""), text)) {
        continue;
      }
      auto complete = read(at->second);
      if (!complete) return std::unexpected(std::move(complete).error());
      sessions.push_back(std::move(*complete));
    }
    return sessions;
  }

  Result<std::vector<StoredMessage>> get_messages(SessionId id) override {
    const std::lock_guard lock(mutex_);
    const SessionRow* session = tables_.find_session(id);
    if (session == nullptr) return std::unexpected(store::no_session(id));
    return messages_of(*session);
  }

  Result<std::vector<StoredCall>> get_tool_calls(SessionId id) override {
    return calls_where(id, [](const StoredCall&) { return true; });
  }

  Result<std::vector<StoredCall>> get_pending_tool_calls(SessionId id) override {
    return calls_where(id,
                       [](const StoredCall& call) { return call.status == CallStatus::pending; });
  }

  Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) override {
    const std::lock_guard lock(mutex_);
    std::vector<SessionId> family;
    if (filter.session_id) {
      if (tables_.find_session(*filter.session_id) == nullptr) {
        return std::unexpected(store::no_session(*filter.session_id));
      }
      family = tables_.family_of(*filter.session_id);
    }
    std::vector<StoredWait> waits;
    for (const auto& [id, session] : tables_.sessions) {
      if (filter.session_id && !std::ranges::binary_search(family, id)) continue;
      for (const WaitRow& row : session.waits) {
        if (filter.id && row.wait.id != *filter.id) continue;
        if (filter.status && row.wait.status != *filter.status) continue;
        auto wait = read(row);
        if (!wait) return std::unexpected(std::move(wait).error());
        waits.push_back(std::move(*wait));
      }
    }
    std::ranges::sort(waits, {}, &StoredWait::id);
    return waits;
  }

  Result<StoredWait> answer_wait(WaitId id, const WaitAnswer& answer) override {
    auto column = store::json_column(answer.answer);
    if (!column) return std::unexpected(std::move(column).error());
    const std::lock_guard lock(mutex_);
    WaitRow* row = tables_.find_wait(id);
    if (row == nullptr) return std::unexpected(store::no_wait(id));
    StoredWait& wait = row->wait;
    const std::int64_t now = clock_();
    if (wait.status == WaitStatus::open && store::is_over(wait, now)) {
      wait.status = WaitStatus::expired;
    }
    if (wait.status != WaitStatus::open) return std::unexpected(store::not_open(wait));
    wait.status = WaitStatus::answered;
    wait.answered_at = now;
    wait.answered_by = to_valid_utf8(answer.answered_by);
    row->answer = std::move(*column);
    return read(*row);
  }

  Result<SessionId> fork_session(SessionId id, MessageId last) override;

  Result<RunnerId> register_runner(std::string name, std::chrono::milliseconds time) override {
    const std::lock_guard lock(mutex_);
    const RunnerId id = ++tables_.last.runner;
    tables_.runners.push_back({id, to_valid_utf8(std::move(name)), store::expiry(clock_(), time)});
    return id;
  }

  Result<void> renew_runner(RunnerId id, std::chrono::milliseconds time) override {
    const std::lock_guard lock(mutex_);
    Runner* runner = tables_.find_runner(id);
    if (runner == nullptr) return std::unexpected(store::no_runner(id));
    runner->expires_at = store::expiry(clock_(), time);
    return {};
  }

  Result<void> end_runner(RunnerId id) override {
    const std::lock_guard lock(mutex_);
    std::erase_if(tables_.runners, [&](const Runner& runner) { return runner.id == id; });
    return {};
  }

  Result<std::vector<Runner>> get_runners() override {
    const std::lock_guard lock(mutex_);
    return tables_.runners;
  }

 private:
  Result<BatchIds> write(const NewSession* create, std::span<const Write> writes) {
    const std::lock_guard lock(mutex_);
    MemoryBatch batch(tables_, clock_());
    if (create != nullptr) {
      if (auto created = batch.create_session(*create); !created) {
        return std::unexpected(std::move(created).error());
      }
    }
    if (auto written = batch.write(writes); !written) {
      return std::unexpected(std::move(written).error());
    }
    return batch.keep();
  }

  static Result<Session> read(const SessionRow& row) {
    auto config = store::json_from(row.config);
    if (!config) return std::unexpected(std::move(config).error());
    auto feedback = store::json_from(row.feedback);
    if (!feedback) return std::unexpected(std::move(feedback).error());
    auto context = store::json_from(row.context);
    if (!context) return std::unexpected(std::move(context).error());
    Session session = row.session;
    session.config = std::move(*config).value_or(Json());
    session.feedback = std::move(*feedback).value_or(Json());
    session.context = std::move(*context).value_or(Json());
    return session;
  }

  static Result<StoredWait> read(const WaitRow& row) {
    auto shown = parse_json(row.shown);
    if (!shown) return std::unexpected(std::move(shown).error());
    auto answer = store::json_from(row.answer);
    if (!answer) return std::unexpected(std::move(answer).error());
    StoredWait wait = row.wait;
    wait.shown = std::move(*shown);
    wait.answer = std::move(*answer);
    return wait;
  }

  static Result<std::vector<StoredMessage>> messages_of(const SessionRow& session) {
    std::vector<StoredMessage> messages;
    messages.reserve(session.messages.size());
    for (const MessageRow& row : session.messages) {
      auto message = store::message_from(row.role, row.columns);
      if (!message) return std::unexpected(std::move(message).error());
      messages.push_back(
          {row.id, session.session.id, std::move(*message), row.columns.content, row.created_at});
    }
    return messages;
  }

  bool is_abandoned(const Session& session, std::int64_t now) {
    if (session.status != SessionStatus::running) return false;
    const Runner* runner = session.runner_id ? tables_.find_runner(*session.runner_id) : nullptr;
    return runner == nullptr || !store::is_alive(*runner, now);
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
      auto result = store::result_from(row.result);
      if (!result) return std::unexpected(std::move(result).error());
      calls.push_back(row.call);
      calls.back().request = std::move(*request);
      calls.back().response = std::move(*response);
      calls.back().result = std::move(*result);
    }
    return calls;
  }

  std::mutex mutex_;
  Tables tables_;
  Clock clock_;
};

Result<SessionId> MemoryStore::fork_session(SessionId id, MessageId last) {
  const std::lock_guard lock(mutex_);
  const SessionRow* original = tables_.find_session(id);
  if (original == nullptr) return std::unexpected(store::no_session(id));
  const auto messages = messages_of(*original);
  if (!messages) return std::unexpected(messages.error());
  const auto count = store::messages_to_fork(id, *messages, last);
  if (!count) return std::unexpected(count.error());

  const bool is_whole = *count == messages->size();
  const Session& session = original->session;
  const std::int64_t now = clock_();
  SessionRow fork;
  fork.session = Session{.id = ++tables_.last.session,
                         .agent_name = session.agent_name,
                         .provider = session.provider,
                         .model = session.model,
                         .system_prompt = session.system_prompt,
                         .user_prompt = session.user_prompt,
                         .status = SessionStatus::completed,
                         .started_at = now,
                         .ended_at = now,
                         .result = is_whole ? session.result : std::nullopt,
                         .format_version = session.format_version,
                         .forked_from = id};
  fork.config = original->config;
  if (is_whole) {
    fork.feedback = original->feedback;
    fork.context = original->context;
  }

  std::unordered_map<MessageId, MessageId> new_ids;
  for (std::size_t i = 0; i < *count; ++i) {
    fork.messages.push_back(original->messages[i]);
    fork.messages.back().id = ++tables_.last.message;
    new_ids.emplace(original->messages[i].id, fork.messages.back().id);
  }
  for (const CallRow& row : original->calls) {
    if (!row.call.message_id) continue;
    const auto copied = new_ids.find(*row.call.message_id);
    if (copied == new_ids.end()) continue;
    fork.calls.push_back(row);
    StoredCall& call = fork.calls.back().call;
    call.id = ++tables_.last.call;
    call.session_id = fork.session.id;
    call.message_id = copied->second;
    tables_.session_of_call[call.id] = fork.session.id;
  }
  const SessionId fork_id = fork.session.id;
  tables_.sessions.emplace(fork_id, std::move(fork));
  return fork_id;
}

}  // namespace

std::unique_ptr<Store> open_memory_store(Clock clock) {
  if (!clock) clock = system_clock_ms;
  return std::make_unique<MemoryStore>(std::move(clock));
}

}  // namespace wright
