// `wright sessions prune`: delete sessions that ended long ago, with all that belongs to them.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "app/commands/commands.h"
#include "app/terminal/figures.h"
#include "app/wiring/file_history.h"
#include "app/wiring/session_store.h"
#include "app/wiring/stored_session.h"
#include "core/try.h"
#include "wright/store.h"

namespace wright::app {
namespace {

// Others write to the store, too: each transaction is a short one.
constexpr std::size_t kAtATime = 100;

// Those that would go, the oldest first.
Result<std::vector<SessionId>> found(Store& store, std::int64_t ended_before) {
  std::vector<SessionId> ids;
  SessionFilter filter{.is_root = true, .ended_before = ended_before, .limit = kAtATime};
  while (true) {
    const auto sessions = TRY(store.list_sessions(filter));
    for (const Session& session : sessions) ids.push_back(session.id);
    if (sessions.size() < kAtATime) break;
    filter.before = sessions.back().id;
  }
  std::ranges::reverse(ids);
  return ids;
}

Result<std::vector<SessionId>> pruned(Store& store, std::int64_t ended_before) {
  std::vector<SessionId> ids;
  while (true) {
    const auto done = TRY(store.apply_one(Prune{.ended_before = ended_before, .most = kAtATime}));
    ids.insert(ids.end(), done.pruned.begin(), done.pruned.end());
    if (done.pruned.size() < kAtATime) return ids;
  }
}

}  // namespace

ExitCode execute(const PruneSessionsCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto ended_before = moment_from(command.older_than, system_clock_ms());
  if (!ended_before) return complain_about(ended_before.error(), context.console);
  const auto store = open_existing_store(*settings);
  if (!store) return complain_about(store.error(), context.console);
  const bool is_rehearsal = command.deletion == Deletion::rehearsed;
  Result<std::vector<SessionId>> ids;
  if (*store != nullptr) {
    ids = is_rehearsal ? found(**store, *ended_before) : pruned(**store, *ended_before);
  }
  if (!ids) return complain_about(ids.error(), context.console);
  if (!is_rehearsal && *store != nullptr) {
    FileHistory history(*settings, **store);
    for (const SessionId id : *ids) history.forget(id);
  }
  if (command.output == OutputFormat::json) {
    const JsonObject json{{"ended_before", *ended_before},
                          {"dry_run", is_rehearsal},
                          {"sessions", JsonArray(ids->begin(), ids->end())}};
    context.console.print_json(to_text(json) + "\n");
    return ExitCode::ok;
  }
  context.console.note(
      fmt::format("{} {} that ended before {}.\n", is_rehearsal ? "Would delete" : "Deleted",
                  show_counted(std::ssize(*ids), "session"), show_time(*ended_before)));
  return ExitCode::ok;
}

}  // namespace wright::app
