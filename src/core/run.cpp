// The run machine: next() and accept(). Pure; it knows nothing of stores, sockets or clocks.
#include "wright/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace wright {
namespace {

bool is_end(Phase phase) {
  return phase == Phase::done || phase == Phase::failed || phase == Phase::cancelled;
}

std::unexpected<Error> refuse(const Run& run, std::string_view what) {
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} does not fit a run in phase '{}'", what, to_string(run.phase)));
}

std::uint64_t hash_of(const std::string& id) {
  return std::hash<std::string>{}(id);
}

// Gives the call an id that no other call of this run has; vendors leave ids empty or repeat them.
void make_id_unique(Run& run, ToolCall& call) {
  if (!call.id.empty() && run.call_ids.insert(hash_of(call.id)).second) return;
  const std::string wanted = call.id.empty() ? "call" : call.id;
  for (std::size_t n = run.call_ids.size() + 1;; ++n) {
    call.id = fmt::format("{}_{}", wanted, n);
    if (run.call_ids.insert(hash_of(call.id)).second) return;
  }
}

OpenCall* find_unanswered(Run& run, std::string_view call_id) {
  const auto found = std::ranges::find_if(run.open_calls, [&](const OpenCall& open) {
    return open.call.id == call_id && open.state != OpenCall::State::answered;
  });
  return found == run.open_calls.end() ? nullptr : &*found;
}

bool has_call_in(const Run& run, OpenCall::State state) {
  return std::ranges::any_of(run.open_calls,
                             [&](const OpenCall& open) { return open.state == state; });
}

// The answers become messages, in call order.
void close_turn(Run& run) {
  for (OpenCall& open : run.open_calls) {
    run.messages.push_back(Message::tool(std::move(open.result)));
  }
  run.open_calls.clear();
}

// The phase that follows from the states of the open calls.
void settle_calls(Run& run) {
  if (has_call_in(run, OpenCall::State::open)) {
    run.phase = Phase::tools;
    return;
  }
  if (has_call_in(run, OpenCall::State::waiting)) {
    run.phase = Phase::waiting;
    return;
  }
  close_turn(run);
  if (run.iterations < run.limits.max_iterations) {
    run.phase = Phase::model;
    return;
  }
  run.phase = Phase::failed;
  run.error = Error{ErrorCode::limit_reached, std::string(kIterationLimitReached), {}};
}

Result<void> take(Run& run, UserSaid outcome) {
  if (!is_end(run.phase) && !run.messages.empty()) return refuse(run, "A user message");
  outcome.message.role = Role::user;
  run.messages.push_back(std::move(outcome.message));
  run.iterations = 0;
  run.error = {};
  run.phase = Phase::model;
  return {};
}

Result<void> take(Run& run, ModelAnswered outcome) {
  if (run.phase != Phase::model) return refuse(run, "A model's answer");
  Message message{Role::assistant, std::move(outcome.response.content)};
  for (Part& part : message.parts) {
    if (auto* call = std::get_if<ToolCall>(&part)) {
      make_id_unique(run, *call);
      run.open_calls.push_back(OpenCall{.call = *call});
    }
  }
  run.messages.push_back(std::move(message));
  run.usage += outcome.response.usage;
  ++run.iterations;
  if (run.open_calls.empty()) {
    run.phase = Phase::done;
  } else {
    run.phase = Phase::tools;
  }
  return {};
}

Result<void> take(Run& run, ModelFailed outcome) {
  if (run.phase != Phase::model) return refuse(run, "A model's failure");
  run.phase = Phase::failed;
  run.error = std::move(outcome.error);
  return {};
}

Result<void> take(Run& run, ToolFinished outcome) {
  OpenCall* open = find_unanswered(run, outcome.result.call_id);
  if (open == nullptr) {
    return refuse(run, fmt::format("A result for the call '{}'", outcome.result.call_id));
  }
  outcome.result.name = open->call.name;
  open->result = std::move(outcome.result);
  open->shown = nullptr;
  open->state = OpenCall::State::answered;
  settle_calls(run);
  return {};
}

Result<void> take(Run& run, ToolWaits outcome) {
  OpenCall* open = find_unanswered(run, outcome.call_id);
  if (open == nullptr || open->state != OpenCall::State::open) {
    return refuse(run, fmt::format("Waiting in the call '{}'", outcome.call_id));
  }
  open->shown = std::move(outcome.shown);
  open->state = OpenCall::State::waiting;
  settle_calls(run);
  return {};
}

Result<void> take(Run& run, Cancelled outcome) {
  if (is_end(run.phase)) return refuse(run, "A cancellation");
  for (OpenCall& open : run.open_calls) {
    if (open.state == OpenCall::State::answered) continue;
    open.result = ToolResult{open.call.id, open.call.name, "Cancelled: " + outcome.reason, true};
  }
  close_turn(run);
  run.phase = Phase::cancelled;
  run.error = Error{ErrorCode::cancelled, std::move(outcome.reason), {}};
  return {};
}

CallTools open_calls(const Run& run) {
  CallTools step;
  step.calls.reserve(run.open_calls.size());
  for (const OpenCall& open : run.open_calls) {
    if (open.state == OpenCall::State::open) step.calls.push_back(open.call);
  }
  return step;
}

Wait open_waits(const Run& run) {
  Wait step;
  for (const OpenCall& open : run.open_calls) {
    if (open.state == OpenCall::State::waiting) step.waits.push_back({open.call, open.shown});
  }
  return step;
}

}  // namespace

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::model: return "model";
    case Phase::tools: return "tools";
    case Phase::waiting: return "waiting";
    case Phase::done: return "done";
    case Phase::failed: return "failed";
    case Phase::cancelled: return "cancelled";
  }
  return "failed";
}

Run start(const Agent& agent, std::string prompt) {
  return start(agent, Message::user(std::move(prompt)));
}

Run start(const Agent& agent, Message message) {
  Run run;
  run.agent = agent.name;
  run.limits = agent.limits;
  message.role = Role::user;
  run.messages.push_back(std::move(message));
  return run;
}

Step next(const Agent& agent, const Run& run) {
  switch (run.phase) {
    case Phase::model:
      return CallModel{Request{.messages = run.messages,
                               .system = agent.instructions,
                               .model = agent.model.name(),
                               .tools = agent.tools,
                               .sampling = &agent.sampling}};
    case Phase::tools: return open_calls(run);
    case Phase::waiting: return open_waits(run);
    case Phase::done: return Done{run.messages.back().text()};
    case Phase::failed:
    case Phase::cancelled: return Failed{run.error};
  }
  return Failed{run.error};
}

Result<void> accept(Run& run, Outcome outcome) {
  return std::visit([&](auto&& taken) { return take(run, std::move(taken)); }, std::move(outcome));
}

}  // namespace wright
