// The store in memory: gone with the process, otherwise the same as the one in SQLite.
#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "core/text.h"
#include "core/try.h"
#include "store/fork.h"
#include "store/memory_batch.h"
#include "store/memory_history.h"
#include "store/memory_rows.h"
#include "store/memory_tables.h"
#include "store/stats_collector.h"
#include "store/status.h"
#include "wright/store.h"

namespace wright {
namespace {

using store::CallRow;
using store::MemoryBatch;
using store::MessageRow;
using store::Moment;
using store::SessionRow;
using store::Tables;
using store::WaitRow;

bool contains_ignoring_case(std::string_view text, std::string_view wanted) {
  return !std::ranges::search(text, wanted, {}, to_lower, to_lower).empty() || wanted.empty();
}

bool is_between(std::int64_t id, std::optional<std::int64_t> after,
                std::optional<std::int64_t> before) {
  return (!after || id > *after) && (!before || id < *before);
}

// The values of the page, of all that the list has; they are in the order of their ids.
template <class Value>
void cut_to(const Page& page, std::vector<Value>& values) {
  if (values.size() <= page.limit) return;
  if (page.keep == Page::Keep::first) {
    values.resize(page.limit);
  } else {
    values.erase(values.begin(), values.end() - static_cast<std::ptrdiff_t>(page.limit));
  }
}

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(Clocks clocks) : clocks_(std::move(clocks)) {}

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    const std::lock_guard lock(mutex_);
    std::vector<Result<BatchIds>> results;
    results.reserve(batches.size());
    for (const Batch& batch : batches) results.push_back(write(batch));
    return results;
  }

  Result<Session> get_session(SessionId id) override {
    const std::lock_guard lock(mutex_);
    const SessionRow* row = tables_.find_session(id);
    if (row == nullptr) return std::unexpected(store::no_session(id));
    return read(*row);
  }

  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override;

  Result<std::vector<StoredMessage>> get_messages(SessionId id, const Page& page) override {
    const std::lock_guard lock(mutex_);
    const SessionRow* session = tables_.find_session(id);
    if (session == nullptr) return std::unexpected(store::no_session(id));
    std::vector<const MessageRow*> rows;
    for (const MessageRow& row : session->messages) {
      if (is_between(row.id, page.after, page.before)) rows.push_back(&row);
    }
    cut_to(page, rows);
    std::vector<StoredMessage> messages;
    for (const MessageRow* row : rows) {
      auto message = TRY(read(*row, id));
      messages.push_back(std::move(message));
    }
    return messages;
  }

  Result<std::vector<StoredCall>> get_tool_calls(SessionId id, const CallFilter& filter) override {
    const std::lock_guard lock(mutex_);
    const SessionRow* session = tables_.find_session(id);
    if (session == nullptr) return std::unexpected(store::no_session(id));
    const auto tool_call_id = store::valid(filter.tool_call_id);
    std::vector<const CallRow*> rows;
    for (const CallRow& row : session->calls) {
      if (filter.status && row.call.status != *filter.status) continue;
      if (tool_call_id && row.call.tool_call_id != *tool_call_id) continue;
      if (is_between(row.call.id, filter.page.after, filter.page.before)) rows.push_back(&row);
    }
    return read_all<StoredCall>(filter.page, std::move(rows));
  }

  Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) override {
    const std::lock_guard lock(mutex_);
    const auto family = TRY(family_of(filter.session_id));
    const auto tenant = store::valid(filter.tenant);
    std::vector<const WaitRow*> rows;
    for (const auto& [id, session] : tables_.sessions) {
      if (filter.session_id && !std::ranges::binary_search(family, id)) continue;
      if (tenant && session.session.tenant != *tenant) continue;
      for (const WaitRow& row : session.waits) {
        if (filter.id && row.wait.id != *filter.id) continue;
        if (filter.status && row.wait.status != *filter.status) continue;
        if (is_between(row.wait.id, filter.page.after, filter.page.before)) rows.push_back(&row);
      }
    }
    std::ranges::sort(rows, {}, [](const WaitRow* row) { return row->wait.id; });
    return read_all<StoredWait>(filter.page, std::move(rows));
  }

  Result<std::vector<StoredEvent>> get_events(const EventFilter& filter) override {
    const std::lock_guard lock(mutex_);
    const auto family = TRY(family_of(filter.session_id));
    const auto tenant = store::valid(filter.tenant);
    std::vector<const store::EventRow*> rows;
    for (const store::EventRow& row : tables_.events) {
      if (rows.size() >= filter.limit) break;
      if (row.event.sequence <= filter.after) continue;
      if (tenant && tables_.sessions.at(row.event.session_id).session.tenant != *tenant) continue;
      if (filter.session_id && !std::ranges::binary_search(family, row.event.session_id)) continue;
      rows.push_back(&row);
    }
    return read_all<StoredEvent>({}, std::move(rows));
  }

  Result<std::vector<Record>> get_records(const RecordFilter& filter) override;

  Result<std::vector<Runner>> get_runners() override {
    const std::lock_guard lock(mutex_);
    return tables_.runners;
  }

  Result<RunnerNews> get_news(RunnerId id) override;
  Result<SpentBySpecialists> spent_by_specialists(SessionId id, MessageId since) override;
  Result<StoreStats> get_stats(const StatsFilter& filter) override;
  Result<StoreHistory> get_history(const HistoryFilter& filter) override;
  Result<StoreCounts> get_counts(std::int64_t now) override {
    const std::lock_guard lock(mutex_);
    return store::counts_of(tables_, now);
  }

 private:
  Result<BatchIds> write(const Batch& group) {
    MemoryBatch batch(tables_, store::moment_of(clocks_));
    if (group.create) {
      TRY(batch.create_session(*group.create));
    }
    TRY(batch.write(group.writes));
    return batch.keep();
  }

  template <class Value, class Row>
  static Result<std::vector<Value>> read_all(const Page& page, std::vector<const Row*> rows) {
    cut_to(page, rows);
    std::vector<Value> values;
    values.reserve(rows.size());
    for (const Row* row : rows) {
      auto value = TRY(read(*row));
      values.push_back(std::move(value));
    }
    return values;
  }

  // Nothing when there is no such id to ask for.
  Result<std::vector<SessionId>> family_of(std::optional<SessionId> id) {
    if (!id) return std::vector<SessionId>();
    if (tables_.find_session(*id) == nullptr) return std::unexpected(store::no_session(*id));
    return tables_.family_of(*id);
  }

  bool is_driven(const Session& session, const Moment& now) const {
    return is_alive(session.runner_id, tables_.runners, now);
  }

  // By itself, without the sessions below it.
  bool calls_for_a_driver(const SessionRow& row, const Moment& now) {
    if (row.session.cancel_reason) return true;
    if (row.session.status == SessionStatus::running && !is_driven(row.session, now)) return true;
    return std::ranges::any_of(row.calls, [&](const CallRow& call) {
      if (call.call.status != CallStatus::waiting) return false;
      const auto open = std::ranges::find_if(row.waits, [&](const WaitRow& wait) {
        return wait.wait.call_id == call.call.id && wait.wait.status == WaitStatus::open;
      });
      return open == row.waits.end() ? call.has_news : store::is_over(open->wait, now.wall);
    });
  }

  std::set<SessionId> roots_without_driver(const Moment& now) {
    std::set<SessionId> roots;
    for (const auto& [id, row] : tables_.sessions) {
      if (!calls_for_a_driver(row, now)) continue;
      const SessionId root = tables_.line_of(id).back();
      const Session& above = tables_.sessions.at(root).session;
      if (!store::is_end(above.status) && !is_driven(above, now)) roots.insert(root);
    }
    return roots;
  }

  bool drives(RunnerId runner, SessionId id) {
    return std::ranges::any_of(tables_.line_of(id), [&](SessionId each) {
      return tables_.sessions.at(each).session.runner_id == runner;
    });
  }

  std::mutex mutex_;
  Tables tables_;
  Clocks clocks_;
};

Result<std::vector<Session>> MemoryStore::list_sessions(const SessionFilter& filter) {
  const std::lock_guard lock(mutex_);
  const std::string text = to_valid_utf8(filter.text);
  const auto agent_name = store::valid(filter.agent_name);
  const Moment now = store::moment_of(clocks_);
  const std::set<SessionId> waiting_for_driver =
      filter.needs_driver ? roots_without_driver(now) : std::set<SessionId>();
  const auto is_wanted = [&](const Session& session) {
    if (!is_between(session.id, filter.after, filter.before)) return false;
    if (session.started_at < filter.started_since) return false;
    if (agent_name && session.agent_name != *agent_name) return false;
    if (filter.status && session.status != *filter.status) return false;
    if (filter.tenant && session.tenant != *filter.tenant) return false;
    if (filter.is_root && session.parent_session_id) return false;
    if (filter.parent_session_id && session.parent_session_id != filter.parent_session_id) {
      return false;
    }
    if (filter.ended_before &&
        (!store::is_end(session.status) ||
         session.ended_at.value_or(session.started_at) >= *filter.ended_before)) {
      return false;
    }
    if (filter.is_abandoned &&
        (session.status != SessionStatus::running || is_driven(session, now))) {
      return false;
    }
    if (filter.needs_driver && !waiting_for_driver.contains(session.id)) return false;
    return contains_ignoring_case(session.user_prompt, text) ||
           contains_ignoring_case(session.result.value_or(""), text);
  };
  std::vector<Session> sessions;
  const auto collect = [&](auto at, const auto& end) -> Result<void> {
    for (; at != end && sessions.size() < filter.limit; ++at) {
      if (!is_wanted(at->second.session)) continue;
      auto complete = TRY(read(at->second));
      sessions.push_back(std::move(complete));
    }
    return {};
  };
  if (filter.keep == Page::Keep::last) {
    TRY(collect(tables_.sessions.rbegin(), tables_.sessions.rend()));
  } else {
    TRY(collect(tables_.sessions.begin(), tables_.sessions.end()));
    std::ranges::reverse(sessions);
  }
  return sessions;
}

Result<std::vector<Record>> MemoryStore::get_records(const RecordFilter& filter) {
  const std::lock_guard lock(mutex_);
  std::vector<store::RecordRows::const_pointer> rows;
  for (const auto& row : tables_.records) {
    if (row.first.first != filter.kind) continue;
    if (filter.key && row.first.second != *filter.key) continue;
    if (filter.due_before && row.second.due_at >= *filter.due_before) continue;
    if (filter.session_id && row.second.session_id != filter.session_id) continue;
    rows.push_back(&row);
  }
  std::ranges::sort(rows, {},
                    [](const auto* row) { return std::pair(row->second.due_at, row->second.id); });
  rows.resize(std::min(rows.size(), filter.limit));
  std::vector<Record> records;
  for (const auto* row : rows) {
    auto value = TRY(parse_json(row->second.value));
    records.push_back({row->first.first, row->first.second, std::move(value), row->second.due_at,
                       row->second.version, row->second.session_id});
  }
  return records;
}

Result<RunnerNews> MemoryStore::get_news(RunnerId id) {
  const std::lock_guard lock(mutex_);
  RunnerNews news;
  for (const auto& [session_id, row] : tables_.sessions) {
    const bool has_answers = std::ranges::any_of(row.calls, &CallRow::has_news);
    if (!row.session.cancel_reason && !has_answers) continue;
    if (!drives(id, session_id)) continue;
    if (row.session.cancel_reason) {
      news.cancelled.push_back({session_id, *row.session.cancel_reason});
    }
    for (const CallRow& call : row.calls) {
      if (!call.has_news) continue;
      // The last one of the call counts.
      const auto wait = std::ranges::find(row.waits.rbegin(), row.waits.rend(), call.call.id,
                                          [](const WaitRow& each) { return each.wait.call_id; });
      if (wait == row.waits.rend() || wait->wait.status != WaitStatus::answered) continue;
      auto answered = TRY(read(*wait));
      news.answered.push_back(std::move(answered));
    }
  }
  std::ranges::sort(news.answered, {}, &StoredWait::id);
  const std::string said(kSaidRecords);
  for (auto at = tables_.records.lower_bound({said, ""});
       at != tables_.records.end() && at->first.first == said; ++at) {
    const auto session = at->second.session_id;
    if (session && tables_.sessions.at(*session).session.runner_id == id) {
      news.spoken_to.push_back(*session);
    }
  }
  std::ranges::sort(news.spoken_to);
  news.spoken_to.erase(std::ranges::unique(news.spoken_to).begin(), news.spoken_to.end());
  return news;
}

Result<SpentBySpecialists> MemoryStore::spent_by_specialists(SessionId id, MessageId since) {
  const std::lock_guard lock(mutex_);
  const auto family = TRY(family_of(id));
  SpentBySpecialists spent;
  for (const SessionId member : family) {
    if (member == id) continue;
    const SessionRow& row = tables_.sessions.at(member);
    spent.usage += row.session.usage;
    spent.tool_calls += std::ranges::count_if(row.calls, [&](const CallRow& each) {
      return each.call.message_id > since && store::was_begun(each.call);
    });
  }
  return spent;
}

Result<StoreStats> MemoryStore::get_stats(const StatsFilter& filter) {
  const std::lock_guard lock(mutex_);
  const auto agent_name = store::valid(filter.agent_name);
  const auto tenant = store::valid(filter.tenant);
  store::StatsCollector collector;
  for (const auto& [id, row] : tables_.sessions) {
    const Session& session = row.session;
    if (session.started_at < filter.started_since || !store::has_run(session)) continue;
    if (agent_name && session.agent_name != *agent_name) continue;
    if (tenant && session.tenant != *tenant) continue;
    const auto took = duration_ms(session);
    const auto group = collector.group_of(session.agent_name, session.provider, session.model);
    collector.add_runs(group, {.failed = session.status == SessionStatus::failed ? 1 : 0,
                               .usage = session.usage,
                               .durations_ms = store::durations_of(took)});
    for (const CallRow& each : row.calls) {
      const StoredCall& call = each.call;
      const bool counts = call.status == CallStatus::completed ||
                          call.status == CallStatus::failed || call.status == CallStatus::unknown;
      if (!counts || store::was_copied(session, call)) continue;
      collector.add_calls(group, {.tool_name = call.tool_name,
                                  .failed = call.status == CallStatus::failed ? 1 : 0,
                                  .unknown = call.status == CallStatus::unknown ? 1 : 0,
                                  .durations_ms = store::durations_of(call.execution_time_ms)});
    }
  }
  return std::move(collector).finish();
}

Result<StoreHistory> MemoryStore::get_history(const HistoryFilter& filter) {
  const std::lock_guard lock(mutex_);
  return store::history_of(tables_, filter);
}

}  // namespace

std::unique_ptr<Store> open_memory_store(Clocks clocks) {
  return std::make_unique<MemoryStore>(store::usable(std::move(clocks)));
}

}  // namespace wright
