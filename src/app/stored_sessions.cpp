#include "app/stored_sessions.h"

#include "app/figures.h"
#include "app/session_store.h"
#include "app/wiring.h"

namespace wright::app {
namespace {

constexpr std::size_t kAll = 1'000'000'000;

Result<std::int64_t> since_of(const Selection& selection) {
  if (!selection.since) return 0;
  return moment_from(*selection.since, system_clock_ms());
}

}  // namespace

Result<void> visit_sessions(const Settings& settings, const Selection& selection,
                            const Visit& visit) {
  SessionFilter filter{.limit = kAll};
  if (selection.agent) filter.agent_name = canonical_agent_name(*selection.agent);
  const auto since = since_of(selection);
  if (!since) return std::unexpected(since.error());
  filter.started_since = *since;
  const auto store = open_existing_store(settings);
  if (!store) return std::unexpected(store.error());
  if (*store == nullptr) return {};
  const auto sessions = (*store)->list_sessions(filter);
  if (!sessions) return std::unexpected(sessions.error());
  for (const Session& session : *sessions) {
    const auto calls = (*store)->get_tool_calls(session.id);
    // Somebody may have deleted it meanwhile.
    if (!calls && calls.error().code == ErrorCode::not_found) continue;
    if (!calls) return std::unexpected(calls.error());
    visit(session, *calls);
  }
  return {};
}

Result<StoreStats> stored_stats(const Settings& settings, const Selection& selection) {
  StatsFilter filter;
  if (selection.agent) filter.agent_name = canonical_agent_name(*selection.agent);
  const auto since = since_of(selection);
  if (!since) return std::unexpected(since.error());
  filter.started_since = *since;
  const auto store = open_existing_store(settings);
  if (!store) return std::unexpected(store.error());
  if (*store == nullptr) return StoreStats{};
  return (*store)->get_stats(filter);
}

}  // namespace wright::app
