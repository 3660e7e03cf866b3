#include "runtime/turn.h"

#include <algorithm>

namespace wright::runtime {
namespace {

bool is_serial(const Agent& agent, const ToolCall& call) {
  const Tool* tool = find_tool(agent, call.name);
  return tool != nullptr && tool->spec.options.concurrency != Concurrency::parallel;
}

}  // namespace

const Tool* find_tool(const Agent& agent, std::string_view name) {
  const auto found = std::ranges::find_if(agent.tools, [&](const Tool& tool) {
    return tool.spec.name == name ||
           std::ranges::find(tool.spec.aliases, name) != tool.spec.aliases.end();
  });
  return found == agent.tools.end() ? nullptr : &*found;
}

std::vector<const OpenCall*> startable(const Agent& agent, const Run& run,
                                       const std::set<std::string>& running, std::size_t most) {
  std::vector<const OpenCall*> calls;
  bool has_unfinished = false;  // an earlier call that runs or is about to
  for (const OpenCall& open : run.open_calls) {
    if (open.state != OpenCall::State::open) continue;
    const bool is_alone = is_serial(agent, open.call);
    if (is_alone && has_unfinished) break;
    has_unfinished = true;
    if (!running.contains(open.call.id)) {
      if (running.size() + calls.size() >= most) break;
      calls.push_back(&open);
    }
    if (is_alone) break;
  }
  return calls;
}

}  // namespace wright::runtime
