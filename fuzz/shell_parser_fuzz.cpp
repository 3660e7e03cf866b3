// Feeds the parser of shell lines and the rules above it. Whatever the line: no crash, an end in
// bounded time, and nothing that is allowed without its commands being seen.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sandbox/shell_syntax.h"
#include "wright/sandbox.h"

namespace {

using wright::CommandRules;
using wright::intercept::Permission;

const CommandRules& read_only() {
  static const CommandRules rules =
      CommandRules::make(wright::rules_of(wright::CommandPreset::read_only)).value();
  return rules;
}

const CommandRules& nothing() {
  static const CommandRules rules = CommandRules::make({}).value();
  return rules;
}

bool does_something(const std::vector<wright::sandbox::ShellCommand>& commands) {
  for (const auto& command : commands) {
    if (!command.words.empty()) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  const auto commands = wright::sandbox::parse_shell_line(line);
  if (!commands && commands.error().message.empty()) std::abort();
  const auto decision = read_only().judge(line);
  // What is not understood is never allowed, and a refusal has a reason.
  if (!commands && decision.permission == Permission::allow) std::abort();
  if (decision.permission != Permission::allow && decision.reason.empty()) std::abort();
  // Without rules no command passes, unless all it does is to start nothing.
  if (commands && does_something(*commands)) {
    const auto strict = nothing().judge(line);
    if (strict.permission == Permission::allow && !strict.commands.empty()) std::abort();
  }
  // A command that is put in front of a line is found in it.
  const std::string with_marker = "unheard-of-command\n" + std::string(line);
  const auto marked = wright::sandbox::parse_shell_line(with_marker);
  if (marked && (marked->empty() || !marked->front().words.front().is("unheard-of-command"))) {
    std::abort();
  }
  return 0;
}
