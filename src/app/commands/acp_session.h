// One session of an editor: an agent in the folder that the editor named, and the stored session it
// goes on in. Prompts run one after the other; a new one cancels what is under way.
#pragma once

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
#include "app/commands/commands.h"
#include "app/settings/mcp_servers.h"
#include "wright/driver.h"

namespace wright::app {

struct FoundHooks;

// What the editor can do for us.
struct EditorAbilities {
  bool asks_in_forms = false;  // elicitation
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

class AcpSession {
 public:
  // What is referred to outlives it.
  AcpSession(AcpEnvironment& environment, std::string id, std::filesystem::path folder,
             std::vector<McpServer> servers)
      : environment_(environment),
        id_(std::move(id)),
        folder_(std::move(folder)),
        servers_(std::move(servers)) {}

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

  // A prompt that has come: it cancels those before it, and can be cancelled from now on.
  using Turn = std::shared_ptr<std::stop_source>;
  Turn begin_turn();
  // Blocks; the answer to session/prompt. Errors are what the editor is told.
  Result<JsonObject> prompt(const acp::Prompt& said, const Turn& turn);
  void end_turn(const Turn& turn);
  void cancel();

 private:
  Result<void> equip();
  // At once, or before the next prompt where one runs: whoever reads must not wait for it.
  Result<void> equip_soon();
  SettingFlags flags_now() const;
  void add_servers();
  // Tells the editor when what runs is not what the model asked for.
  void watch_arguments(Agent& agent);
  void update(const JsonObject& update);
  void say(const std::vector<Part>& parts);
  void observe(const Event& event);
  void begin_call(const ToolCall& call);
  void end_call(const ToolCall& call, const ToolOutcome& outcome);
  std::optional<std::string> text_at(const std::string& path) const;
  Result<RunResult> run(const Message& message, const RunOptions& options);
  Result<void> settle_old();
  // Whether everything was answered; not when the editor cancelled.
  Result<bool> answer_waits(const RunResult& result, const std::stop_token& stop);
  std::optional<std::string> done_by_command(const std::string& text);
  void tell_usage();
  JsonArray config_options() const;

  AcpEnvironment& environment_;
  const std::string id_;
  const std::filesystem::path folder_;
  const std::vector<McpServer> servers_;
  AcpMode mode_;
  std::optional<std::string> model_;
  std::optional<Settings> settings_;
  std::string base_;  // absolute
  Agent agent_;
  std::shared_ptr<const FoundHooks> hooks_;  // that were there when it was opened
  Json config_;
  std::string model_now_;
  std::vector<std::string> fallback_;
  std::optional<Session> began_;
  SessionId stored_ = 0;

  std::mutex turn_;  // held while a prompt runs
  mutable std::mutex mutex_;
  bool is_to_be_equipped_ = false;
  std::set<Turn> running_;
  // Of the turn; the observer hears one event at a time.
  std::set<std::string> calls_;
  std::map<std::string, std::vector<acp::ChangedText>> changing_;
  bool has_streamed_ = false;
};

}  // namespace wright::app
