#include "core/run_invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/try.h"

namespace wright {
namespace {

std::unexpected<Error> broken(std::string what) {
  return fail(ErrorCode::invalid_argument, "Not a valid run: " + std::move(what));
}

Result<void> check_calls_are_answered(const Run& run) {
  std::set<std::string> ids;
  std::vector<std::string> unanswered;  // of the latest assistant message, in call order
  for (const Message& message : run.messages) {
    for (const Part& part : message.parts) {
      if (const auto* call = std::get_if<ToolCall>(&part)) {
        if (message.role != Role::assistant) return broken("a call outside an assistant message");
        if (call->id.empty()) return broken("a call without an id");
        if (!ids.insert(call->id).second) {
          return broken(fmt::format("the call id '{}' is used twice", call->id));
        }
      } else if (const auto* result = std::get_if<ToolResult>(&part)) {
        if (message.role != Role::tool) return broken("a result outside a tool message");
        if (unanswered.empty() || unanswered.front() != result->call_id) {
          return broken(fmt::format("the result for '{}' is out of order", result->call_id));
        }
        unanswered.erase(unanswered.begin());
      }
    }
    if (message.role == Role::tool) continue;
    if (!unanswered.empty()) {
      return broken(fmt::format("the call '{}' was never answered", unanswered.front()));
    }
    for (const ToolCall& call : message.tool_calls()) unanswered.push_back(call.id);
  }
  const bool is_open = std::ranges::equal(unanswered, run.open_calls, {}, {},
                                          [](const OpenCall& open) { return open.call.id; });
  if (!is_open) return broken("the open calls are not those of the last message");
  return {};
}

Result<void> check_phase(const Run& run) {
  const auto count = [&](OpenCall::State state) {
    return std::ranges::count(run.open_calls, state, &OpenCall::state);
  };
  const auto open = count(OpenCall::State::open);
  const auto waiting = count(OpenCall::State::waiting);
  switch (run.phase) {
    case Phase::tools:
      if (open == 0) return broken("phase 'tools' without an open call");
      return {};
    case Phase::waiting:
      if (open != 0 || waiting == 0) return broken("phase 'waiting' without a waiting call");
      return {};
    case Phase::model:
      if (run.iterations >= run.limits.max_iterations) return broken("the limit was passed over");
      break;
    case Phase::done:
      if (run.messages.empty() || run.messages.back().role != Role::assistant) {
        return broken("phase 'done' without an answer");
      }
      break;
    case Phase::failed:
    case Phase::cancelled: break;
  }
  if (!run.open_calls.empty()) return broken("open calls outside a tool turn");
  return {};
}

}  // namespace

Result<void> check_invariants(const Run& run) {
  if (run.messages.empty()) return broken("it has no messages");
  TRY(check_calls_are_answered(run));
  return check_phase(run);
}

}  // namespace wright
