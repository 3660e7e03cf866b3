// What a person typed, as plain values: one struct a command.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "app/terminal/exit_code.h"
#include "wright/replay.h"

namespace wright::app {

enum class OutputFormat : std::uint8_t {
  text,
  json,
  events,  // every event as a line of JSON
  none,
};
enum class ExportFormat : std::uint8_t { json, markdown, cassette };
enum class Verbosity : std::uint8_t { normal, quiet };
enum class Confirmation : std::uint8_t { ask, given };

enum class Streaming : std::uint8_t { automatic, on, off };  // automatic: on a terminal
enum class Reach : std::uint8_t { machine, network };
// Whether questions may be asked.
enum class Input : std::uint8_t {
  terminal,  // at the terminal, where there is one; else the run waits
  none,      // of nobody: tools are told so at once
};

// With which agent and settings a stored session goes on.
enum class Taking : std::uint8_t {
  as_begun,  // those it began with
  as_now,    // what the agent and the settings are now
};

struct RunCommand {
  SettingFlags settings;
  std::string agent;
  std::optional<std::string> prompt;  // absent or "-": from standard input
  std::vector<std::string> images;    // paths: images and files that go along
  std::optional<std::string> schema;  // of the answer: a file, or JSON
  OutputFormat output = OutputFormat::text;
  Verbosity verbosity = Verbosity::normal;
  Streaming streaming = Streaming::automatic;
  Input input = Input::terminal;
  std::optional<bool> debug;  // absent: as the settings say
  std::string tenant;
  // Only put into the queue, for a worker.
  struct Queueing {
    bool is_wanted = false;
    int priority = 0;
    std::chrono::milliseconds delay{0};
    std::vector<std::string> labels;  // that its worker must have
  };
  Queueing queueing = {};
};

// Drives sessions of the queue.
struct WorkerCommand {
  enum class Lasting : std::uint8_t { until_signal, until_idle };
  SettingFlags settings;
  std::vector<std::string> agents;  // none: any
  std::vector<std::string> labels;  // that sessions may ask for
  int concurrency = 8;
  std::vector<std::string> listen;  // for probes and metrics; none: nowhere
  std::vector<std::string> hosts;   // further names that it is reached by
  std::chrono::milliseconds lease{10'000};
  std::chrono::milliseconds poll{1'000};
  std::chrono::milliseconds grace{30'000};
  Lasting lasting = Lasting::until_signal;
  Verbosity verbosity = Verbosity::normal;
};

// Copies all sessions from one store to another.
struct MigrateCommand {
  SettingFlags settings;
  std::string from;
  std::string to;
  OutputFormat output = OutputFormat::text;
};

struct ChatCommand {
  enum class Which : std::uint8_t { fresh, last, named };
  SettingFlags settings;
  std::optional<std::string> agent;
  std::string usual_agent =
      "codebase-analysis";  // where none is named and no file has a primary one
  Which which = Which::fresh;
  std::string session;  // Which::named: its number
  Taking taking = Taking::as_begun;
  Verbosity verbosity = Verbosity::normal;
  Streaming streaming = Streaming::automatic;
  Input input = Input::terminal;
  std::optional<bool> debug;  // absent: as the settings say
};

struct ResumeCommand {
  enum class Which : std::uint8_t { one, all };
  SettingFlags settings;
  std::string id;
  Which which = Which::one;
  std::vector<std::string> settle;  // CALL=done|failed|retry
  Taking taking = Taking::as_begun;
  OutputFormat output = OutputFormat::text;
  Verbosity verbosity = Verbosity::normal;
  Streaming streaming = Streaming::automatic;
  Input input = Input::terminal;
  std::optional<bool> debug;  // absent: as the settings say
};
struct AnswerCommand {
  SettingFlags settings;
  std::string id;
  std::vector<std::int64_t> waits;     // those that are meant; none: the only one
  std::vector<std::string> set;        // ID=VALUE
  std::optional<std::string> approve;  // once or session
  std::optional<std::string> refuse;   // the reason
  std::optional<std::string> answer;   // JSON
  OutputFormat output = OutputFormat::text;
};
struct WaitsCommand {
  SettingFlags settings;
  std::optional<std::string> tenant;
  OutputFormat output = OutputFormat::text;
};

struct ListSessionsCommand {
  SettingFlags settings;
  std::optional<std::string> agent;
  std::optional<std::string> status;
  std::optional<std::string> tenant;
  std::optional<std::string> since;
  std::string search;
  std::size_t limit = 20;
  OutputFormat output = OutputFormat::text;
};
struct ShowSessionCommand {
  SettingFlags settings;
  std::string id;
  OutputFormat output = OutputFormat::text;
};
struct ExportSessionCommand {
  SettingFlags settings;
  std::string id;
  ExportFormat format = ExportFormat::json;
  std::optional<std::string> file;  // absent: standard output
};
struct ForkSessionCommand {
  SettingFlags settings;
  std::string id;
  std::optional<std::int64_t> at;  // the number of a message; absent: the last one
  OutputFormat output = OutputFormat::text;
};
struct CancelSessionsCommand {
  SettingFlags settings;
  std::vector<std::string> ids;
  std::optional<std::string> reason;
  OutputFormat output = OutputFormat::text;
};
struct RemoveSessionsCommand {
  SettingFlags settings;
  std::vector<std::string> ids;
  Confirmation confirmation = Confirmation::ask;
  OutputFormat output = OutputFormat::text;
};
enum class Deletion : std::uint8_t { real, rehearsed };
struct PruneSessionsCommand {
  SettingFlags settings;
  std::string older_than;  // as moment_from() reads it
  Deletion deletion = Deletion::real;
  OutputFormat output = OutputFormat::text;
};

// What many sessions say about the tools, and what they took.
struct FeedbackCommand {
  SettingFlags settings;
  std::optional<std::string> agent;
  std::optional<std::string> tenant;
  std::optional<std::string> since;
  OutputFormat output = OutputFormat::text;
};
struct StatsCommand {
  SettingFlags settings;
  std::optional<std::string> agent;
  std::optional<std::string> tenant;
  std::optional<std::string> since;
  OutputFormat output = OutputFormat::text;
};

struct ReplayCommand {
  SettingFlags settings;
  std::string id;
  ToolSource tools = ToolSource::record;
  OutputFormat output = OutputFormat::text;
};

enum class Rewriting : std::uint8_t { never, when_different };
struct TestCommand {
  SettingFlags settings;
  std::vector<std::string> files;
  ToolSource tools = ToolSource::record;
  Rewriting rewriting = Rewriting::never;
  OutputFormat output = OutputFormat::text;

  // What is rewritten must be known to its end.
  AfterDifference after_difference() const {
    return rewriting == Rewriting::never ? AfterDifference::stop : AfterDifference::proceed;
  }
};

struct ListAgentsCommand {
  SettingFlags settings;
  OutputFormat output = OutputFormat::text;
};

struct ShowAgentCommand {
  SettingFlags settings;
  std::string name;
  OutputFormat output = OutputFormat::text;
};
enum class AgentPlace : std::uint8_t { user, project };
struct NewAgentCommand {
  SettingFlags settings;
  std::string name;
  AgentPlace place = AgentPlace::user;
};
struct TrustAgentCommand {
  SettingFlags settings;
  std::string name;
};

struct ListToolsCommand {
  SettingFlags settings;
  OutputFormat output = OutputFormat::text;
};
struct ShowToolCommand {
  SettingFlags settings;
  std::string name;
};
struct CallToolCommand {
  SettingFlags settings;
  std::string name;
  std::string arguments = "{}";  // "-": from standard input
  OutputFormat output = OutputFormat::text;
};

struct ListMcpCommand {
  SettingFlags settings;
  OutputFormat output = OutputFormat::text;
};
enum class OfferedSessions : std::uint8_t { none, all };
struct OfferedOverMcp {
  std::optional<std::string> tools;   // patterns; absent: those that only read
  std::optional<std::string> agents;  // names; absent: all that can run
  OfferedSessions sessions = OfferedSessions::none;
  bool operator==(const OfferedOverMcp&) const = default;
};
struct ServeMcpCommand {
  SettingFlags settings;
  OfferedOverMcp offered;
};
struct TestMcpCommand {
  SettingFlags settings;
  std::string name;
  OutputFormat output = OutputFormat::text;
};
struct AddMcpCommand {
  SettingFlags settings;
  std::string name;
  std::vector<std::string> target;     // a program and its arguments, or an address
  std::vector<std::string> variables;  // NAME=VALUE
  std::vector<std::string> headers;    // NAME=VALUE
};
enum class UseBrowser : std::uint8_t { no, yes };
struct LoginMcpCommand {
  SettingFlags settings;
  std::string name;
  UseBrowser browser = UseBrowser::yes;
};
struct LogoutMcpCommand {
  SettingFlags settings;
  std::string name;
};
struct RemoveMcpCommand {
  SettingFlags settings;
  std::string name;
};

struct ShowConfigCommand {
  SettingFlags settings;
  OutputFormat output = OutputFormat::text;
};
struct ConfigPathCommand {
  SettingFlags settings;
};
struct InitConfigCommand {
  SettingFlags settings;
};

struct ListModelsCommand {
  enum class What : std::uint8_t { rows, differences };  // from what the vendor lists
  SettingFlags settings;
  std::optional<std::string> vendor;
  What what = What::rows;
  OutputFormat output = OutputFormat::text;
};

// Many prompts at once.
struct ListBatchesCommand {
  SettingFlags settings;
  std::optional<std::string> vendor;
  OutputFormat output = OutputFormat::text;
};
struct SubmitBatchCommand {
  SettingFlags settings;
  std::string file;  // "-": standard input
  OutputFormat output = OutputFormat::text;
};
struct ShowBatchCommand {
  SettingFlags settings;
  std::string id;
  OutputFormat output = OutputFormat::text;
};
struct CancelBatchCommand {
  SettingFlags settings;
  std::string id;
  OutputFormat output = OutputFormat::text;
};
struct BatchResultsCommand {
  SettingFlags settings;
  std::string id;
};

struct DoctorCommand {
  SettingFlags settings;
  Reach reach = Reach::machine;
  OutputFormat output = OutputFormat::text;
};

// The server, and who may use it.
struct ServeCommand {
  SettingFlags settings;
  std::vector<std::string> listen;  // none: kDefaultListen
  std::vector<std::string> hosts;   // further names that the server is reached by
  std::optional<std::string> certificate;
  std::optional<std::string> key;
  std::vector<std::string> webhooks;  // URLs
  std::vector<std::string> labels;    // that sessions may ask for
  std::optional<std::size_t> concurrency;
  UseBrowser browser = UseBrowser::yes;  // on a terminal, where there is a screen
  OfferedOverMcp offered;
};
struct ListTokensCommand {
  SettingFlags settings;
  OutputFormat output = OutputFormat::text;
};
struct AddTokenCommand {
  SettingFlags settings;
  std::string name;
  std::string scope;
  std::optional<std::string> tenant;
};
struct RemoveTokenCommand {
  SettingFlags settings;
  std::string name;
};

// What a session changed in files: shown, or taken back.
struct SessionChangesCommand {
  SettingFlags settings;
  std::string id;
};
struct UndoSessionCommand {
  SettingFlags settings;
  std::string id;
  Confirmation confirmation = Confirmation::ask;
};

struct GetConfigCommand {
  SettingFlags settings;
  std::string key;
};
struct SetConfigCommand {
  SettingFlags settings;
  std::string key;
  std::string value;
};

// A first configuration: a model that answers.
struct InitCommand {
  SettingFlags settings;
};

// Agrees to the skills and hooks that came with this folder.
struct TrustCommand {
  SettingFlags settings;
  Confirmation confirmation = Confirmation::ask;
};

// Prints what a shell needs to complete commands.
struct CompletionsCommand {
  std::string shell;
};

// Serves an editor over standard input and output.
struct AcpCommand {
  SettingFlags settings;
  std::string agent = "coding";
};

// Help or the version. `code` is usage when nobody asked for it: then it goes to standard error.
struct PrintCommand {
  std::string text;
  ExitCode code = ExitCode::ok;
};

}  // namespace wright::app
