#include "app/commands/remote_chat.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/agent_run.h"
#include "app/terminal/chat_input.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/wiring/remote_store.h"
#include "app/wiring/shipped.h"
#include "app/wiring/stored_session.h"
#include "core/try.h"

namespace wright::app {
namespace {

class RemoteChat {
 public:
  RemoteChat(RemoteApi& api, const ChatCommand& command, const Settings& settings,
             CommandContext context)
      : api_(api),
        command_(command),
        settings_(settings),
        context_(context),
        is_for_person_(standard_input_is_terminal() && context.console.error().is_terminal) {}

  ExitCode run() {
    if (auto opened = open(); !opened) return complain_about(opened.error(), context_.console);
    note(fmt::format("  {} at {}; /quit or Ctrl-D ends the chat.\n", on_one_line(agent_),
                     api_.url()));
    const ReadLine read_line = lines();
    ExitCode code = ExitCode::ok;
    while (true) {
      const auto line = read_message(read_line);
      if (!line) break;
      if (on_one_line(*line).empty()) continue;
      if (*line == "/quit") break;
      if (line->starts_with('/')) {
        context_.console.complain("with --server, a chat knows no command but /quit");
        code = ExitCode::usage;
      } else {
        code = say(*line);
      }
      if (code == ExitCode::interrupted) return code;
      // A script that goes on after a failure would talk about something else.
      if (code != ExitCode::ok && !is_for_person_) return code;
    }
    if (session_ != 0) note(fmt::format("  Go on with: wright chat --session {}\n", session_));
    return code;
  }

 private:
  Result<void> open() {
    agent_ =
        command_.agent ? canonical_agent_name(*command_.agent) : std::string("codebase-analysis");
    if (command_.which == ChatCommand::Which::fresh) return {};
    const auto store = remote_store(std::shared_ptr<RemoteApi>(&api_, [](RemoteApi*) {}));
    session_ = TRY(session_id_from(
        command_.which == ChatCommand::Which::named ? command_.session : "last", store.get()));
    const Session session = TRY(store->get_session(session_));
    agent_ = session.agent_name;
    return {};
  }

  ReadLine lines() {
    const auto never = [] { return std::stop_token(); };
    if (!is_for_person_) return lines_of_pipe(STDIN_FILENO, never);
    return lines_of_plain_terminal(
        {.input = STDIN_FILENO, .output = STDERR_FILENO, .screen = context_.console.error()},
        never);
  }

  ExitCode say(const std::string& text) {
    const Message message = Message::user(text);
    AgentRun run({.verbosity = command_.verbosity,
                  .streaming = command_.streaming,
                  .input = command_.input,
                  .debug = command_.debug},
                 settings_, context_);
    const ExitCode code = session_ == 0 ? run.begin_at(api_, agent_, message, {})
                                        : run.say_at(api_, session_, message);
    if (run.session_id() != 0) session_ = run.session_id();
    return code;
  }

  void note(const std::string& text) {
    if (command_.verbosity == Verbosity::normal) context_.console.note(text);
  }

  RemoteApi& api_;
  const ChatCommand& command_;
  const Settings& settings_;
  CommandContext context_;
  const bool is_for_person_;
  std::string agent_;
  SessionId session_ = 0;
};

}  // namespace

ExitCode chat_at(RemoteApi& api, const ChatCommand& command, const Settings& settings,
                 CommandContext context) {
  return RemoteChat(api, command, settings, context).run();
}

}  // namespace wright::app
