// `wright sessions cancel`: whoever drives a session is asked to stop it; one that nobody drives
// ends here.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "app/commands/commands.h"
#include "app/terminal/person/person_answers.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/project_files.h"
#include "app/wiring/session_store.h"
#include "app/wiring/stored_session.h"
#include "core/try.h"
#include "wright/runtime.h"

namespace wright::app {
namespace {

struct ToCancel {
  SessionId id = 0;
  bool has_ended = false;  // before anything was cancelled
};

// All of them, or why one cannot be found; then none is cancelled.
Result<std::vector<ToCancel>> sessions_to_cancel(const std::vector<std::string>& words,
                                                 Store* store) {
  std::vector<ToCancel> all;
  for (const std::string& word : words) {
    const auto id = TRY(find_session_in(store, word));
    if (std::ranges::find(all, id, &ToCancel::id) != all.end()) continue;
    const auto session = store->get_session(id);
    all.push_back({id, session && session->ended_at});
  }
  return all;
}

// Ended, as it was to: it was below one that was cancelled before it.
bool has_been_cancelled(const Result<Session>& session) {
  return session && session->status == SessionStatus::cancelled;
}

std::string what_became_of(Store& store, const Session& session) {
  if (session.ended_at) return "cancelled";
  // Whoever goes on with the session above it tells that one of the end.
  const auto root = root_session(store, session.id);
  const bool is_left_to_root =
      root && root->id != session.id && root->status == SessionStatus::waiting;
  if (!is_left_to_root) return "told to stop";
  return fmt::format("told to stop. It ends when the session above goes on: wright resume {}",
                     root->id);
}

JsonObject told(SessionId id, const Result<void>& asked, const Result<Session>& session) {
  JsonObject json{{"id", id}};
  if (session) json["status"] = to_string(session->status);
  if (!asked) json["error"] = asked.error().message;
  return json;
}

}  // namespace

ExitCode execute(const CancelSessionsCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto store = open_existing_store(*settings);
  if (!store) return complain_about(store.error(), context.console);
  const auto wanted = sessions_to_cancel(command.ids, store->get());
  if (!wanted) return complain_about(wanted.error(), context.console);
  std::unique_ptr<Runtime> runtime;  // a server has one
  if (!settings->store().is_server()) {
    auto opened = Runtime::open({.store = store->get(), .workers = 1, .tool_threads = 1});
    if (!opened) return complain_about(opened.error(), context.console);
    runtime = std::move(*opened);
  }
  const std::string reason = without_keys(
      command.reason.value_or(fmt::format("Cancelled by {}", person_name(context.environment))),
      known_keys(*settings, context.environment));
  ExitCode code = ExitCode::ok;
  JsonArray all;
  for (const auto& [id, had_ended] : *wanted) {
    Result<void> asked =
        runtime ? runtime->cancel(id, reason) : (*store)->request_cancel(id, reason);
    const auto session = (*store)->get_session(id);
    if (!asked && !had_ended && has_been_cancelled(session)) asked = {};
    all.push_back(told(id, asked, session));
    if (!asked) {
      code = complain_about(asked.error(), context.console);
    } else if (session) {
      context.console.note(
          fmt::format("Session {} is {}.\n", id, what_became_of(**store, *session)));
    }
  }
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_pretty_text(all) + "\n");
  }
  return code;
}

}  // namespace wright::app
