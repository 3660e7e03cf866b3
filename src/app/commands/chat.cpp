// `wright chat`: a conversation at a terminal, or with the lines of a pipe.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "app/commands/chat_clipboard.h"
#include "app/commands/chat_commands.h"
#include "app/commands/chat_conversation.h"
#include "app/commands/chat_files.h"
#include "app/commands/chat_lines.h"
#include "app/commands/chat_mentions.h"
#include "app/commands/chat_programs.h"
#include "app/commands/chat_sessions.h"
#include "app/commands/chat_status.h"
#include "app/commands/chat_steering.h"
#include "app/commands/commands.h"
#include "app/commands/first_start.h"
#include "app/commands/help.h"
#include "app/commands/remote_chat.h"
#include "app/settings/paths.h"
#include "app/terminal/chat_editor.h"
#include "app/terminal/chat_history.h"
#include "app/terminal/chat_input.h"
#include "app/terminal/figures.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/terminal/transcript.h"
#include "app/wiring/answers_without_keys.h"
#include "app/wiring/bash_settings.h"
#include "app/wiring/coding_settings.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/session_store.h"
#include "app/wiring/stored_session.h"
#include "core/try.h"
#include "core/user_message.h"

namespace wright::app {
namespace {

// Percent of the model's window.
constexpr std::int64_t kWorthSaying = 50;
constexpr std::int64_t kSoonFull = 80;

class Chat {
 public:
  Chat(const ChatCommand& command, const ChatSettings& chat, Store& store, CommandContext context,
       Interruption& interruption)
      : command_(command),
        settings_(chat.settings),
        has_told_of_planner_(chat.has_told_of_planner),
        store_(store),
        context_(context),
        interruption_(interruption),
        conversation_({.verbosity = command.verbosity,
                       .streaming = command.streaming,
                       .input = command.input,
                       .debug = command.debug,
                       .taking = command.taking},
                      settings_, store, context, interruption_),
        history_(default_history_file(context.environment)),
        is_for_person_(standard_input_is_terminal() && context.console.error().is_terminal) {}

  ~Chat() { interruption_.before_quitting({}); }
  Chat(const Chat&) = delete;
  Chat& operator=(const Chat&) = delete;

  ExitCode run() {
    if (const auto opened = open(); !opened) return opened.error();
    open_input();
    greet();
    ExitCode code = resume_if_stopped();
    if (code == ExitCode::ok || is_for_person_) code = talk();
    say_goodbye();
    return code;
  }

 private:
  std::expected<void, ExitCode> open() {
    if (command_.which == ChatCommand::Which::fresh) {
      return conversation_.begin(command_.agent.value_or(
          default_agent(settings_, context_.environment, command_.usual_agent)));
    }
    const auto session =
        command_.which == ChatCommand::Which::named
            ? find_session(store_, command_.session)
            : last_session(store_, command_.agent, settings_, context_.environment);
    if (!session) return std::unexpected(complain_about(session.error()));
    return conversation_.continue_with(*session, command_.agent);
  }

  // What a person was doing when the session stopped is finished first.
  ExitCode resume_if_stopped() {
    if (conversation_.session_id() == 0) return ExitCode::ok;
    const auto session = store_.get_session(conversation_.session_id());
    if (!session) return complain_about(session.error());
    const bool is_stopped =
        session->status == SessionStatus::running || session->status == SessionStatus::waiting;
    return is_stopped ? conversation_.resume() : ExitCode::ok;
  }

  ExitCode talk() {
    while (true) {
      const auto line = next_message();
      if (!line && line.error() == NoLine::ended) return ExitCode::ok;
      if (!line && line.error() == NoLine::stopped && (is_asked_to_end() || !editor_)) {
        return ExitCode::interrupted;
      }
      if (!line) {
        note("  Ctrl-D or /quit ends the chat.\n");
        continue;
      }
      if (on_one_line(*line).empty()) continue;
      const ChatLine meant = meaning_of(*line);
      // With a blank before it, it is no command either when it is taken from the history.
      remember(is_pasted_command(*line) ? " " + *line : *line);
      if (meant == ChatLine(SlashCommand{SlashCommand::Name::quit, ""})) return ExitCode::ok;
      const ExitCode code = std::visit([this](const auto& what) { return obey(what); }, meant);
      if (is_asked_to_end()) return ExitCode::interrupted;
      // A script that goes on after a failure would talk about something else.
      if (code != ExitCode::ok && !is_for_person_) return code;
    }
  }

  // Ctrl-C is about the answer, other signals are about the program.
  bool is_asked_to_end() const {
    const int signal = interruption_.first_signal();
    return signal != 0 && signal != SIGINT;
  }

  // --- what was typed ----------------------------------------------------------------------------

  void open_input() {
    const auto stop = [this] { return interruption_.token(); };
    const PersonTerminal where{
        .input = STDIN_FILENO, .output = STDERR_FILENO, .screen = context_.console.error()};
    if (!is_for_person_) {
      read_line_ = lines_of_pipe(STDIN_FILENO, stop);
      return;
    }
    read_line_ = lines_of_plain_terminal(where, stop);
    if (!where.screen.gives_keys) return;
    const auto entries = history_.load();
    if (!entries) context_.console.complain(entries.error().message);
    editor_.emplace(
        where, entries ? *entries : std::vector<std::string>(),
        [this](std::string_view typed) { return completions_of(typed, conversation_); });
    interruption_.before_quitting([this] { editor_->restore_terminal(); });
    editor_->show_below(
        [this] { return chat_status(conversation_, store_, context_.environment); });
    editor_->paste_images_by([this] {
      return image_from_clipboard(context_.environment, settings_.temporary_folder());
    });
    steering_.emplace(conversation_, *editor_, where.screen,
                      [this](const std::string& line) { return message_of(ChatMessage{line}); });
    read_line_ = [this](std::string_view prompt) {
      auto line = editor_->next_line(prompt, interruption_.token());
      if (std::exchange(is_first_line_, false)) begins_pasted_ = editor_->begins_pasted();
      has_unseen_ = has_unseen_ || editor_->has_unseen();
      return line;
    };
  }

  std::expected<std::string, NoLine> next_message() {
    interruption_.forget();
    is_first_line_ = true;
    begins_pasted_ = has_unseen_ = false;
    return read_message(read_line_);
  }

  void remember(const std::string& line) {
    if (!editor_) return;
    editor_->remember(line);
    const auto kept = history_.add(line);
    if (kept || has_complained_of_history_) return;
    has_complained_of_history_ = true;
    context_.console.complain(kept.error().message);
  }

  // Looks like a command, and was pasted: it may be anybody's words, and does nothing by itself.
  bool is_pasted_command(const std::string& line) const {
    return begins_pasted_ && (line.starts_with('!') || line.starts_with('/'));
  }

  // A command of ours, of the person or of the project; ours win.
  ChatLine meaning_of(const std::string& line) {
    if (is_pasted_command(line)) {
      note("  Pasted, so it goes to the agent as a message: commands are typed.\n");
      return ChatMessage{line};
    }
    if (auto prompt = conversation_.servers().prompt_of(line)) {
      if (!*prompt) return BadCommand{prompt->error().message};
      // What the server says brings no files along: only what was typed does.
      const std::size_t blank = std::min(line.size(), line.find_first_of(" \t\r\n"));
      return ChatMessage{.text = std::string((*prompt)->value.as_string()),
                         .typed = line.substr(blank),
                         .images = std::move((*prompt)->images)};
    }
    ChatLine meant = read_chat_line(line);
    if (has_unseen_ && std::holds_alternative<ShellLine>(meant)) {
      return BadCommand{
          "a part of it was not on the screen, so it does not run; put long scripts into a file"};
    }
    // What comes from a pipe may be anybody's words: it starts no programs.
    if (!is_for_person_ && std::holds_alternative<ShellLine>(meant)) return ChatMessage{line};
    if (std::holds_alternative<SlashCommand>(meant)) return meant;
    if (auto message = message_of_command(line, conversation_.settings())) {
      return *std::move(message);
    }
    return meant;
  }

  // --- what it means -----------------------------------------------------------------------------

  Message message_of(const ChatMessage& message) {
    const Mentions mentions = conversation_.servers().with_resources(
        message.typed.value_or(message.text),
        with_mentions(message.text, conversation_.settings().base_path(), context_.environment,
                      {.typed = message.typed,
                       .unreadable = guarded_files(conversation_.settings()).unreadable,
                       .takes_pasted_images = is_for_person_}));
    for (const std::string& problem : mentions.problems) context_.console.remark(problem);
    for (const std::string& each : mentions.notes) note_dimly("with " + on_one_line(each));
    std::vector<Image> images = message.images;
    images.insert(images.end(), mentions.images.begin(), mentions.images.end());
    return user_message(mentions.text, images);
  }

  ExitCode obey(const ChatMessage& message) {
    const ExitCode code = conversation_.say(told_next_.before(message_of(message)));
    // Where it was not taken, the next one tells it.
    if (conversation_.was_said()) told_next_.forget();
    if (steering_) steering_->keep_what_was_not_taken(store_);
    warn_of_full_context();
    return code;
  }

  ExitCode obey(const ShellLine& shell) {
    interruption_.forget();
    return told_next_.run(shell, conversation_.settings(), context_, interruption_.token());
  }

  ExitCode obey(const BadCommand& bad) { return app::complain_about(bad, context_.console); }

  ExitCode obey(const SlashCommand& command) {
    using Name = SlashCommand::Name;
    switch (command.name) {
      case Name::help: return show_chat_help(conversation_.settings(), context_.console);
      case Name::tools: return show_tools();
      case Name::model: return show_or_change_model(command.argument);
      case Name::context: return show_context();
      case Name::compact: return compact(command.argument);
      case Name::undo: return undo(command.argument);
      case Name::diff: return show_changes(conversation_, store_, context_);
      case Name::review: return obey(ChatMessage{review_prompt(command.argument)});
      case Name::new_session:
      case Name::clear: return begin_anew(command.name);
      case Name::sessions: return choose_session(command.argument);
      case Name::editor: return write_in_editor(command.argument);
      case Name::cost:
      case Name::usage: return show_usage(conversation_.session_id(), store_, context_.console);
      case Name::fork: return fork();
      case Name::export_session:
        return export_session(conversation_.session_id(), store_, command.argument, context_);
      case Name::continue_session: return continue_session(command.argument);
      case Name::quit: break;
    }
    return ExitCode::ok;
  }

  ExitCode show_tools() {
    std::vector<HelpRow> rows;
    for (const Tool& tool : conversation_.agent().tools) {
      rows.push_back(row_of_tool(tool.spec.name, tool.spec.description));
    }
    app::show_tools(rows, context_.console);
    return ExitCode::ok;
  }

  ExitCode show_or_change_model(const std::string& id) {
    if (!id.empty()) {
      if (const auto changed = conversation_.use_model(id); !changed) return changed.error();
    }
    const Model& model = conversation_.agent().model;
    context_.console.print(
        fmt::format("  {}\n", on_one_line(model_label(model.provider(), model.name()))));
    return ExitCode::ok;
  }

  ExitCode show_context() {
    const auto context = conversation_.context();
    if (!context) return complain_about(context.error());
    context_.console.print(context_line(*context) + "\n");
    if (context->summarised_messages > 0) context_.console.print_foreign(context->summary + "\n");
    return ExitCode::ok;
  }

  ExitCode compact(const std::string& focus) {
    note("  Summing up…\n");
    const auto context = conversation_.compact(focus);
    if (!context) return complain_about(context.error());
    context_.console.print(context_line(*context) + "\n");
    return ExitCode::ok;
  }

  // Before it happens by itself.
  void warn_of_full_context() {
    if (!is_for_person_) return;
    const auto context = conversation_.context();
    if (!context || !context->window) return;
    const std::int64_t percent = 100 * context->tokens / *context->window;
    if (percent < kWorthSaying) return;
    std::string line = fmt::format("context {} % full", percent);
    if (percent >= kSoonFull) line += ": what is old is summed up soon; /compact does it now";
    note_dimly(line);
  }

  ExitCode begin_anew(SlashCommand::Name name) {
    if (const auto begun = conversation_.begin_anew(); !begun) return begun.error();
    told_next_.forget();
    if (name == SlashCommand::Name::clear) wipe_screen(context_.console);
    greet();
    return ExitCode::ok;
  }

  ExitCode write_in_editor(const std::string& text) {
    const auto written = text_from_editor(text, context_);
    if (!written) return complain_about(written.error());
    if (written->empty()) return ExitCode::ok;
    return obey(ChatMessage{*written});
  }

  ExitCode choose_session(const std::string& words) {
    const auto listed = sessions_of_folder(store_, conversation_.settings(), words);
    if (!listed) return complain_about(listed.error());
    if (editor_ && !listed->empty() && !context_.console.error().is_plain) {
      const auto picked = pick_session(*listed, {.input = STDIN_FILENO,
                                                 .output = STDERR_FILENO,
                                                 .screen = context_.console.error(),
                                                 .stop = interruption_.token()});
      return picked ? continue_session(std::to_string(*picked)) : ExitCode::ok;
    }
    context_.console.print(session_list(*listed, context_.console.output()));
    if (!is_for_person_ || listed->empty()) return ExitCode::ok;
    const auto number = read_line_("Go on with (its number, Enter: none)  ");
    if (!number || on_one_line(*number).empty()) return ExitCode::ok;
    return continue_session(on_one_line(*number));
  }

  ExitCode undo(const std::string& what) {
    const UndoChoice choice = what == kUndoFiles   ? UndoChoice::files
                              : what == kUndoWords ? UndoChoice::words
                                                   : UndoChoice::ask;
    const ReadLine ask = is_for_person_ ? read_line_ : ReadLine();
    const ExitCode files = undo_files(conversation_, store_, choice, ask, context_);
    if (files != ExitCode::ok) return files;
    const auto undone = conversation_.undo();
    if (!undone) return complain_about(undone.error());
    const SessionId now = conversation_.session_id();
    const std::string where = now == 0 ? "the next message begins a new session"
                                       : fmt::format("going on in session {}", now);
    note(fmt::format(
        "  Undone: {}\n  {}\n",
        shortened(on_one_line(as_typed(*undone)), columns_now(context_.console.error()) - 12),
        where));
    return ExitCode::ok;
  }

  ExitCode fork() {
    const SessionId before = conversation_.session_id();
    const auto forked = conversation_.fork();
    if (!forked) return complain_about(forked.error());
    note(fmt::format("  Going on in session {}, a copy of {}.\n", *forked, before));
    return ExitCode::ok;
  }

  ExitCode continue_session(const std::string& id) {
    const auto session = find_session(store_, id);
    if (!session) return complain_about(session.error());
    if (const auto done = conversation_.continue_with(*session, {}); !done) return done.error();
    greet();
    return resume_if_stopped();
  }

  ExitCode complain_about(const Error& error) {
    return app::complain_about(error, context_.console);
  }

  // --- what is shown -----------------------------------------------------------------------------

  void note(std::string_view text) const {
    if (command_.verbosity == Verbosity::normal) context_.console.note(text);
  }

  void note_dimly(std::string_view line) const {
    const Terminal& screen = context_.console.error();
    note(painted(fmt::format("  {} {}", mark("·", screen), line), Colour::dim, screen) + "\n");
  }

  void greet() {
    const Terminal& screen = context_.console.error();
    const Agent& agent = conversation_.agent();
    const std::string session = conversation_.session_id() == 0
                                    ? "new session"
                                    : fmt::format("session {}", conversation_.session_id());
    const std::string branch = branch_of(conversation_.settings());
    const std::string line = fmt::format(
        "{}  {}\n", painted(agent.name, Colour::bold, screen),
        painted(fmt::format("{}{} · {}",
                            place_of(agent, conversation_.settings(), context_.environment),
                            branch.empty() ? "" : fmt::format(" ({})", branch), session),
                Colour::dim, screen));
    note(screen.is_terminal ? fitted_lines(line, columns_now(screen)) : line);
    if (is_for_person_) {
      note(painted("  /help lists the commands, Ctrl-D ends the chat", Colour::dim, screen) + "\n");
      if (!has_told_of_planner_) remark_on_planner(agent, settings_, context_.console);
    }
    show_last_answer();
  }

  // So that a person knows where they were.
  void show_last_answer() {
    if (!is_for_person_ || conversation_.session_id() == 0) return;
    const auto session = store_.get_session(conversation_.session_id());
    if (!session || !session->result) return;
    note_dimly(shortened(on_one_line(*session->result), columns_now(context_.console.error()) - 5));
  }

  void say_goodbye() {
    if (conversation_.session_id() == 0) return;
    note(fmt::format("  Go on with:  wright chat --session {}{}\n", conversation_.session_id(),
                     conversation_.flags_to_resume()));
  }

  const ChatCommand& command_;
  const Settings& settings_;  // before any session has its say
  const bool has_told_of_planner_;
  Store& store_;
  CommandContext context_;
  Interruption& interruption_;
  Conversation conversation_;
  ChatHistory history_;
  bool has_complained_of_history_ = false;
  // Of the message that was read last.
  bool is_first_line_ = true;
  bool begins_pasted_ = false;
  bool has_unseen_ = false;
  ToldNext told_next_;
  const bool is_for_person_;
  std::optional<ChatEditor> editor_;
  std::optional<ChatSteering> steering_;
  ReadLine read_line_;
};

}  // namespace

ExitCode execute(const ChatCommand& command, CommandContext context) {
  const auto chat = settings_of_chat(command, context);
  if (!chat) return ExitCode::usage;
  const Settings* settings = &chat->settings;
  if (settings->store().is_server()) {
    return chat_at(*open_server(settings->store()), command, *settings, context);
  }
  Interruption interruption;  // before everything that starts threads
  // Who only asks for an old session does not want a new database.
  const bool is_old = command.which != ChatCommand::Which::fresh;
  auto store = is_old ? open_existing_store(*settings) : open_store(*settings);
  if (!store) return complain_about(store.error(), context.console);
  if (*store == nullptr) return complain_about(no_such_session("yet"), context.console);
  *store = answers_without_keys(std::move(*store), known_keys(*settings, context.environment));
  // Sessions of processes that were killed are free to be taken.
  if (const auto ended = end_dead_runners(**store); !ended) {
    return complain_about(ended.error(), context.console);
  }
  return Chat(command, *chat, **store, context, interruption).run();
}

}  // namespace wright::app
