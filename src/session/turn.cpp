#include "session/turn.h"

#include <algorithm>

namespace wright::session {
namespace {

bool is_serial(const Agent& agent, const ToolCall& call) {
  const Tool* tool = find_tool(agent.tools, call.name);
  if (tool == nullptr || tool->spec.options.concurrency == Concurrency::parallel) return false;
  if (tool->spec.options.concurrency == Concurrency::exclusive || !tool->only_reads) return true;
  const auto arguments = parse_json(call.arguments);
  return !arguments || !tool->only_reads(*arguments);
}

}  // namespace

bool may_act(const Agent& agent, std::string_view name) {
  const Tool* tool = find_tool(agent.tools, name);
  return tool == nullptr || tool->spec.options.effect != Effect::read;
}

std::vector<const OpenCall*> startable(const Agent& agent, const Run& run,
                                       const CallsUnderWay& running, std::size_t most) {
  std::vector<const OpenCall*> calls;
  bool has_unfinished = false;  // an earlier call that runs or is about to
  for (const OpenCall& open : run.open_calls) {
    if (open.state != OpenCall::State::open) continue;
    const bool is_alone = is_serial(agent, open.call);
    if (is_alone && has_unfinished) break;
    has_unfinished = true;
    if (!running.contain(open.call.id)) {
      if (running.count + calls.size() >= most) break;
      calls.push_back(&open);
    }
    if (is_alone) break;
  }
  return calls;
}

}  // namespace wright::session
