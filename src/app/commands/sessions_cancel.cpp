// `wright sessions cancel`: whoever drives a session is asked to stop it; one that nobody drives
// ends here.
#include <fmt/format.h>

#include "app/commands/commands.h"
#include "app/terminal/person/person_answers.h"
#include "app/wiring/stored_session.h"
#include "core/try.h"
#include "wright/runtime.h"

namespace wright::app {
namespace {

Result<void> cancel_in(Store& store, const Settings& settings, SessionId id,
                       const std::string& reason) {
  if (settings.store().is_server()) return store.request_cancel(id, reason);
  const auto runtime = TRY(Runtime::open({.store = &store, .workers = 1, .tool_threads = 1}));
  return runtime->cancel(id, reason);
}

std::string what_became_of(Store& store, SessionId id) {
  const auto session = store.get_session(id);
  if (session && session->ended_at) return "cancelled";
  // Whoever goes on with the session above it tells that one of the end.
  const auto root = root_session(store, id);
  const bool is_left_to_root = root && root->id != id && root->status == SessionStatus::waiting;
  if (!is_left_to_root) return "told to stop";
  return fmt::format("told to stop. It ends when the session above goes on: wright resume {}",
                     root->id);
}

}  // namespace

ExitCode execute(const CancelSessionCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto found = find_session(command.id, *settings);
  if (!found) return complain_about(found.error(), context.console);
  const std::string reason =
      command.reason.value_or(fmt::format("Cancelled by {}", person_name(context.environment)));
  if (auto asked = cancel_in(*found->store, *settings, found->id, reason); !asked) {
    return complain_about(asked.error(), context.console);
  }
  context.console.note(
      fmt::format("Session {} is {}.\n", found->id, what_became_of(*found->store, found->id)));
  return ExitCode::ok;
}

}  // namespace wright::app
