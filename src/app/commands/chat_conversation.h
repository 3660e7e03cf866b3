// One conversation of a chat: an agent, and the stored session it goes on in. Shows every turn as
// it happens, and asks the person at the terminal what it waits for.
#pragma once

#include <atomic>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/commands/agent_run.h"
#include "app/commands/chat_servers.h"
#include "app/commands/commands.h"
#include "app/commands/run_display.h"
#include "app/terminal/interruption.h"
#include "wright/driver.h"

namespace wright::app {

struct ConversationOptions {
  Verbosity verbosity = Verbosity::normal;
  Streaming streaming = Streaming::automatic;
  Input input = Input::terminal;
  std::optional<bool> debug = {};  // absent: as the settings say
  Taking taking = Taking::as_begun;
};

class Conversation {
 public:
  // What is handed in outlives it.
  Conversation(ConversationOptions options, const Settings& settings, Store& store,
               CommandContext context, Interruption& interruption);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Both complain where they fail, and change nothing then. A session begins with its first
  // message.
  std::expected<void, ExitCode> begin(const std::string& agent_name);
  std::expected<void, ExitCode> continue_with(const Session& session,
                                              const std::optional<std::string>& agent_name);

  // A new session with the same agent, as it is now.
  std::expected<void, ExitCode> begin_anew() { return begin(std::string(agent_name_)); }

  // The agent's MCP servers.
  ChatServers& servers() { return servers_; }

  // Shows the turn and what became of it; the code is that of `wright run`.
  ExitCode say(const Message& said);
  // Whether the session has taken what was said last: where a hook or the store refuses it, not.
  bool was_said() const { return was_said_; }
  // Says something to the turn that runs, from any thread; see Steering.
  // Refused by hooks: ErrorCode::permission_denied.
  Result<Message> steer(const Message& said);
  // What the function gives back is held while a turn runs, and not while a person is asked.
  using Held = std::shared_ptr<void>;
  void while_it_works(std::function<Held()> hold) { hold_ = std::move(hold); }
  RunDisplay& display() { return display_; }

  // Goes on with a session that was interrupted or waits; there must be one.
  ExitCode resume();

  // The rest of the conversation with another model; the session remembers it.
  std::expected<void, ExitCode> use_model(const std::string& id);

  // In a copy of the session that ends before the user's last message, which is given back.
  Result<std::string> undo();
  // In a copy of the whole session.
  Result<SessionId> fork();

  // How full the model's window is; nothing before the first message.
  Result<SessionContext> context() const;
  // Sums up what came before the last turn.
  Result<SessionContext> compact(const std::string& focus);

  const Agent& agent() const { return agent_; }
  const Settings& settings() const { return *settings_; }
  SessionId session_id() const { return session_id_; }  // 0 before the first message
  // What the command line has to say so that the session goes on as it is now; empty: nothing.
  std::string flags_to_resume() const;

  // Whether somebody can be asked right now.
  bool has_person() const;

 private:
  using First = std::function<Result<RunResult>(const RunOptions&)>;

  // With the hooks that it has already; null: as they are now.
  std::expected<void, ExitCode> equip(const std::string& agent_name, SettingFlags said_now,
                                      const std::optional<Session>& session,
                                      std::shared_ptr<const FoundHooks> hooks = {});
  Result<void> keep_model();
  ExitCode drive(const First& first);
  ExitCode conclude(const Result<RunResult>& answer);
  ExitCode failed(const Error& error);
  ExitCode waiting(const RunResult& answer);
  RunOptions run_options();

  const ConversationOptions options_;
  const Settings& found_in_;  // before any session has its say
  SettingFlags flags_;        // of the command line, and what was said since
  Store& store_;
  CommandContext context_;
  Interruption& interruption_;
  std::string agent_name_;
  std::optional<Settings> settings_;
  Agent agent_;
  std::shared_ptr<const FoundHooks> hooks_;  // that were there when the session was taken up
  Json config_;                              // of a session that begins with the agent
  std::string model_;                        // its id
  std::vector<std::string> told_;            // what a person was told of it
  ChatServers servers_;
  std::optional<Session> session_;         // that was taken up
  std::atomic<SessionId> session_id_ = 0;  // read by those who steer, too
  std::string session_model_;              // that it goes on with unless a flag says otherwise
  RunDisplay display_;                     // of the turn
  Steering steering_;
  std::function<Held()> hold_;
  bool was_said_ = false;
};

// How full the window is, for a person, on a line of its own.
std::string context_line(const SessionContext& context);

}  // namespace wright::app
