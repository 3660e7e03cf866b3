// Hooks: commands of a person or a project that are told what an agent does, and may have a say in
// it. They get JSON on standard input; their exit code and what they print decide:
//
//   0  go on; JSON on standard output may refuse, have a person asked, change the arguments, add a
//      note for the model, or allow what a person would be asked about (HookSay::allow)
//   2  no: standard error says why, and the model reads it
//   else, or too slow, or words that mean nothing: the hook has failed; before a tool call, a
//      person is asked
//
// The file has the shape that other agents use:
//
//   {"hooks": {"PreToolUse": [{"matcher": "bash|write_*", "hooks":
//     [{"type": "command", "command": ".wright/hooks/check.sh", "timeout": 10}]}]}}
//
// A command runs as those of the agent do, in the sandbox: much of what it may run in the folder is
// the agent's to write. With "sandbox": false it runs outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wright/events.h"
#include "wright/sandbox.h"
#include "wright/tool.h"

namespace wright::project {

enum class HookPlace : std::uint8_t { sandbox, outside };

// Whether what a hook says can do more than hold a call back. Allowing takes the place of the
// person who would be asked; what rules, modes or the sandbox refuse stays refused, and so does
// what a person has refused or another hook asks about.
enum class HookSay : std::uint8_t { no_more, allow };

// NOLINTBEGIN(readability-identifier-naming): the names that users write
enum class HookMoment : std::uint8_t {
  SessionStart,
  PreToolUse,
  PostToolUse,
  Notification,  // somebody is waited for
  Stop,
  // A person says something at a terminal or in an editor; before anything is stored or sent. What
  // comes to a server's API comes from programs, and is not asked about.
  UserPromptSubmit,
};
// NOLINTEND(readability-identifier-naming)

struct Hook {
  HookMoment moment = HookMoment::PreToolUse;
  std::string matcher = {};  // names of tools with | between, * and ? in them; empty: all
  std::string command = {};  // a line for bash
  std::chrono::seconds timeout{60};
  HookPlace place = HookPlace::sandbox;
  HookSay say = HookSay::no_more;  // not from the file: by whose it is
};

// The error names the place in the file.
Result<std::vector<Hook>> parse_hooks(std::string_view json);

struct HookOptions {
  std::vector<Hook> hooks = {};
  std::filesystem::path folder = {};  // where commands run
  // That of the agent's commands. Hooks may write in the folder.
  SandboxPolicy sandbox = {};
};

struct HookAnswer;  // hook_answer.h

// May be used from several threads at once. A hook whose files (hook_scripts.h) are not those that
// were there when this was made has failed.
class Hooks {
 public:
  explicit Hooks(HookOptions options);
  ~Hooks();

  bool is_empty() const { return options_.hooks.empty(); }
  // To stand outermost.
  static Interceptor interceptor(std::shared_ptr<const Hooks> hooks);
  // What a person says, with the notes of hooks below it. Refused (ErrorCode::permission_denied)
  // when a hook says no, or fails.
  Result<Message> submitted(Message message, std::int64_t session_id,
                            const std::stop_token& stop) const;
  // Tells the hooks of sessions of what happens. What failed, a sentence each.
  std::vector<std::string> observe(const Event& event, std::int64_t session_id) const;

 private:
  struct Files;  // that each of the hooks runs
  SandboxPolicy policy_for(const Hook& hook, const std::filesystem::path& input) const;
  HookAnswer ask(const Hook& hook, const Json& told, const std::stop_token& stop,
                 const TraceContext& trace) const;
  Result<ToolReply> around(const Invocation& invocation, const Context& context,
                           const Next& next) const;

  HookOptions options_;
  std::unique_ptr<const Files> files_;
};

}  // namespace wright::project
