// One session of an editor: an agent in the folder that the editor named, and the stored session it
// goes on in. A prompt that comes while another runs is said to that one (acp_turns.h).
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "acp/updates.h"
#include "app/commands/acp_buffers.h"
#include "app/commands/acp_mode.h"
#include "app/commands/acp_peer.h"
#include "app/commands/acp_terminals.h"
#include "app/commands/acp_turns.h"
#include "app/commands/commands.h"
#include "app/settings/mcp_servers.h"
#include "tools/undo/undo.h"
#include "wright/driver.h"

namespace wright::app {

struct FoundHooks;

// What the editor can do for us.
struct EditorAbilities {
  bool asks_in_forms = false;  // elicitation
  bool has_terminals = false;
  EditorFiles files = {};
};

struct AcpEnvironment {
  AcpPeer& peer;
  Store& store;
  CommandContext context;
  SettingFlags flags;      // of the command line
  std::string agent;       // its name
  EditorAbilities editor;  // known from initialize on
  std::stop_token stop;    // the editor has gone: nothing is waited for any more
};

// What the editor says of a session that it opens.
struct AcpOpening {
  std::string id = {};
  std::filesystem::path folder = {};
  std::vector<McpServer> servers = {};
  TraceContext trace = {};  // of prompts that have none
};

class AcpSession {
 public:
  // What is referred to outlives it.
  AcpSession(AcpEnvironment& environment, AcpOpening opening)
      : environment_(environment),
        id_(std::move(opening.id)),
        folder_(std::move(opening.folder)),
        servers_(std::move(opening.servers)),
        trace_(std::move(opening.trace)) {}

  // Makes the agent. With a stored session, as that began.
  Result<void> open(std::optional<Session> stored);

  const std::string& id() const { return id_; }
  // {"modes", "configOptions"} for the answer to the request that opened it.
  JsonObject state() const;
  void tell_commands();
  // Every message of the stored session, as updates.
  Result<void> replay();

  Result<void> use_mode(const std::string& mode);
  Result<void> use_option(const std::string& option, const std::string& value);

  // A prompt that has come, in the order of which they run; it can be cancelled from now on.
  using Turn = AcpTurns::Turn;
  Turn add_prompt(AcpTurns::Answer answer) { return turns_.add(std::move(answer)); }
  // Blocks while it runs. It is answered here, or by the prompt that it was said to.
  void prompt(const acp::Prompt& said, const Turn& turn, const TraceContext& trace);
  // Says it to what runs, which stays whose it is. False: nothing runs.
  Result<bool> steer(const acp::Prompt& said);
  void cancel() { turns_.cancel_all(); }

 private:
  Result<void> equip();
  // At once, or before the next prompt where one runs: whoever reads must not wait for it.
  Result<void> equip_soon();
  SettingFlags flags_now() const;
  std::shared_ptr<const Settings> settings() const;
  std::shared_ptr<const FoundHooks> with_secrets_of_servers(FoundHooks hooks) const;
  void connect_servers();
  void add_server_tools();
  AcpTerminals terminals();
  // Tells the editor when what runs is not what the model asked for.
  void watch_arguments(Agent& agent);
  Result<void> store_mode(std::string_view mode);
  void keep_mode();

  void update(const JsonObject& update);
  void say(const std::vector<Part>& parts);
  void observe(const Event& event);
  void begin_call(const ToolCall& call);
  void end_call(const ToolCall& call, const ToolOutcome& outcome);
  void show_terminal(const std::string& call, const std::string& terminal);
  std::optional<std::string> text_at(const std::string& path) const;
  void tell_usage();
  JsonArray config_options() const;

  static bool is_own_command(const acp::Prompt& said);
  std::string done_by_command(const std::string& text, const std::stop_token& stop);
  // Of the last turn, in files and in the conversation; the person is asked about files first.
  Result<std::string> undo(const std::stop_token& stop);
  bool agrees_to(const tools::UndoPlan& plan, const std::stop_token& stop);
  Result<void> cut_last_turn();
  Result<Message> message_of(const acp::Prompt& said, const std::stop_token& stop);
  // Errors are what the editor is told.
  Result<JsonObject> perform(const acp::Prompt& said, const std::optional<Message>& message,
                             const TraceContext& trace);
  Result<JsonObject> run_prompt(const Message& message, const TraceContext& trace);
  RunOptions run_options(const TraceContext& trace);
  Result<RunResult> run(const Message& message, const RunOptions& options);
  Result<void> settle_old();
  // Whether everything was answered; not when the editor cancelled.
  Result<bool> answer_waits(const RunResult& result, const std::stop_token& stop);
  Result<void> keep_answer(const PersonWait& wait, const Json& answer);
  TraceContext trace_of(std::string_view call) const;
  void end_turn(const Result<JsonObject>& result);

  AcpEnvironment& environment_;
  const std::string id_;
  const std::filesystem::path folder_;
  const std::vector<McpServer> servers_;
  const TraceContext trace_;
  std::vector<Tool> server_tools_;  // of servers_
  std::optional<std::string> model_;
  std::shared_ptr<const Settings> settings_;
  std::string base_;  // absolute
  Agent agent_;
  std::shared_ptr<const FoundHooks> hooks_;  // that were there when it was opened
  Json config_;
  std::string model_now_;
  std::vector<std::string> fallback_;
  std::optional<Session> began_;
  std::atomic<SessionId> stored_ = 0;

  std::mutex mode_mutex_;
  AcpMode mode_;
  std::string_view began_with_mode_ = kCodeMode;  // the prompt that runs

  AcpTurns turns_;
  Steering steering_;
  std::mutex turn_;  // held while a prompt runs
  mutable std::mutex mutex_;
  bool is_to_be_equipped_ = false;
  // Of the turn; the observer hears one event at a time.
  std::set<std::string> calls_;
  std::set<std::string> in_terminals_;
  std::map<std::string, std::vector<acp::ChangedText>> changing_;
  FindTrace find_trace_;
  bool has_streamed_ = false;
  int undone_ = 0;
};

}  // namespace wright::app
