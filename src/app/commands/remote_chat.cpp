// What a chat can do with a session that a server drives. The agent, its settings and its files are
// the server's; what is typed, the files that go along and the shell are the person's.
#include "app/commands/remote_chat.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <optional>
#include <utility>
#include <vector>

#include "app/commands/agent_run.h"
#include "app/commands/chat_clipboard.h"
#include "app/commands/chat_commands.h"
#include "app/commands/chat_files.h"
#include "app/commands/chat_lines.h"
#include "app/commands/chat_mentions.h"
#include "app/commands/chat_programs.h"
#include "app/commands/chat_sessions.h"
#include "app/commands/chat_status.h"
#include "app/commands/help.h"
#include "app/settings/paths.h"
#include "app/terminal/chat_editor.h"
#include "app/terminal/chat_history.h"
#include "app/terminal/chat_input.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/terminal/typed_ahead.h"
#include "app/wiring/bash_settings.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/project_files.h"
#include "app/wiring/remote_store.h"
#include "app/wiring/shipped.h"
#include "app/wiring/stored_session.h"
#include "core/percent.h"
#include "core/try.h"
#include "core/user_message.h"

namespace wright::app {
namespace {

constexpr std::size_t kMostListedSessions = 15;

std::string member(const Json& json, std::string_view name) {
  const JsonObject* object = json.if_object();
  const Json* value = object == nullptr ? nullptr : object->if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

class RemoteChat {
 public:
  RemoteChat(RemoteApi& api, const ChatCommand& command, const Settings& settings,
             CommandContext context)
      : api_(api),
        store_(remote_store(std::shared_ptr<RemoteApi>(&api, [](RemoteApi*) {}))),
        command_(command),
        settings_(settings),
        context_(context),
        keys_(known_keys(settings, context.environment)),
        history_(default_history_file(context.environment)),
        is_for_person_(standard_input_is_terminal() && context.console.error().is_terminal) {}

  ExitCode run() {
    if (auto opened = open(); !opened) return complain_about(opened.error());
    open_input();
    greet();
    ExitCode code = resume_if_stopped();
    if (code == ExitCode::ok || is_for_person_) code = talk();
    if (session_ != 0) note(fmt::format("  Go on with: wright chat --session {}\n", session_));
    return code;
  }

 private:
  Result<void> open() {
    agent_ =
        command_.agent ? canonical_agent_name(*command_.agent) : std::string("codebase-analysis");
    if (command_.which == ChatCommand::Which::fresh) return {};
    return continue_with(command_.which == ChatCommand::Which::named ? command_.session : "last");
  }

  Result<void> continue_with(const std::string& text) {
    const SessionId id = TRY(session_id_from(text, store_.get()));
    const Session session = TRY(root_session(*store_, id));
    session_ = session.id;
    agent_ = session.agent_name;
    return {};
  }

  void greet() {
    note(fmt::format("  {} at {}{}; /quit or Ctrl-D ends the chat.\n", on_one_line(agent_),
                     api_.url(), session_ == 0 ? "" : fmt::format(", session {}", session_)));
  }

  // What waits for a person is answered first, and what was stopped goes on.
  ExitCode resume_if_stopped() {
    if (session_ == 0) return ExitCode::ok;
    const auto session = store_->get_session(session_);
    if (!session) return complain_about(session.error());
    if (session->status != SessionStatus::waiting) return ExitCode::ok;
    return with_run([&](AgentRun& run) { return run.resume_at(api_, session_, {}); });
  }

  ExitCode talk() {
    while (true) {
      const auto line = read_message(read_line_);
      if (!line && line.error() == NoLine::interrupted) continue;
      if (!line) return ExitCode::ok;
      if (on_one_line(*line).empty()) continue;
      const ChatLine meant = meaning_of(*line);
      remember(*line);
      if (meant == ChatLine(SlashCommand{SlashCommand::Name::quit, ""})) return ExitCode::ok;
      const ExitCode code = std::visit([this](const auto& what) { return obey(what); }, meant);
      if (code == ExitCode::interrupted && !editor_) return code;
      // A script that goes on after a failure would talk about something else.
      if (code != ExitCode::ok && !is_for_person_) return code;
    }
  }

  // --- what was typed ----------------------------------------------------------------------------

  void open_input() {
    const auto never = [] { return std::stop_token(); };
    if (!is_for_person_) {
      read_line_ = lines_of_pipe(STDIN_FILENO, never);
      return;
    }
    const PersonTerminal where{
        .input = STDIN_FILENO, .output = STDERR_FILENO, .screen = context_.console.error()};
    read_line_ = lines_of_plain_terminal(where, never);
    if (!where.screen.gives_keys) return;
    const auto entries = history_.load();
    if (!entries) context_.console.complain(entries.error().message);
    editor_.emplace(
        where, entries ? *entries : std::vector<std::string>(), [this](std::string_view typed) {
          auto words = commands_beginning_with(typed);
          return words.empty() ? mentions_beginning_with(typed, settings_.base_path()) : words;
        });
    editor_->paste_images_by([this] {
      return image_from_clipboard(context_.environment, settings_.temporary_folder());
    });
    read_line_ = [this](std::string_view prompt) { return editor_->next_line(prompt, {}); };
  }

  void remember(const std::string& line) {
    if (!editor_) return;
    editor_->remember(line);
    if (const auto kept = history_.add(line); !kept) {
      context_.console.complain(kept.error().message);
    }
  }

  ChatLine meaning_of(const std::string& line) {
    const bool is_pasted = editor_ && editor_->begins_pasted();
    if (is_pasted && (line.starts_with('!') || line.starts_with('/'))) {
      note("  Pasted, so it goes to the agent as a message: commands are typed.\n");
      return ChatMessage{line};
    }
    ChatLine meant = read_chat_line(line);
    if (std::holds_alternative<ShellLine>(meant)) {
      // What comes from a pipe may be anybody's words: it starts no programs.
      if (!is_for_person_) return ChatMessage{line};
      if (editor_ && editor_->has_unseen()) {
        return BadCommand{"a part of it was not on the screen, so it does not run"};
      }
    }
    if (std::holds_alternative<SlashCommand>(meant)) return meant;
    if (auto message = message_of_command(line, settings_)) return *std::move(message);
    return meant;
  }

  // Files behind @ are those of this machine: they go along with the message.
  Message message_of(const ChatMessage& message) {
    const Mentions mentions =
        with_mentions(message.text, settings_.base_path(), context_.environment,
                      {.typed = message.typed,
                       .unreadable = guarded_files(settings_).unreadable,
                       .takes_pasted_images = is_for_person_});
    for (const std::string& problem : mentions.problems) context_.console.remark(problem);
    for (const std::string& each : mentions.notes) {
      note(fmt::format("  with {}\n", on_one_line(each)));
    }
    return user_message(mentions.text, mentions.images);
  }

  // --- what it means -----------------------------------------------------------------------------

  ExitCode obey(const ChatMessage& message) {
    const Message said = told_next_.before(message_of(message));
    return with_run([&](AgentRun& run) {
      const ExitCode code =
          session_ == 0 ? run.begin_at(api_, agent_, said, {}) : run.say_at(api_, session_, said);
      // Where it was not taken, the next one tells it.
      if (run.session_id() != 0) told_next_.forget();
      return code;
    });
  }

  ExitCode obey(const ShellLine& shell) { return told_next_.run(shell, settings_, context_, {}); }

  ExitCode obey(const BadCommand& bad) { return app::complain_about(bad, context_.console); }

  ExitCode obey(const SlashCommand& command) {
    using Name = SlashCommand::Name;
    switch (command.name) {
      case Name::help: return show_help();
      case Name::tools:
      case Name::model: return show_agent(command);
      case Name::review: return obey(ChatMessage{review_prompt(command.argument)});
      case Name::new_session:
      case Name::clear: return begin_anew(command.name);
      case Name::sessions: return choose_session(command.argument);
      case Name::editor: return write_in_editor(command.argument);
      case Name::cost:
      case Name::usage: return show_usage(session_, *store_, context_.console);
      case Name::fork: return fork();
      case Name::export_session:
        return export_session(session_, *store_, command.argument, context_);
      case Name::continue_session: return go_on_with(command.argument);
      case Name::undo: return undo(command.argument);
      case Name::diff:
        return refuse(
            "the files that it changed are the server's: `wright sessions show` tells "
            "what its calls did");
      case Name::context:
      case Name::compact:
        return refuse("the server fits the conversation into the model's window by itself");
      case Name::quit: break;
    }
    return ExitCode::ok;
  }

  ExitCode refuse(std::string_view why) {
    context_.console.complain(fmt::format("not through a server: {}", why));
    return ExitCode::usage;
  }

  ExitCode show_help() {
    show_chat_help(settings_, context_.console);
    note(
        "  Through a server there is no /diff, /context and /compact, /model only tells, and "
        "/undo\n"
        "  takes back words, not files. @path is a file of this machine.\n");
    return ExitCode::ok;
  }

  ExitCode show_agent(const SlashCommand& command) {
    if (!command.argument.empty()) {
      return refuse("which model an agent has is for the server to say");
    }
    const auto agent = api_.get("/api/v1/agents/" + percent_encoded(agent_));
    if (!agent) return complain_about(agent.error());
    if (command.name == SlashCommand::Name::model) {
      context_.console.print(fmt::format(
          "  {}\n", on_one_line(member(*agent, "provider") + ":" + member(*agent, "model"))));
      return ExitCode::ok;
    }
    std::vector<HelpRow> rows;
    const JsonObject* facts = agent->if_object();
    const Json* tools = facts == nullptr ? nullptr : facts->if_contains("tools");
    const JsonArray* list = tools == nullptr ? nullptr : tools->if_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      rows.push_back(row_of_tool(member((*list)[i], "name"), member((*list)[i], "description")));
    }
    show_tools(rows, context_.console);
    return ExitCode::ok;
  }

  ExitCode begin_anew(SlashCommand::Name name) {
    session_ = 0;
    told_next_.forget();
    if (name == SlashCommand::Name::clear) wipe_screen(context_.console);
    greet();
    return ExitCode::ok;
  }

  ExitCode choose_session(const std::string& words) {
    const auto listed = store_->list_sessions(
        {.text = words, .is_root = true, .limit = kMostListedSessions, .keeps_damaged = true});
    if (!listed) return complain_about(listed.error());
    if (editor_ && !listed->empty() && !context_.console.error().is_plain) {
      const auto picked = pick_session(
          *listed,
          {.input = STDIN_FILENO, .output = STDERR_FILENO, .screen = context_.console.error()});
      return picked ? go_on_with(std::to_string(*picked)) : ExitCode::ok;
    }
    context_.console.print(session_list(*listed, context_.console.output()));
    return ExitCode::ok;
  }

  ExitCode go_on_with(const std::string& id) {
    if (const auto found = continue_with(id); !found) return complain_about(found.error());
    greet();
    return resume_if_stopped();
  }

  ExitCode write_in_editor(const std::string& text) {
    const auto written = text_from_editor(text, context_);
    if (!written) return complain_about(written.error());
    return written->empty() ? ExitCode::ok : obey(ChatMessage{*written});
  }

  ExitCode fork() {
    if (session_ == 0) return refuse_before_words();
    const auto forked = api_.post(fmt::format("/api/v1/sessions/{}/fork", session_), JsonObject());
    if (!forked) return complain_about(forked.error());
    const SessionId before = std::exchange(session_, forked->at("id").to_number<SessionId>());
    note(fmt::format("  Going on in session {}, a copy of {}.\n", session_, before));
    return ExitCode::ok;
  }

  ExitCode undo(const std::string& what) {
    if (what != kUndoWords) {
      return refuse("its files are the server's; `/undo words` takes back the words alone");
    }
    if (session_ == 0) return refuse_before_words();
    const auto cut = before_last_message(*store_, session_);
    if (!cut) return complain_about(cut.error());
    session_ = cut->id;
    note(fmt::format("  Undone: {}\n  {}\n", on_one_line(as_typed(cut->said)),
                     session_ == 0 ? "the next message begins a new session"
                                   : fmt::format("going on in session {}", session_)));
    return ExitCode::ok;
  }

  ExitCode refuse_before_words() {
    return complain_about({ErrorCode::unavailable, "nothing has been said yet", {}});
  }

  // --- a turn ------------------------------------------------------------------------------------

  template <class Turn>
  ExitCode with_run(const Turn& turn) {
    AgentRun run({.verbosity = command_.verbosity,
                  .streaming = command_.streaming,
                  .input = command_.input,
                  .debug = command_.debug},
                 settings_, context_);
    if (editor_) {
      run.while_it_works([this, &run](SessionId id) { return typed_ahead(run, id); });
    }
    const ExitCode code = turn(run);
    if (run.session_id() != 0) session_ = run.session_id();
    return code;
  }

  // Lines that are typed while an answer comes are said to the turn that runs.
  std::shared_ptr<void> typed_ahead(AgentRun& run, SessionId id) {
    const Terminal& screen = context_.console.error();
    return std::make_shared<TypedAhead>(
        STDIN_FILENO, editor_->typed(),
        TypedAhead::Told{
            .changed =
                [&run, &screen](const LineEditor& line) {
                  run.display().show_typed(line.visible(screen.columns / 2).text);
                },
            .entered =
                [this, &run, &screen, id](const std::string& line) {
                  if (line.starts_with('/') || line.starts_with('!')) return false;
                  const Message message = without_keys(Message::user(line), keys_);
                  const auto said = api_.post(fmt::format("/api/v1/sessions/{}/messages", id),
                                              {{"text", message.text()}, {"steer", true}});
                  if (!said) return false;  // it has just ended: the line is the next message
                  run.display().say(
                      painted("  ⋯ queued: " + shortened(on_one_line(line), screen.columns / 2),
                              Colour::dim, screen));
                  return true;
                }});
  }

  ExitCode complain_about(const Error& error) {
    return app::complain_about(error, context_.console);
  }

  void note(const std::string& text) {
    if (command_.verbosity == Verbosity::normal) context_.console.note(text);
  }

  RemoteApi& api_;
  const std::unique_ptr<Store> store_;
  const ChatCommand& command_;
  const Settings& settings_;
  CommandContext context_;
  const std::vector<std::string> keys_;
  ChatHistory history_;
  const bool is_for_person_;
  std::optional<ChatEditor> editor_;
  ReadLine read_line_;
  std::string agent_;
  ToldNext told_next_;
  SessionId session_ = 0;
};

}  // namespace

ExitCode chat_at(RemoteApi& api, const ChatCommand& command, const Settings& settings,
                 CommandContext context) {
  return RemoteChat(api, command, settings, context).run();
}

}  // namespace wright::app
