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

void go_on_with_model(Run& run) {
  if (run.iterations < run.limits.max_iterations) {
    run.phase = Phase::model;
    return;
  }
  run.phase = Phase::failed;
  run.error = Error{ErrorCode::limit_reached, std::string(kIterationLimitReached), {}};
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
  go_on_with_model(run);
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

// A call that stands in a cut answer and is whole all the same. Empty arguments, which a whole
// answer may leave out, are not: nobody knows what would have come.
bool is_whole_call(const Part& part) {
  const auto* call = std::get_if<ToolCall>(&part);
  if (call == nullptr) return false;
  const auto arguments = parse_json(call->arguments);
  return arguments && arguments->is_object();
}

bool is_spoken(const Part& part) {
  const auto* text = std::get_if<Text>(&part);
  return text != nullptr && !text->text.empty();
}

bool has_call(const std::vector<Part>& parts) {
  return std::ranges::any_of(
      parts, [](const Part& part) { return std::holds_alternative<ToolCall>(part); });
}

// How many of the last answers in a row were cut.
int cuts_in_a_row(const Run& run) {
  int cuts = 0;
  for (auto message = run.messages.rbegin(); message != run.messages.rend(); ++message) {
    if (message->role == Role::assistant && !has_call(message->parts)) continue;
    if (message->role != Role::user || message->text() != kAnswerWasCut) break;
    ++cuts;
  }
  return cuts;
}

// Nothing in a cut answer was finished; the model is told, and may answer again.
void ask_again_after_cut(Run& run) {
  run.messages.push_back(Message::user(std::string(kAnswerWasCut)));
  if (cuts_in_a_row(run) <= kMostCutsInARow) {
    go_on_with_model(run);
    return;
  }
  run.phase = Phase::failed;
  run.error = Error{ErrorCode::answer_cut,
                    fmt::format("The model's answer was cut at its limit of tokens {} times in a "
                                "row. Allow it more (max_tokens), or ask for less",
                                kMostCutsInARow + 1),
                    {}};
}

void stop_at_filter(Run& run) {
  run.phase = Phase::failed;
  run.error = Error{ErrorCode::content_filtered,
                    "The vendor's content filter stopped the answer. Say it differently, or use "
                    "another model",
                    {}};
}

Result<void> take(Run& run, ModelAnswered outcome) {
  if (run.phase != Phase::model) return refuse(run, "A model's answer");
  const StopReason stopped = outcome.response.stop_reason;
  const bool is_cut = stopped == StopReason::max_tokens || stopped == StopReason::content_filter;
  Message message{Role::assistant, std::move(outcome.response.content)};
  if (is_cut) {
    // What is not whole is neither run nor ever sent back: half a call is not JSON, half a thought
    // has no signature.
    std::erase_if(message.parts, [&](const Part& part) {
      return !is_spoken(part) && !(stopped == StopReason::max_tokens && is_whole_call(part));
    });
  }
  for (Part& part : message.parts) {
    if (auto* call = std::get_if<ToolCall>(&part)) {
      make_id_unique(run, *call);
      run.open_calls.push_back(OpenCall{.call = *call});
    }
  }
  if (!is_cut || !message.parts.empty()) run.messages.push_back(std::move(message));
  run.usage += outcome.response.usage;
  ++run.iterations;
  if (!run.open_calls.empty()) {
    run.phase = Phase::tools;
  } else if (stopped == StopReason::max_tokens) {
    ask_again_after_cut(run);
  } else if (stopped == StopReason::content_filter) {
    stop_at_filter(run);
  } else {
    run.phase = Phase::done;
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
