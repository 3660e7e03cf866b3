// `wright resume`: goes on with sessions that a crash, or a question, has stopped.
#include <fmt/format.h>

#include <algorithm>

#include "app/commands/agent_run.h"
#include "app/commands/commands.h"
#include "app/commands/interrupted_sessions.h"
#include "app/terminal/figures.h"
#include "app/wiring/remote_api.h"
#include "app/wiring/session_store.h"
#include "app/wiring/stored_session.h"
#include "app/wiring/telemetry_wiring.h"
#include "core/try.h"
#include "wright/driver.h"

namespace wright::app {
namespace {

Result<Settlements> settlements_from(const std::vector<std::string>& words) {
  Settlements settlements;
  for (const std::string& word : words) {
    const std::size_t equals = word.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("--settle {} is not CALL=done, CALL=failed or CALL=retry", word));
    }
    const auto settlement = TRY(settlement_from(std::string_view(word).substr(equals + 1)));
    settlements[word.substr(0, equals)] = settlement;
  }
  return settlements;
}

// Settles calls whose outcome the model has been told to be unknown already: for the record.
Result<Settlements> settle_past_calls(Store& store, SessionId id, Settlements settlements) {
  const auto calls = TRY(store.get_tool_calls(id));
  const auto messages = TRY(store.get_messages(id));
  const MessageId last_turn = [&] {
    const bool is_open = !messages.empty() && messages.back().message.role == Role::assistant;
    return is_open ? messages.back().id : MessageId{0};
  }();
  for (auto settlement = settlements.begin(); settlement != settlements.end();) {
    const auto call = std::ranges::find(calls, settlement->first, &StoredCall::tool_call_id);
    if (call == calls.end()) {
      return fail(ErrorCode::not_found, fmt::format("Session {} has no call '{}'; `wright sessions "
                                                    "show {}` lists them",
                                                    id, settlement->first, id));
    }
    if (call->message_id == last_turn && last_turn != 0) {
      ++settlement;
      continue;
    }
    if (call->status != CallStatus::unknown) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The call '{}' is {}: there is nothing to settle", settlement->first,
                              to_string(call->status)));
    }
    if (settlement->second == Settlement::retry) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The model has been told that the outcome of '{}' is unknown: it "
                              "cannot be retried here. Ask the agent to do it again",
                              settlement->first));
    }
    const bool is_done = settlement->second == Settlement::done;
    UpdateCall update{.call_id = call->id,
                      .status = is_done ? CallStatus::completed : CallStatus::failed};
    if (is_done) {
      update.response = Json("A person has found that it was done");
    } else {
      update.error_details = "A person has found that it was not done";
    }
    const Write write = update;
    TRY(store.apply({&write, 1}));
    settlement = settlements.erase(settlement);
  }
  return settlements;
}

AgentRunOptions options_of_resume(const ResumeCommand& command) {
  return {.output = command.output,
          .verbosity = command.verbosity,
          .streaming = command.streaming,
          .input = command.input,
          .debug = command.debug,
          .only_interrupted = command.which == ResumeCommand::Which::all};
}

Resumed resume_one(const ResumeCommand& command, const Settings& settings, const Session& session,
                   const Settlements& settlements, CommandContext context) {
  adopt_trace(context.telemetry, session);
  return resume_session(
      session, {.said_now = command.settings, .found_in = settings, .taking = command.taking},
      settlements, options_of_resume(command), context);
}

ExitCode resume_all(const ResumeCommand& command, const Settings& settings, Store& store,
                    CommandContext context) {
  const auto interrupted = interrupted_sessions(store);
  if (!interrupted) return complain_about(interrupted.error(), context.console);
  for (const Session& session : interrupted->damaged) {
    context.console.note("  " + words_on_damaged(session) + "\n");
  }
  ExitCode worst = interrupted->damaged.empty() ? ExitCode::ok : ExitCode::failed;
  if (interrupted->sessions.empty() && interrupted->damaged.empty()) {
    context.console.note("  Nothing to resume.\n");
  }
  for (const Session& session : interrupted->sessions) {
    if (was_taken(store, session.id)) continue;
    const auto [code, was_stopped] = resume_one(command, settings, session, {}, context);
    if (was_stopped) return code;
    if (code == ExitCode::interrupted) continue;  // somebody had wished it cancelled
    if (code != ExitCode::ok && worst != ExitCode::failed) worst = code;
  }
  return worst;
}

ExitCode resume_at_server(const ResumeCommand& command, const Settings& settings, Store& store,
                          const Settlements& settlements, CommandContext context) {
  if (command.which == ResumeCommand::Which::all) {
    context.console.note("  A server resumes by itself what was interrupted.\n");
    return ExitCode::ok;
  }
  const auto id = session_id_from(command.id, &store);
  if (!id) return complain_about(id.error(), context.console);
  const auto api = open_server(settings.store());
  return AgentRun(options_of_resume(command), settings, context).resume_at(*api, *id, settlements);
}

}  // namespace

ExitCode execute(const ResumeCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  auto settlements = settlements_from(command.settle);
  if (!settlements) return complain_about(settlements.error(), context.console);
  auto store = open_existing_store(*settings);
  if (!store) return complain_about(store.error(), context.console);
  if (settings->store().is_server()) {
    return resume_at_server(command, *settings, **store, *settlements, context);
  }
  if (command.which == ResumeCommand::Which::all) {
    if (*store) return resume_all(command, *settings, **store, context);
    context.console.note("  Nothing to resume.\n");
    return ExitCode::ok;
  }
  const auto id = session_id_from(command.id, store->get());
  if (!id) return complain_about(id.error(), context.console);
  const auto root = find_root(**store, *id);
  if (!root) return complain_about(root.error(), context.console);
  settlements = settle_past_calls(**store, *id, std::move(*settlements));
  if (!settlements) return complain_about(settlements.error(), context.console);
  if (!command.settle.empty() && settlements->empty() && root->status == SessionStatus::completed) {
    context.console.note("  Settled.\n");
    return ExitCode::ok;
  }
  store->reset();  // the run opens its own
  return resume_one(command, *settings, *root, *settlements, context).code;
}

}  // namespace wright::app
