// Hooks: commands of a person or a project that are told what an agent does, and may have a say in
// it. They get JSON on standard input; their exit code and what they print decide:
//
//   0  go on; JSON on standard output may refuse, have a person asked, change the arguments, or add
//      a note for the model
//   2  no: standard error says why, and the model reads it
//   else, or too slow: the hook has failed; before a tool call, a person is asked
//
// The file has the shape that other agents use:
//
//   {"hooks": {"PreToolUse": [{"matcher": "bash|write_*", "hooks":
//     [{"type": "command", "command": "./check.sh", "timeout": 10}]}]}}
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

enum class HookMoment : std::uint8_t {
  SessionStart,
  PreToolUse,
  PostToolUse,
  Notification,  // somebody is waited for
  Stop,
};

struct Hook {
  HookMoment moment = HookMoment::PreToolUse;
  std::string matcher = {};  // names of tools with | between, * and ? in them; empty: all
  std::string command = {};  // a line for bash
  std::chrono::seconds timeout{60};
};

// The error names the place in the file.
Result<std::vector<Hook>> parse_hooks(std::string_view json);

struct HookOptions {
  std::vector<Hook> hooks = {};
  std::filesystem::path folder = {};  // where commands run
  Variables environment = {};
  std::filesystem::path temporary_root = "/tmp";
};

// May be used from several threads at once.
class Hooks {
 public:
  explicit Hooks(HookOptions options) : options_(std::move(options)) {}

  bool is_empty() const { return options_.hooks.empty(); }
  // To stand outermost.
  static Interceptor interceptor(std::shared_ptr<const Hooks> hooks);
  // Tells the hooks of sessions of what happens. What failed, a sentence each.
  std::vector<std::string> observe(const Event& event, std::int64_t session_id) const;

 private:
  struct Said;
  Said ask(const Hook& hook, const Json& told, const std::stop_token& stop) const;
  Result<ToolReply> around(const Invocation& invocation, const Context& context,
                           const Next& next) const;

  HookOptions options_;
};

}  // namespace wright::project
