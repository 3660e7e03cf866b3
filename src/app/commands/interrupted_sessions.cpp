#include "app/commands/interrupted_sessions.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/settings/paths.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/session_store.h"
#include "core/try.h"
#include "store/damage.h"

namespace wright::app {
namespace {

// A session that brings its process down would do so again and again.
constexpr int kMostAttempts = 5;

void tell_of_other(const Session& session, const std::filesystem::path& folder, Verbosity verbosity,
                   CommandContext context) {
  if (verbosity != Verbosity::normal) return;
  const std::string where =
      folder.empty() ? "" : fmt::format(" of {}", shorten_home(folder, context.environment));
  context.console.remark(
      fmt::format("Session {}{} was interrupted: `wright resume {}` goes on with it.", session.id,
                  where, session.id));
}

}  // namespace

Result<InterruptedSessions> interrupted_sessions(Store& store) {
  TRY(end_dead_runners(store));
  auto sessions = TRY(
      store.list_sessions({.needs_driver = true, .limit = kNoLimit, .keeps_damaged = true}));
  std::ranges::sort(sessions, {}, &Session::id);
  InterruptedSessions found;
  for (Session& session : sessions) {
    auto& list = store::is_damaged(session) ? found.damaged : found.sessions;
    list.push_back(std::move(session));
  }
  return found;
}

bool was_taken(Store& store, SessionId id) {
  const auto found = store.list_sessions(
      {.needs_driver = true, .after = id - 1, .before = id + 1, .limit = 1});
  return found && found->empty();
}

Resumed resume_session(const Session& session, const GoOnWith& with,
                        const Settlements& settlements, const AgentRunOptions& options,
                        CommandContext context) {
  const bool as_begun = with.taking == Taking::as_begun;
  const SettingFlags flags = as_begun
                                 ? flags_as_begun(session.config, with.said_now, with.found_in)
                                 : flags_for_folder(session.config, with.said_now, with.found_in);
  const auto settings = settings_or_complain(flags, context);
  if (!settings) return {ExitCode::usage};
  std::optional<GoingOn> going_on;
  if (as_begun) going_on = GoingOn{agent_at_beginning(session), with.said_now};
  auto agent = agent_or_complain(first_agent_of(session), *settings, flags, context, going_on);
  if (!agent) return {agent.error()};
  AgentRun run(options, *settings, context);
  const ExitCode code = run.resume(std::move(*agent), session, settlements);
  return {code, run.was_stopped()};
}

void resume_interrupted(const Settings& settings, const RunCommand& command, SessionId own,
                        CommandContext context) {
  if (!settings.flag(keys::kAutomaticResume)) return;
  const auto store = open_existing_store(settings);
  if (!store || !*store) return;
  const auto interrupted = interrupted_sessions(**store);
  if (!interrupted) return;  // the command itself has said what is wrong with the store
  // What was said on the command line was said of another prompt.
  SettingFlags flags;
  flags.config = command.settings.config;
  flags.database_path = command.settings.database_path;
  flags.store = command.settings.store;
  const auto here = folder_of(settings);
  // Of those that are damaged nobody knows the folder: `wright sessions` tells of them.
  for (const Session& session : interrupted->sessions) {
    if (session.id == own || was_taken(**store, session.id)) continue;
    // Another folder's work is that folder's.
    if (const auto folder = folder_of(session); folder != here) {
      tell_of_other(session, folder, command.verbosity, context);
      continue;
    }
    if (session.lease_epoch >= kMostAttempts) {
      context.console.note(
          fmt::format("  Session {} was interrupted, and taken up {} times: "
                      "`wright resume {}` tries once more.\n",
                      session.id, session.lease_epoch, session.id));
      continue;
    }
    if (command.verbosity == Verbosity::normal) {
      context.console.note(
          fmt::format("  Session {} was interrupted, and goes on now.\n", session.id));
    }
    const Resumed resumed = resume_session(
        session, {.said_now = flags, .found_in = settings}, {},
        {.output = OutputFormat::none,
         .verbosity = command.verbosity,
         .input = command.input,
         .only_interrupted = true},
        context);
    if (resumed.was_stopped) return;
  }
}

}  // namespace wright::app
