#include "app/commands/chat_conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/commands/chat_sessions.h"
#include "app/terminal/figures.h"
#include "app/terminal/log_output.h"
#include "app/terminal/person/person_answers.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/wiring/coding_settings.h"
#include "app/wiring/debug_wiring.h"
#include "app/wiring/project_files.h"
#include "app/wiring/ready_agent.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/stored_session.h"
#include "app/wiring/telemetry_wiring.h"
#include "core/try.h"
#include "server/caller_tools.h"

namespace wright::app {

Conversation::Conversation(ConversationOptions options, const Settings& settings, Store& store,
                           CommandContext context, Interruption& interruption)
    : options_(options),
      found_in_(settings),
      flags_(settings.flags()),
      store_(store),
      context_(context),
      interruption_(interruption),
      display_({OutputFormat::text, options.verbosity, options.streaming}, context.console) {
  interruption_.watch([this] { display_.say("  stopping; Ctrl-C again quits at once"); });
}

Conversation::~Conversation() {
  interruption_.end_watching();
}

// --- who talks, and where ------------------------------------------------------------------------

std::expected<void, ExitCode> Conversation::equip(const std::string& agent_name,
                                                  SettingFlags said_now,
                                                  const std::optional<Session>& session,
                                                  std::shared_ptr<const FoundHooks> hooks) {
  SettingFlags flags = said_now;
  std::optional<GoingOn> going_on;
  if (session && options_.taking == Taking::as_begun) {
    flags = flags_as_begun(session->config, std::move(flags), found_in_);
    const bool is_same_agent = canonical_agent_name(agent_name) == first_agent_of(*session);
    if (is_same_agent) going_on = GoingOn{agent_at_beginning(*session), std::move(said_now)};
  } else if (session) {
    flags = flags_for_folder(session->config, std::move(flags), found_in_);
  }
  auto settings = settings_or_complain(flags, context_);
  if (!settings) return std::unexpected(ExitCode::usage);
  // A session that goes on has what it began with.
  if (!session || options_.taking == Taking::as_now) {
    flags = with_coding_defaults(agent_name, std::move(flags), *settings);
    settings = settings_or_complain(flags, context_);
    if (!settings) return std::unexpected(ExitCode::usage);
  }
  auto agent = TRY(agent_or_complain(agent_name, *settings, flags, context_, going_on));
  DebugOptions debug = debug_of(agent.chosen.agent, *settings, options_.debug);
  auto logger = make_logger(
      *settings, [this](std::string_view line) { display_.log(line); },
      debug.enabled && debug.verbose_logging ? LogLevel::debug : LogLevel::off);
  if (!logger) {
    context_.console.complain(logger.error().message);
    return std::unexpected(ExitCode::usage);
  }
  *logger = traced(context_.telemetry, *logger);
  *agent.on_index = [this](const IndexProgress& index) { display_.show_index(index); };
  if (options_.verbosity == Verbosity::normal && agent.notes != told_) {
    for (const std::string& note : agent.notes) context_.console.remark(note);
  }
  told_ = std::move(agent.notes);
  config_ = config_with_trace(session_config(agent, *settings), context_.environment);
  model_ = agent.chosen.model;
  mcp_client::AskPerson ask_person;
  if (has_person_at_terminal(context_.console)) {
    ask_person = [this](const Waiting& waiting) {
      return ask_at_terminal({}, waiting, context_, interruption_.token());
    };
  }
  servers_.use(agent.servers, std::move(ask_person));
  settings_ = std::move(settings);
  if (hooks) agent.hooks = std::move(hooks);
  hooks_ = agent.hooks;
  auto wished = server::with_wishes_of_caller(
      finished(std::move(agent), *settings_, *logger, tell_content(context_.telemetry)),
      session ? session->config : Json());
  if (!wished) return std::unexpected(complain_about(wished.error(), context_.console));
  agent_ = std::move(*wished);
  debug.logger = *logger;
  agent_.debug = std::move(debug);
  display_.trace_with(TraceLog(*logger, agent_));
  agent_name_ = agent_name;
  return {};
}

std::expected<void, ExitCode> Conversation::begin(const std::string& agent_name) {
  if (auto equipped = equip(agent_name, flags_, {}); !equipped) return equipped;
  session_id_ = 0;
  session_.reset();
  return {};
}

std::expected<void, ExitCode> Conversation::continue_with(
    const Session& session, const std::optional<std::string>& agent_name) {
  const std::string name = agent_name.value_or(first_agent_of(session));
  if (auto equipped = equip(name, flags_, session); !equipped) return equipped;
  session_id_ = session.id;
  session_ = session;
  session_model_ = agent_at_beginning(session).model.value_or(model_);
  return {};
}

std::expected<void, ExitCode> Conversation::use_model(const std::string& id) {
  SettingFlags flags = flags_;
  flags.model = id;
  if (auto equipped = equip(agent_name_, flags, session_, hooks_); !equipped) return equipped;
  flags_.model = id;
  if (session_id_ == 0) return {};
  if (const auto kept = keep_model(); !kept) return std::unexpected(failed(kept.error()));
  return {};
}

// Whoever takes the session up goes on with the model that it was given last.
Result<void> Conversation::keep_model() {
  const auto session = TRY(store_.get_session(session_id_));
  TRY(store_.apply_one(UpdateSession{.session_id = session_id_,
                                     .provider = agent_.model.provider(),
                                     .model = agent_.model.name(),
                                     .config = config_with_model(session.config, model_)}));
  session_model_ = model_;
  return {};
}

std::string Conversation::flags_to_resume() const {
  if (options_.taking == Taking::as_now) return " --refresh";
  return model_ == session_model_ ? "" : fmt::format(" --model {}", on_one_line(model_));
}

Result<std::string> Conversation::undo() {
  CutSession cut = TRY(before_last_message(store_, session_id_));
  session_id_ = cut.id;
  return std::move(cut.said);
}

Result<SessionId> Conversation::fork() {
  if (session_id_ == 0) return fail(ErrorCode::unavailable, "nothing has been said yet");
  const auto messages = TRY(store_.get_messages(session_id_));
  if (messages.empty()) return fail(ErrorCode::unavailable, "nothing has been said yet");
  const auto forked = store_.fork_session(session_id_, messages.back().id);
  if (forked) session_id_ = *forked;
  return forked;
}

Result<SessionContext> Conversation::context() const {
  if (session_id_ == 0) return fail(ErrorCode::unavailable, "nothing has been said yet");
  return wright::session_context(store_, agent_, session_id_);
}

Result<SessionContext> Conversation::compact(const std::string& focus) {
  if (session_id_ == 0) return fail(ErrorCode::unavailable, "nothing has been said yet");
  interruption_.forget();
  return wright::compact(store_, agent_, session_id_, focus, {.stop = interruption_.token()});
}

bool Conversation::has_person() const {
  return options_.input == Input::terminal && standard_input_is_terminal() &&
         context_.console.error().is_terminal;
}

// --- one turn ------------------------------------------------------------------------------------

ExitCode Conversation::say(const Message& said) {
  interruption_.forget();
  was_said_ = false;
  const auto message = hooks_->submitted(said, session_id_, interruption_.token());
  if (!message) return failed(message.error());
  const ExitCode code = drive([&](const RunOptions& options) {
    return session_id_ == 0 ? wright::run(store_, agent_, *message, options)
                            : wright::send(store_, agent_, session_id_, *message, options);
  });
  was_said_ = display_.record().session_id() != 0;
  return code;
}

Result<Message> Conversation::steer(const Message& said) {
  auto message = hooks_->submitted(said, session_id_, interruption_.token());
  if (message) {
    TRY(steering_.say(*message));
    return message;
  }
  // A hook that was stopped has said nothing.
  if (interruption_.has_happened()) return fail(ErrorCode::cancelled, message.error().message);
  return std::unexpected(std::move(message).error());
}

ExitCode Conversation::resume() {
  return drive([&](const RunOptions& options) {
    return wright::resume(store_, agent_, session_id_, options);
  });
}

ExitCode Conversation::drive(const First& first) {
  interruption_.forget();
  const RunOptions options = run_options();
  const auto began = std::chrono::steady_clock::now();
  display_.begin();
  const auto hold = [&] { return hold_ ? hold_() : Held(); };
  Held held = hold();
  Result<RunResult> answer = first(options);
  if (session_id_ == 0) session_model_ = model_;
  if (display_.record().session_id() != 0) session_id_ = display_.record().session_id();
  while (answer && answer->status == RunResult::Status::waiting && has_person() &&
         !interruption_.has_happened()) {
    held.reset();
    display_.hide();
    context_.console.notify(words_about_waits(answer->waits));
    const auto given = answer_at_terminal(answer->waits, store_, context_, options.stop);
    if (!given) return failed(given.error());
    if (*given == PersonAnswered::no) break;
    display_.show();
    held = hold();
    answer = wright::resume(store_, agent_, session_id_, options);
  }
  held.reset();
  display_.hide();
  // Whoever waited this long may be looking elsewhere.
  const bool was_long =
      std::chrono::steady_clock::now() - began > settings_->duration(keys::kTerminalNotifyAfter);
  if (was_long && has_person()) context_.console.notify(fmt::format("{} is done", agent_.name));
  return conclude(answer);
}

RunOptions Conversation::run_options() {
  const auto observe = [this, hooks = hooks_->hooks](const Event& event,
                                                     const EventOrigin& origin) {
    show_and_tell_hooks(event, origin, display_, *hooks);
  };
  RunOptions options{
      .observer = observe,
      .stop = interruption_.token(),
      .delivery = display_.is_streamed() ? Delivery::streamed : Delivery::whole,
      .config = config_,
      .people = options_.input == Input::none ? People::nobody : People::may_answer_later,
      .steering = &steering_};
  trace_with(context_.telemetry, options);
  return options;
}

ExitCode Conversation::conclude(const Result<RunResult>& answer) {
  if (!answer) return failed(answer.error());
  if (answer->status == RunResult::Status::waiting) return waiting(*answer);
  display_.print_answer(answer->text);
  display_.conclude("✓", Colour::green);
  return ExitCode::ok;
}

ExitCode Conversation::waiting(const RunResult& answer) {
  if (!has_person()) {
    tell_waits(session_id_, answer.waits, context_.console);
    display_.conclude("…", Colour::yellow);
    return ExitCode::waiting;
  }
  // The person at the terminal would rather say something else: what waited is over.
  std::stop_source stopped;
  stopped.request_stop();
  const auto ended = wright::resume(store_, agent_, session_id_, {.stop = stopped.get_token()});
  if (!ended && ended.error().code != ErrorCode::cancelled) return failed(ended.error());
  context_.console.note("  Not answered; the session goes on with your next message.\n");
  display_.conclude("✗", Colour::yellow);
  return ExitCode::interrupted;
}

ExitCode Conversation::failed(const Error& error) {
  const std::string best = answer_of(error);
  if (!best.empty()) display_.print_answer(best);
  if (error.code != ErrorCode::cancelled) {
    context_.console.complain(error.message);
    display_.conclude("✗", Colour::red);
    return ExitCode::failed;
  }
  context_.console.note(has_person() ? "  Stopped; the session goes on with your next message.\n"
                                     : "wright: interrupted; the session is stored as cancelled\n");
  display_.conclude("✗", Colour::yellow);
  return ExitCode::interrupted;
}

std::string context_line(const SessionContext& context) {
  std::string line = fmt::format("  about {} tokens", show_count(context.tokens));
  if (context.window) {
    line += fmt::format(" of {} ({} %)", show_count(*context.window),
                        100 * context.tokens / *context.window);
  }
  if (context.summarised_messages > 0) {
    line += fmt::format(
        " · {} summarised",
        show_counted(static_cast<std::int64_t>(context.summarised_messages), "message"));
  }
  if (context.shortened_messages > context.summarised_messages) line += " · old results in part";
  if (context.spent_on_summaries > 0) {
    line += fmt::format(" · summaries took {}", show_count(context.spent_on_summaries));
  }
  return line;
}

}  // namespace wright::app
