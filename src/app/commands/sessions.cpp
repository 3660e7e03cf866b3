// `wright sessions`: list, show, export and delete what is stored.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <memory>

#include "app/commands/acp_mode.h"
#include "app/commands/commands.h"
#include "app/settings/file_output.h"
#include "app/terminal/figures.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/terminal/transcript.h"
#include "app/wiring/file_history.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/session_store.h"
#include "app/wiring/shipped.h"
#include "app/wiring/stored_session.h"
#include "core/nearest.h"
#include "core/try.h"
#include "runtime/session_removal.h"
#include "store/damage.h"
#include "wright/driver.h"
#include "wright/replay.h"
#include "wright/store.h"

namespace wright::app {
namespace {

Result<Transcript> transcript_of(const std::string& id, const Settings& settings) {
  const auto found = TRY(find_session(id, settings));
  return load_transcript(*found.store, found.id);
}

// Of a damaged one what can be read, which may not look like all of it.
Result<Transcript> readable_transcript_of(const std::string& text, const Settings& settings) {
  auto whole = transcript_of(text, settings);
  if (whole) return whole;
  const auto store = TRY(open_existing_store(settings));
  if (store == nullptr) return whole;
  const auto id = TRY(session_id_from(text, store.get()));
  auto rest = load_readable_transcript(*store, id);
  if (rest && !rest->damaged.empty()) return rest;
  return whole;
}

// Says what is missing, if anything is.
ExitCode tell_what_is_missing(const std::vector<std::string>& damaged, Console& console) {
  for (const std::string& sentence : damaged) console.complain(sentence);
  return damaged.empty() ? ExitCode::ok : ExitCode::failed;
}

struct Export {
  SessionId id = 0;
  std::string text = {};
  std::vector<std::string> damaged = {};  // what is missing in it
};

Result<Export> exported(const ExportSessionCommand& command, const Settings& settings) {
  if (command.format == ExportFormat::cassette) {
    const auto found = TRY(find_session(command.id, settings));
    auto recorded = TRY(load_recording(*found.store, found.id));
    recorded.config = portable_config(recorded.config);
    return Export{found.id, cassette_text(recorded, settings.redactor())};
  }
  const auto transcript = TRY(readable_transcript_of(command.id, settings));
  return Export{transcript.session.id,
                command.format == ExportFormat::json
                    ? to_pretty_text(transcript_json(transcript)) + "\n"
                    : transcript_markdown(transcript),
                transcript.damaged};
}

Result<SessionFilter> filter_from(const ListSessionsCommand& command) {
  SessionFilter filter{.text = command.search, .limit = command.limit};
  if (command.agent) filter.agent_name = canonical_agent_name(*command.agent);
  filter.tenant = command.tenant;
  if (command.since) {
    filter.started_since = TRY(moment_from(*command.since, system_clock_ms()));
  }
  if (command.status) {
    const auto status = session_status_from(*command.status);
    if (!status) {
      constexpr std::array kStatuses{SessionStatus::running,   SessionStatus::completed,
                                     SessionStatus::failed,    SessionStatus::waiting,
                                     SessionStatus::cancelled, SessionStatus::queued};
      std::vector<std::string_view> names;
      names.reserve(kStatuses.size());
      for (const SessionStatus known : kStatuses) names.push_back(to_string(known));
      return fail(ErrorCode::invalid_argument, fmt::format("unknown status '{}'{}", *command.status,
                                                           did_you_mean(*command.status, names)));
    }
    filter.status = *status;
  }
  return filter;
}

// Where there is no terminal to fit into; `--json` has all of it.
constexpr std::size_t kLongestPrompt = 100;

std::string session_table(const std::vector<Session>& sessions, const Terminal& terminal) {
  struct Row {
    std::string id, status, agent, started, took, prompt;
  };
  const std::int64_t now = system_clock_ms();
  std::vector<Row> rows{{"ID", "STATUS", "AGENT", "STARTED", "TOOK", "PROMPT"}};
  for (const Session& session : sessions) {
    rows.push_back({fmt::format("{}", session.id), std::string(to_string(session.status)),
                    on_one_line(session.agent_name), show_age(session.started_at, now),
                    duration_of(session), on_one_line(session.user_prompt)});
  }
  const auto width_of = [&](std::string Row::*column) {
    std::size_t widest = 0;
    for (const Row& row : rows) widest = std::max(widest, columns_of(row.*column));
    return widest;
  };
  const std::size_t id = width_of(&Row::id), status = width_of(&Row::status),
                    agent = width_of(&Row::agent), started = width_of(&Row::started),
                    took = width_of(&Row::took);
  const std::size_t before = id + status + agent + started + took + 10;
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const Colour colour = i == 0 ? Colour::dim : colour_of(sessions[i - 1].status);
    const Colour rest = i == 0 ? Colour::dim : Colour::none;
    const std::size_t room = terminal.is_terminal
                                 ? terminal.columns - std::min(terminal.columns, before)
                                 : kLongestPrompt;
    const std::string prompt = shortened(row.prompt, std::max<std::size_t>(room, 8));
    text +=
        fmt::format("{}  {}  {}  {}\n", painted(fmt::format("{:>{}}", row.id, id), rest, terminal),
                    painted(padded(row.status, status), colour, terminal),
                    painted(fmt::format("{}  {}  {}", padded(row.agent, agent),
                                        padded(row.started, started), padded(row.took, took)),
                            Colour::dim, terminal),
                    painted(prompt, rest, terminal));
  }
  return text;
}

// Everything that is to be deleted, or why it cannot be.
Result<std::vector<Session>> sessions_to_remove(const RemoveSessionsCommand& command,
                                                Store* store) {
  std::vector<Session> sessions;
  for (const std::string& text : command.ids) {
    const auto id = TRY(session_id_from(text, store));
    // One that cannot be read can still be removed.
    auto found = TRY(store->list_sessions(
        {.after = id - 1, .before = id + 1, .limit = 1, .keeps_damaged = true}));
    if (found.empty()) return std::unexpected(no_such_session(text));
    if (std::ranges::find(sessions, id, &Session::id) == sessions.end()) {
      sessions.push_back(std::move(found.front()));
    }
  }
  return sessions;
}

bool is_yes(std::string_view answer) {
  return answer == "y" || answer == "Y" || answer == "yes" || answer == "Yes";
}

}  // namespace

ExitCode execute(const ListSessionsCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  auto filter = filter_from(command);
  if (!filter) return complain_about(filter.error(), context.console);
  filter->keeps_damaged = true;
  const auto store = open_existing_store(*settings);
  if (!store) return complain_about(store.error(), context.console);
  Result<std::vector<Session>> sessions;
  if (*store != nullptr) sessions = (*store)->list_sessions(*filter);
  if (!sessions) return complain_about(sessions.error(), context.console);
  if (command.output == OutputFormat::json) {
    JsonArray array;
    for (const Session& session : *sessions) array.push_back(session_json(session));
    context.console.print_json(to_pretty_text(array) + "\n");
  } else if (sessions->empty()) {
    const bool is_filtered = filter->agent_name || filter->status || filter->tenant ||
                             filter->started_since != 0 || !filter->text.empty();
    context.console.note(is_filtered
                             ? "No such session. `wright sessions` lists all of them.\n"
                             : "No sessions. Start one: wright run codebase-analysis \"…\"\n");
  } else {
    context.console.print(session_table(*sessions, context.console.output()));
  }
  for (const Session& session : *sessions) {
    if (!store::is_damaged(session)) continue;
    context.console.note(words_on_damaged(session) + "\n");
  }
  return ExitCode::ok;
}

ExitCode execute(const ShowSessionCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto transcript = readable_transcript_of(command.id, *settings);
  if (!transcript) return complain_about(transcript.error(), context.console);
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_pretty_text(transcript_json(*transcript)) + "\n");
  } else {
    context.console.print(transcript_view(*transcript, context.console.output()));
  }
  return tell_what_is_missing(transcript->damaged, context.console);
}

ExitCode execute(const ExportSessionCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  known_keys(*settings, context.environment);  // and from now on, they are hidden
  const auto found = exported(command, *settings);
  if (!found) return complain_about(found.error(), context.console);
  if (!command.file || *command.file == "-") {
    if (command.format == ExportFormat::markdown) {
      context.console.print_foreign(found->text);
    } else {
      context.console.print_json(found->text);
    }
    return tell_what_is_missing(found->damaged, context.console);
  }
  if (const auto written = write_file(*command.file, found->text); !written) {
    context.console.complain(written.error().message);
    return ExitCode::failed;
  }
  context.console.note(
      fmt::format("Wrote session {} to {}\n", found->id, on_one_line(*command.file)));
  return tell_what_is_missing(found->damaged, context.console);
}

ExitCode execute(const RemoveSessionsCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  if (command.confirmation == Confirmation::ask && !standard_input_is_terminal()) {
    context.console.complain("nobody is here to confirm", "Add --yes to delete without asking.");
    return ExitCode::usage;
  }
  const auto store = open_existing_store(*settings);
  if (!store) return complain_about(store.error(), context.console);
  const auto sessions = sessions_to_remove(command, store->get());
  if (!sessions) return complain_about(sessions.error(), context.console);
  if (command.confirmation == Confirmation::ask) {
    context.console.note(session_table(*sessions, context.console.error()));
    context.console.note(
        fmt::format("Delete {}? [y/N] ", show_counted(std::ssize(*sessions), "session")));
    if (!is_yes(read_line().value_or(""))) {
      context.console.note("Nothing was deleted.\n");
      return ExitCode::failed;
    }
  }
  JsonArray gone;
  Result<void> outcome;
  for (const Session& session : *sessions) {
    const auto removed = runtime::remove_session(**store, session.id);
    // A child may have gone with its parent.
    if (!removed && removed.error().code != ErrorCode::not_found) {
      outcome = removed;
      break;
    }
    FileHistory(*settings, **store).forget(session.id);
    gone.push_back(session.id);
  }
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_text(JsonObject{{"deleted", gone}}) + "\n");
  } else if (!gone.empty()) {
    context.console.note(fmt::format("Deleted {}.\n", show_counted(std::ssize(gone), "session")));
  }
  return outcome ? ExitCode::ok : complain_about(outcome.error(), context.console);
}

}  // namespace wright::app
