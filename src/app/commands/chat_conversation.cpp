#include "app/commands/chat_conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/terminal/log_output.h"
#include "app/terminal/markdown_stream.h"
#include "app/terminal/person/person_answers.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/wiring/debug_wiring.h"
#include "app/wiring/ready_agent.h"
#include "app/wiring/session_beginning.h"

namespace wright::app {

Conversation::Conversation(ConversationOptions options, const Settings& settings, Store& store,
                           Surroundings around, Interruption& interruption)
    : options_(options),
      found_in_(settings),
      flags_(settings.flags()),
      store_(store),
      around_(around),
      interruption_(interruption) {
  interruption_.watch([this] {
    const std::scoped_lock lock(progress_mutex_);
    if (progress_) progress_->say("  stopping; Ctrl-C again quits at once");
  });
}

Conversation::~Conversation() {
  interruption_.end_watching();
}

// --- who talks, and where ------------------------------------------------------------------------

std::expected<void, ExitCode> Conversation::equip(const std::string& agent_name,
                                                  SettingFlags said_now,
                                                  const std::optional<Session>& session) {
  SettingFlags flags = said_now;
  std::optional<GoingOn> going_on;
  if (session && options_.taking == Taking::as_begun) {
    flags = flags_as_begun(session->config, std::move(flags), found_in_);
    const bool is_same_agent = canonical_agent_name(agent_name) == first_agent_of(*session);
    if (is_same_agent) going_on = GoingOn{agent_at_beginning(*session), std::move(said_now)};
  } else if (session) {
    flags = flags_for_folder(session->config, std::move(flags), found_in_);
  }
  auto settings = settings_or_complain(flags, around_);
  if (!settings) return std::unexpected(ExitCode::usage);
  auto agent = agent_or_complain(agent_name, *settings, flags, around_, going_on);
  if (!agent) return std::unexpected(agent.error());
  DebugOptions debug = debug_of(agent->chosen.agent, *settings, options_.debug);
  const auto logger = make_logger(
      *settings, [this](std::string_view line) { log(line); },
      debug.enabled && debug.verbose_logging ? LogLevel::debug : LogLevel::off);
  if (!logger) {
    around_.console.complain(logger.error().message);
    return std::unexpected(ExitCode::usage);
  }
  *agent->on_index = [this](const IndexProgress& index) {
    const std::scoped_lock lock(progress_mutex_);
    if (progress_) progress_->show_index(index);
  };
  if (options_.verbosity == Verbosity::normal && agent->notes != told_) {
    for (const std::string& note : agent->notes) around_.console.remark(note);
  }
  told_ = std::move(agent->notes);
  config_ = session_config(*agent, *settings);
  model_ = agent->chosen.model;
  settings_ = std::move(settings);
  agent_ = finished(std::move(*agent), *settings_, *logger);
  debug.logger = *logger;
  agent_.debug = std::move(debug);
  trace_ = TraceLog(*logger, agent_);
  agent_name_ = agent_name;
  return {};
}

std::expected<void, ExitCode> Conversation::begin(const std::string& agent_name) {
  if (auto equipped = equip(agent_name, flags_, {}); !equipped) return equipped;
  session_id_ = 0;
  session_.reset();
  return {};
}

std::expected<void, ExitCode> Conversation::continue_with(const Session& session,
                                                          std::optional<std::string> agent_name) {
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
  if (auto equipped = equip(agent_name_, flags, session_); !equipped) return equipped;
  flags_.model = id;
  return {};
}

std::string Conversation::flags_to_go_on() const {
  if (options_.taking == Taking::as_now) return " --refresh";
  return model_ == session_model_ ? "" : fmt::format(" --model {}", on_one_line(model_));
}

Result<std::string> Conversation::undo() {
  if (session_id_ == 0) return fail(ErrorCode::unavailable, "nothing has been said yet");
  const auto messages = store_.get_messages(session_id_);
  if (!messages) return std::unexpected(messages.error());
  const auto last = std::ranges::find_if(
      messages->rbegin(), messages->rend(),
      [](const StoredMessage& stored) { return stored.message.is_from_user(); });
  if (last == messages->rend()) return fail(ErrorCode::unavailable, "nothing has been said yet");
  const auto before = std::next(last);
  if (before == messages->rend()) {
    session_id_ = 0;  // the next message begins a new session
    return last->message.text();
  }
  const auto forked = store_.fork_session(session_id_, before->id);
  if (!forked) return std::unexpected(forked.error());
  session_id_ = *forked;
  return last->message.text();
}

Result<SessionId> Conversation::fork() {
  if (session_id_ == 0) return fail(ErrorCode::unavailable, "nothing has been said yet");
  const auto messages = store_.get_messages(session_id_);
  if (!messages) return std::unexpected(messages.error());
  if (messages->empty()) return fail(ErrorCode::unavailable, "nothing has been said yet");
  const auto forked = store_.fork_session(session_id_, messages->back().id);
  if (forked) session_id_ = *forked;
  return forked;
}

bool Conversation::has_person() const {
  return options_.input == Input::terminal && standard_input_is_terminal() &&
         around_.console.error().is_terminal;
}

// --- one turn ------------------------------------------------------------------------------------

ExitCode Conversation::say(const std::string& message) {
  return drive([&](const RunOptions& options) {
    return session_id_ == 0 ? wright::run(agent_, message, options)
                            : wright::send(agent_, session_id_, message, options);
  });
}

ExitCode Conversation::go_on() {
  return drive(
      [&](const RunOptions& options) { return wright::resume(agent_, session_id_, options); });
}

ExitCode Conversation::drive(const First& first) {
  record_ = {};
  began_ = std::chrono::steady_clock::now();
  interruption_.forget();
  const RunOptions options = run_options();
  show_progress();
  Result<Answer> answer = first(options);
  if (session_id_ == 0) session_model_ = model_;
  if (record_.session_id() != 0) session_id_ = record_.session_id();
  while (answer && answer->status == Answer::Status::waiting && has_person() &&
         !interruption_.has_happened()) {
    hide_progress();
    const auto given = answer_at_terminal(answer->waits, store_, around_, options.stop);
    if (!given) return failed(given.error());
    if (*given == PersonAnswered::no) break;
    show_progress();
    answer = wright::resume(agent_, session_id_, options);
  }
  hide_progress();
  return conclude(answer);
}

RunOptions Conversation::run_options() {
  return {.store = &store_,
          .observer = [this](const Event& event) { observe(event); },
          .stop = interruption_.token(),
          .delivery = is_streamed() ? Delivery::streamed : Delivery::whole,
          .config = config_,
          .people = options_.input == Input::none ? People::nobody : People::may_answer_later};
}

void Conversation::observe(const Event& event) {
  record_.observe(event);
  trace_.observe(event);
  if (stream_) stream_->observe(event);
  if (progress_) progress_->observe(event);
}

ExitCode Conversation::conclude(const Result<Answer>& answer) {
  if (!answer) return failed(answer.error());
  if (answer->status == Answer::Status::waiting) return waiting(*answer);
  if (!stream_ || !stream_->has_printed_answer()) print_answer(answer->text);
  end_turn("✓", Colour::green);
  return ExitCode::ok;
}

ExitCode Conversation::waiting(const Answer& answer) {
  if (!has_person()) {
    tell_waits(session_id_, answer.waits, around_.console);
    end_turn("…", Colour::yellow);
    return ExitCode::waiting;
  }
  // The person at the terminal would rather say something else: what waited is over.
  std::stop_source stopped;
  stopped.request_stop();
  const auto ended =
      wright::resume(agent_, session_id_, {.store = &store_, .stop = stopped.get_token()});
  if (!ended && ended.error().code != ErrorCode::cancelled) return failed(ended.error());
  around_.console.note("  Not answered; the session goes on with your next message.\n");
  end_turn("✗", Colour::yellow);
  return ExitCode::interrupted;
}

ExitCode Conversation::failed(const Error& error) {
  const std::string best = answer_of(error);
  const bool has_shown = stream_ && stream_->has_printed_answer();
  if (!best.empty() && !has_shown) print_answer(best);
  if (error.code != ErrorCode::cancelled) {
    around_.console.complain(error.message);
    end_turn("✗", Colour::red);
    return ExitCode::failed;
  }
  around_.console.note(has_person() ? "  Stopped; the session goes on with your next message.\n"
                                    : "wright: interrupted; the session is stored as cancelled\n");
  end_turn("✗", Colour::yellow);
  return ExitCode::interrupted;
}

// --- what is shown -------------------------------------------------------------------------------

bool Conversation::is_streamed() const {
  if (options_.streaming != Streaming::automatic) return options_.streaming == Streaming::on;
  return around_.console.output().is_terminal;
}

bool Conversation::is_rendered() const {
  return around_.console.output().has_colour;
}

void Conversation::show_progress() {
  const std::scoped_lock lock(progress_mutex_);
  stream_.reset();
  progress_.reset();
  if (options_.verbosity == Verbosity::normal) {
    progress_ = std::make_unique<Progress>(
        around_.console.error(), [&](std::string_view text) { around_.console.note(text); });
  }
  if (is_streamed()) {
    stream_.emplace(around_.console, progress_.get(),
                    is_rendered() ? AnswerText::rendered : AnswerText::as_it_is);
  }
}

void Conversation::hide_progress() {
  if (stream_) stream_->close();
  const std::scoped_lock lock(progress_mutex_);
  progress_.reset();
}

// A finished line for standard error; a moving line makes room for it.
void Conversation::log(std::string_view line) {
  const std::scoped_lock lock(progress_mutex_);
  if (!progress_) return around_.console.note(line);
  if (line.ends_with('\n')) line.remove_suffix(1);
  progress_->say(line);
}

void Conversation::print_answer(const std::string& text) {
  Console& console = around_.console;
  // On a terminal both streams meet: space keeps the answer apart from the progress.
  const bool is_shared = console.output().is_terminal && console.error().is_terminal;
  if (is_shared) console.note("\n");
  if (is_rendered()) {
    console.print(rendered_markdown(text, console.output().columns));
  } else {
    console.print_foreign(text);
  }
  if (!text.ends_with('\n')) console.print("\n");
  if (is_shared) console.note("\n");
}

// Beside the answer, never in it.
void Conversation::show_feedback() {
  if (!record_.feedback()) return;
  around_.console.note("\n" + sanitised(to_text(*record_.feedback())) + "\n");
}

void Conversation::end_turn(std::string_view marker, Colour colour) {
  show_feedback();
  if (options_.verbosity == Verbosity::quiet) return;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began_;
  const Terminal& terminal = around_.console.error();
  const std::string line =
      fmt::format("  {} {}\n", painted(marker, colour, terminal),
                  painted(record_.summary(took.count()), Colour::dim, terminal));
  around_.console.note(terminal.is_terminal ? fitted_lines(line, terminal.columns) : line);
}

}  // namespace wright::app
