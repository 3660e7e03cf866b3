#include "app/interrupted_sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/session_store.h"
#include "app/stored_session.h"

namespace wright::app {
namespace {

// A session that brings its process down would do so again and again.
constexpr int kMostAttempts = 5;

}  // namespace

Result<std::vector<Session>> interrupted_sessions(Store& store) {
  if (auto ended = end_dead_runners(store); !ended) return std::unexpected(ended.error());
  auto sessions =
      store.list_sessions({.is_abandoned = true, .limit = std::numeric_limits<std::size_t>::max()});
  if (!sessions) return sessions;
  // Specialists go on with the session above them.
  std::erase_if(*sessions, [](const Session& session) { return session.parent_session_id; });
  std::ranges::sort(*sessions, {}, &Session::id);
  return sessions;
}

ExitCode resume_session(const Session& session, const SettingFlags& given,
                        const Settlements& settlements, const AgentRunOptions& options,
                        Surroundings around) {
  const SettingFlags flags = flags_for(session, given);
  const auto settings = settings_or_complain(flags, around);
  if (!settings) return ExitCode::usage;
  auto agent = agent_or_complain(session.agent_name, *settings, flags, around);
  if (!agent) return agent.error();
  return AgentRun(options, *settings, around).resume(std::move(*agent), session.id, settlements);
}

void resume_interrupted(const Settings& settings, const RunCommand& command, Surroundings around) {
  if (!settings.flag(keys::kAutomaticResume)) return;
  std::vector<Session> sessions;
  {
    const auto store = open_existing_store(settings);
    if (!store || !*store) return;
    auto found = interrupted_sessions(**store);
    if (!found) return;  // the command itself has said what is wrong with the store
    sessions = std::move(*found);
  }
  // What was said on the command line was said of another prompt.
  SettingFlags flags;
  flags.config = command.settings.config;
  flags.database_path = command.settings.database_path;
  for (const Session& session : sessions) {
    if (session.lease_epoch >= kMostAttempts) {
      around.console.note(
          fmt::format("  Session {} was interrupted, and taken up {} times: "
                      "`wright resume {}` tries once more.\n",
                      session.id, session.lease_epoch, session.id));
      continue;
    }
    if (command.verbosity == Verbosity::normal) {
      around.console.note(
          fmt::format("  Session {} was interrupted, and goes on now.\n", session.id));
    }
    const ExitCode code = resume_session(
        session, flags, {},
        {.output = OutputFormat::none, .verbosity = command.verbosity, .input = command.input},
        around);
    if (code == ExitCode::interrupted) return;
  }
}

}  // namespace wright::app
