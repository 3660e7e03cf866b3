#include "app/wiring/stored_sessions.h"

#include <fmt/format.h>

#include "app/terminal/figures.h"
#include "app/wiring/session_store.h"
#include "app/wiring/shipped.h"
#include "core/try.h"
#include "store/damage.h"

namespace wright::app {
namespace {

constexpr std::size_t kAll = 1'000'000'000;

Result<std::int64_t> since_of(const Selection& selection) {
  if (!selection.since) return 0;
  return moment_from(*selection.since, system_clock_ms());
}

}  // namespace

Result<std::vector<Session>> visit_sessions(const Settings& settings, const Selection& selection,
                                            const Visit& visit) {
  SessionFilter filter{.limit = kAll, .keeps_damaged = true};
  if (selection.agent) filter.agent_name = canonical_agent_name(*selection.agent);
  filter.started_since = TRY(since_of(selection));
  filter.tenant = selection.tenant;
  const auto store = TRY(open_existing_store(settings));
  std::vector<Session> damaged;
  if (store == nullptr) return damaged;
  const auto sessions = TRY(store->list_sessions(filter));
  for (const Session& session : sessions) {
    if (store::is_damaged(session)) {
      damaged.push_back(session);
      continue;
    }
    const auto calls = store->get_tool_calls(session.id);
    // Somebody may have deleted it meanwhile.
    if (!calls && calls.error().code == ErrorCode::not_found) continue;
    if (!calls && calls.error().code == ErrorCode::storage) {
      damaged.push_back(session);
      damaged.back().error =
          fmt::format("Session {} is left out: {}", session.id, calls.error().message);
      continue;
    }
    if (!calls) return std::unexpected(calls.error());
    visit(session, *calls);
  }
  return damaged;
}

Result<StoreStats> stored_stats(const Settings& settings, const Selection& selection) {
  StatsFilter filter;
  if (selection.agent) filter.agent_name = canonical_agent_name(*selection.agent);
  filter.started_since = TRY(since_of(selection));
  filter.tenant = selection.tenant;
  const auto store = TRY(open_existing_store(settings));
  if (store == nullptr) return StoreStats{};
  return store->get_stats(filter);
}

}  // namespace wright::app
