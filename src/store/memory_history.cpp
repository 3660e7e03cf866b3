#include "store/memory_history.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/try.h"
#include "store/fork.h"
#include "store/history_collector.h"
#include "store/status.h"

namespace wright::store {
namespace {

std::string name_in_history(const HistoryFilter& filter, const Session& session,
                            const std::string& tool) {
  switch (filter.by) {
    case HistoryFilter::By::agent: return session.agent_name;
    case HistoryFilter::By::model: return session.provider + ":" + session.model;
    case HistoryFilter::By::tool: return tool;
    case HistoryFilter::By::all: break;
  }
  return {};
}

// `name` is the row's.
struct IdentifiedRow {
  std::int64_t id = 0;  // says which are the newest, of one moment
  std::string name = {};
  HistoryRow row = {};
};
using IdentifiedRows = std::vector<IdentifiedRow>;

void add_calls(const SessionRow& row, const HistoryFilter& filter, IdentifiedRows& rows) {
  for (const CallRow& each : row.calls) {
    const StoredCall& call = each.call;
    const bool counts = call.status == CallStatus::completed || call.status == CallStatus::failed ||
                        call.status == CallStatus::unknown;
    if (!counts || call.created_at < filter.since || call.created_at >= filter.until) continue;
    if (filter.tool_name && call.tool_name != *filter.tool_name) continue;
    if (was_copied(row.session, call)) continue;
    rows.push_back({.id = call.id,
                    .name = name_in_history(filter, row.session, call.tool_name),
                    .row = {.at = call.created_at,
                            .is_failed = call.status == CallStatus::failed,
                            .is_unknown = call.status == CallStatus::unknown,
                            .duration_ms = call.execution_time_ms}});
  }
}

}  // namespace

Result<StoreHistory> history_of(const Tables& tables, const HistoryFilter& filter) {
  const std::size_t stretches = TRY(stretches_of(filter));
  IdentifiedRows rows;
  for (const auto& [id, row] : tables.sessions) {
    const Session& session = row.session;
    if (filter.agent_name && session.agent_name != *filter.agent_name) continue;
    if (filter.model && session.provider + ":" + session.model != *filter.model) continue;
    if (filter.tenant && session.tenant != *filter.tenant) continue;
    if (is_about_calls(filter)) {
      add_calls(row, filter, rows);
    } else if (session.started_at >= filter.since && session.started_at < filter.until &&
               has_run(session)) {
      rows.push_back({.id = id,
                      .name = name_in_history(filter, session, {}),
                      .row = {.at = session.started_at,
                              .is_failed = session.status == SessionStatus::failed,
                              .is_limited = session.limit.has_value(),
                              .usage = session.usage,
                              .duration_ms = duration_ms(session)}});
    }
  }
  std::ranges::sort(rows, std::greater(),
                    [](const IdentifiedRow& each) { return std::pair(each.row.at, each.id); });
  HistoryCollector collector(filter, stretches);
  for (IdentifiedRow& each : rows) {
    if (collector.is_full()) return std::move(collector).finish(false);
    each.row.name = each.name;
    collector.add(each.row);
  }
  return std::move(collector).finish(true);
}

StoreCounts counts_of(const Tables& tables, std::int64_t now) {
  StoreCounts counts;
  for (const auto& [id, row] : tables.sessions) {
    const Session& session = row.session;
    const auto open = std::ranges::count_if(
        row.waits, [](const WaitRow& each) { return each.wait.status == WaitStatus::open; });
    counts.open_waits += open;
    if (open > 0) ++counts.waiting;
    if (session.status == SessionStatus::running && !session.parent_session_id) {
      ++(session.runner_id ? counts.driven : counts.undriven);
    }
    if (session.status != SessionStatus::queued) continue;
    ++counts.queued;
    const std::int64_t due = session.ready_at.value_or(0);
    if (due > now) continue;
    const std::int64_t said = row.messages.empty() ? 0 : row.messages.back().created_at;
    const std::int64_t since = std::max({session.started_at, due, said});
    counts.ready_since = std::min(counts.ready_since.value_or(since), since);
  }
  return counts;
}

}  // namespace wright::store
