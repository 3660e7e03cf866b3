// What tools and commands may touch.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"
#include "wright/people.h"

namespace wright {

// Runs programs for tools: confined by what the kernel offers, with a clean environment, bounded in
// time and output, and never leaving a process behind. See docs/sandbox.md for what is enforced
// where.

enum class SandboxMode : std::uint8_t {
  required,     // without every layer nothing runs
  best_effort,  // every layer that this machine has; the report says which are missing
  off,          // nothing is confined; time, output, environment and limits still are
};
Result<SandboxMode> sandbox_mode_from(std::string_view name);

enum class NetworkAccess : std::uint8_t {
  off,    // no connection to anything, not even over Unix sockets
  local,  // Unix sockets only, of those in the paths that may be read
  on,
};
Result<NetworkAccess> network_access_from(std::string_view name);

// Per process, except `processes`, which is per run. Absent: no limit.
struct ResourceLimits {
  std::optional<std::uint64_t> processes = 512;
  std::optional<std::uint64_t> open_files = 4096;
  std::optional<std::uint64_t> file_bytes = std::uint64_t{8} << 30;
  std::optional<std::uint64_t> memory_bytes = {};
  std::optional<std::uint64_t> cpu_seconds = {};
};

using Variables = std::map<std::string, std::string>;

struct SandboxPolicy {
  SandboxMode mode = SandboxMode::best_effort;
  // Files and folders, in addition to the system's programs and libraries. What may be written may
  // be read.
  std::vector<std::filesystem::path> read_paths = {};
  std::vector<std::filesystem::path> write_paths = {};
  // Read-only although they are in write_paths, whether they exist or not: a name anywhere, a path
  // below each of write_paths, or an absolute path. `.git` also means where a file of that name
  // points.
  std::vector<std::string> protected_paths = {".git", ".wright"};
  // Files and folders in read_paths and write_paths that look empty: `**/` stands for any folders,
  // * and ? for characters within a name. An absolute path stands for itself.
  std::vector<std::string> unreadable = {};
  NetworkAccess network = NetworkAccess::off;
  ResourceLimits limits = {};
  // The whole environment of what is run, except HOME and TMPDIR, which are private folders. See
  // clean_environment().
  Variables environment = {};
  std::filesystem::path temporary_root = "/tmp";  // where the private folders are created
};

// Those of the given variables that are harmless and useful: PATH (its absolute folders), LANG,
// TERM, … No keys.
Variables clean_environment(const Variables& variables);

struct SandboxLayer {
  enum class State : std::uint8_t { enforced, missing, not_wanted };
  std::string name;
  State state = State::missing;
  std::string detail;  // how it is enforced, or why it is missing
};
std::string_view to_string(SandboxLayer::State state);

// What is worth hiding from every command: files of secrets, private keys.
const std::vector<std::string>& usual_secrets();

struct SandboxReport {
  std::vector<SandboxLayer> layers;

  bool is_complete() const;  // nothing that is wanted is missing
  bool enforces(std::string_view layer) const;
};

struct Command {
  std::vector<std::string> arguments;  // the program first; without a slash it is looked up in PATH
  std::filesystem::path working_directory = "/";
  Variables environment = {};  // added to the policy's
};

// A line for bash, which reads no startup files. Refused where there is no bash.
Result<Command> shell_command(std::string line, std::filesystem::path working_directory);

enum class OutputStream : std::uint8_t { output, error };

struct CommandOptions {
  std::chrono::milliseconds timeout{120'000};
  std::stop_token stop = {};
  std::function<Result<void>()> before_start = {};  // the last thing; its error starts nothing
  std::size_t kept_bytes = 256 * 1024;  // of each stream: half from its start, half from its end
  // Every piece as it arrives, in the thread of run(). It must not throw.
  std::function<void(OutputStream, std::string_view)> on_output = {};
};

// What a program wrote: all of it, or its start and its end.
struct CapturedOutput {
  std::string head;
  std::string tail;  // empty when nothing was left out
  std::uint64_t total_bytes = 0;

  std::uint64_t omitted_bytes() const { return total_bytes - head.size() - tail.size(); }
};

struct FinishedCommand {
  int exit_code = 0;  // 128 + the signal that killed it; 124 after the timeout, 130 when stopped
  bool is_timed_out = false;
  bool is_stopped = false;
  CapturedOutput output;
  CapturedOutput error;
  std::chrono::duration<double> duration{};
};

// A prepared policy. It may be used from several threads at once.
class Sandbox {
 public:
  // Refuses paths that do not exist, and, where the mode is `required`, a machine that lacks a
  // layer, naming it.
  static Result<Sandbox> prepare(SandboxPolicy policy);
  Sandbox(Sandbox&&) noexcept;
  Sandbox& operator=(Sandbox&&) noexcept;
  ~Sandbox();  // removes the private folders

  const SandboxReport& report() const;

  // Runs to the end. When it returns, every process that the program started is gone.
  Result<FinishedCommand> run(const Command& command, const CommandOptions& options = {}) const;

  struct State;  // of the implementation

 private:
  explicit Sandbox(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A place of somebody else's where they can see a command run and end it, such as a terminal of an
// editor.
class CommandPlace {
 public:
  virtual ~CommandPlace() = default;
  // Runs it there to the end, confined by the policy as Sandbox::run() would. An unknown outcome
  // where nobody can say how it ended.
  virtual Result<FinishedCommand> run(const SandboxPolicy& policy, const Command& command,
                                      const CommandOptions& options) = 0;
};

// Which shell commands may run: ordered rules, applied to every simple command that a line would
// run, at any depth and through commands that start others (env, xargs, sh -c, …).

// One rule. The pattern is words, compared with the words of a command after quotes are removed:
//
//   git status *     a word * stands for any number of words, including none
//   npm run test:*   elsewhere * stands for any characters of one word, ? for one
//   CC=* make *      the command with that variable set for it
//   > build/*        writing to such a file by a redirection
struct CommandRule {
  std::string pattern;
  Permission permission = Permission::ask;
  bool operator==(const CommandRule&) const = default;
};

enum class CommandPreset : std::uint8_t {
  none,
  minimal,    // looking around: pwd, ls, cat, …
  read_only,  // and searching, comparing, git's history
  workspace,  // and building, testing, editing and committing; asks before it removes or publishes
};
Result<CommandPreset> command_preset_from(std::string_view name);
std::vector<CommandRule> rules_of(CommandPreset preset);

struct JudgedCommand {
  std::string command;  // as written in the line
  Permission permission = Permission::deny;
  std::string reason;  // why it is not simply allowed: one sentence, which names the rule to add
  bool is_without_rule = false;  // denied because no rule is about it
};

struct CommandDecision {
  Permission permission = Permission::deny;  // the strictest of all
  std::vector<JudgedCommand> commands;
  std::string reason;  // of the strictest; empty when all is allowed
};

// The first matching rule counts; a command without one is denied. Where a command depends on what
// is known only when it runs, a rule counts as soon as it might match, and the decision is to ask.
// A line that cannot be parsed is asked about; one that no shell can run is denied.
class CommandRules {
 public:
  // Refuses an empty pattern, or one with an open quote.
  static Result<CommandRules> make(const std::vector<CommandRule>& rules);

  CommandDecision judge(std::string_view line) const;

 private:
  struct Compiled;
  explicit CommandRules(std::shared_ptr<const Compiled> compiled)
      : compiled_(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace wright
