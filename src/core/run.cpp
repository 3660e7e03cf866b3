// The run machine: next() and accept(). Pure; it knows nothing of stores, sockets or clocks.
#include "wright/run.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/enum_names.h"
#include "core/fingerprint.h"
#include "core/run_phases.h"

namespace wright {

WRIGHT_ENUM(Phase, model, tools, waiting, done, failed, cancelled)

std::uint64_t hash_of(const std::string& call_id) {
  return std::hash<std::string>{}(call_id);
}

std::uint64_t hash_of(const ToolCall& call, const ToolResult& result) {
  const std::uint64_t answer = result.fingerprint != 0
                                   ? result.fingerprint
                                   : fingerprint_of(std::string_view(result.content));
  const std::hash<std::string_view> hash;
  std::uint64_t mixed = hash(call.name);
  mixed = mixed * 0x9E3779B97F4A7C15U + hash(call.arguments);
  return mixed * 0x9E3779B97F4A7C15U + answer;
}

namespace {

bool is_end(Phase phase) {
  return phase == Phase::done || phase == Phase::failed || phase == Phase::cancelled;
}

std::unexpected<Error> refuse(const Run& run, std::string_view what) {
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} does not fit a run in phase '{}'", what, to_string(run.phase)));
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

// Leaves out calls that a vendor has listed twice: same id, name and arguments. Two that have no id
// are two calls.
void drop_copies(std::vector<Part>& parts) {
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> seen;
  std::vector<bool> is_copy;
  for (const Part& part : parts) {
    const auto* call = std::get_if<ToolCall>(&part);
    is_copy.push_back(call != nullptr && !call->id.empty() &&
                      !seen.emplace(call->id, call->name, call->arguments).second);
  }
  std::size_t place = 0;
  std::erase_if(parts, [&](const Part&) { return is_copy[place++]; });
}

OpenCall* find_unanswered(Run& run, std::string_view call_id) {
  // Most have an answer where there are very many: what is cheap to see is looked at first.
  const auto found = std::ranges::find_if(run.open_calls, [&](const OpenCall& open) {
    return open.state != OpenCall::State::answered && open.call.id == call_id;
  });
  return found == run.open_calls.end() ? nullptr : &*found;
}

bool has_call_in(const Run& run, OpenCall::State state) {
  return std::ranges::any_of(run.open_calls,
                             [&](const OpenCall& open) { return open.state == state; });
}

void stop_at_limit(Run& run, Limit limit, std::string message) {
  run.phase = Phase::failed;
  run.error = limit_error(limit, std::move(message), best_answer(run));
}

// The answers become messages, in call order. Answers that came before are counted, and the model
// is told when they are too many.
void close_turn(Run& run) {
  for (OpenCall& open : run.open_calls) {
    const int times = ++run.repeats[hash_of(open.call, open.result)];
    if (run.limits.max_repeats && times == std::max(2, *run.limits.max_repeats / 2)) {
      open.result.notices.push_back(notice(Notice::Kind::same_result));
    }
    run.messages.push_back(Message::tool(std::move(open.result)));
  }
  run.open_calls.clear();
}

bool goes_in_circles(const Run& run) {
  return run.limits.max_repeats && std::ranges::any_of(run.repeats, [&](const auto& counted) {
           return counted.second >= *run.limits.max_repeats;
         });
}

}  // namespace

void go_on_with_model(Run& run) {
  const Limits& limits = run.limits;
  if (run.iterations >= limits.max_iterations) {
    stop_at_limit(run, Limit::iterations, "Maximum iteration limit reached");
  } else if (limits.max_tool_calls && run.tool_calls > *limits.max_tool_calls) {
    stop_at_limit(run, Limit::tool_calls,
                  fmt::format("The limit of {} was reached",
                              counted(*limits.max_tool_calls, "tool call", "tool calls")));
  } else if (goes_in_circles(run)) {
    stop_at_limit(run, Limit::repeats,
                  fmt::format("The model made the same call with the same result {} times",
                              *limits.max_repeats));
  } else {
    run.phase = Phase::model;
  }
}

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

namespace {

// Calls beyond the limit are answered without being run; what came before them still runs.
void refuse_calls_over_limit(Run& run) {
  const std::optional<int> limit = run.limits.max_tool_calls;
  if (!limit) return;
  int over = run.tool_calls - *limit;
  for (auto open = run.open_calls.rbegin(); open != run.open_calls.rend() && over > 0; ++open) {
    open->result = {.call_id = open->call.id,
                    .name = open->call.name,
                    .content = fmt::format("Not run: the limit of {} was reached",
                                           counted(*limit, "tool call", "tool calls")),
                    .is_error = true,
                    .origin = ToolResult::Origin::not_run};
    open->state = OpenCall::State::answered;
    --over;
  }
}

Result<void> take(Run& run, UserSaid outcome) {
  // Between two turns of the model, the results of the first stand behind it.
  const bool is_between_turns =
      run.phase == Phase::model && !run.messages.empty() && run.messages.back().role == Role::tool;
  const bool may_speak = is_end(run.phase) || is_between_turns || run.messages.empty();
  if (!may_speak) return refuse(run, "A user message");
  outcome.message.role = Role::user;
  run.messages.push_back(std::move(outcome.message));
  run.iterations = 0;
  run.tool_calls = 0;
  run.repeats.clear();
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

bool is_call(const Part& part) {
  return std::holds_alternative<ToolCall>(part);
}

bool has_call(const std::vector<Part>& parts) {
  return std::ranges::any_of(parts, is_call);
}

bool tells(const Message& message, Notice::Kind kind) {
  return std::ranges::any_of(message.parts, [&](const Part& part) {
    const auto* told = std::get_if<Notice>(&part);
    return told != nullptr && told->kind == kind;
  });
}

// How many of the last answers in a row were cut.
int cuts_in_a_row(const Run& run) {
  int cuts = 0;
  for (auto message = run.messages.rbegin(); message != run.messages.rend(); ++message) {
    if (message->role == Role::assistant && !has_call(message->parts)) continue;
    if (message->role != Role::user || !tells(*message, Notice::Kind::answer_cut)) break;
    ++cuts;
  }
  return cuts;
}

// How many answers to the user's last message were refused.
int refused_answers(const Run& run) {
  int refused = 0;
  for (auto message = run.messages.rbegin(); message != run.messages.rend(); ++message) {
    if (message->is_from_user()) break;
    if (tells(*message, Notice::Kind::answer_refused)) ++refused;
  }
  return refused;
}

// Nothing in a cut answer was finished; the model is told, and may answer again.
void ask_again_after_cut(Run& run) {
  run.messages.push_back(Message::notice(Notice::Kind::answer_cut));
  if (cuts_in_a_row(run) <= run.limits.max_cuts) {
    go_on_with_model(run);
    return;
  }
  const std::string times =
      run.limits.max_cuts == 0 ? "" : fmt::format(" {} times in a row", run.limits.max_cuts + 1);
  run.phase = Phase::failed;
  run.error = Error{ErrorCode::answer_cut,
                    fmt::format("The model's answer was cut at its limit of tokens{}. Allow it "
                                "more (max_tokens), or ask for less",
                                times),
                    {}};
}

// How many pauses came in a row, without a call or a word of the user in between.
int pauses_in_a_row(const Run& run) {
  int pauses = 0;
  for (auto message = run.messages.rbegin(); message != run.messages.rend(); ++message) {
    if (message->role == Role::assistant && !has_call(message->parts)) continue;
    if (message->role != Role::user || !tells(*message, Notice::Kind::turn_paused)) break;
    ++pauses;
  }
  return pauses;
}

// The vendor wants its turn back to go on with it. That it is to go on is written down, so that
// whoever loads the run knows.
void go_on_after_pause(Run& run) {
  run.messages.push_back(Message::notice(Notice::Kind::turn_paused));
  if (pauses_in_a_row(run) <= kMostPausesInARow) {
    go_on_with_model(run);
    return;
  }
  stop_at_limit(
      run, Limit::iterations,
      fmt::format("The vendor paused the model's turn {} times in a row", kMostPausesInARow + 1));
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
  if (std::ranges::count_if(message.parts, is_call) > 1) drop_copies(message.parts);
  for (Part& part : message.parts) {
    if (auto* call = std::get_if<ToolCall>(&part)) {
      make_id_unique(run, *call);
      run.open_calls.push_back(OpenCall{.call = *call});
    }
  }
  const bool is_paused = stopped == StopReason::paused && !message.parts.empty();
  if (!is_cut || !message.parts.empty()) run.messages.push_back(std::move(message));
  run.usage += outcome.response.usage;
  ++run.iterations;
  run.tool_calls += static_cast<int>(run.open_calls.size());
  if (!run.open_calls.empty()) {
    refuse_calls_over_limit(run);
    settle_calls(run);
  } else if (stopped == StopReason::max_tokens) {
    ask_again_after_cut(run);
  } else if (stopped == StopReason::content_filter) {
    stop_at_filter(run);
  } else if (is_paused) {
    go_on_after_pause(run);
  } else {
    run.phase = Phase::done;
  }
  return {};
}

Result<void> take(Run& run, AnswerRefused outcome) {
  if (run.phase != Phase::done) return refuse(run, "The refusal of an answer");
  const std::string said = run.messages.back().answer();
  run.messages.push_back({Role::user, {Notice{Notice::Kind::answer_refused, outcome.message}}});
  if (refused_answers(run) <= kMostRefusedAnswers) {
    go_on_with_model(run);
    return {};
  }
  run.phase = Phase::failed;
  run.error = Error{ErrorCode::answer_refused,
                    fmt::format("The model's answer was refused {} times. The last time it was "
                                "told: {}",
                                kMostRefusedAnswers + 1, outcome.message),
                    JsonObject{{"answer", said}}};
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
  open->waits_for = {};
  open->state = OpenCall::State::answered;
  settle_calls(run);
  return {};
}

Result<void> take(Run& run, ToolWaits outcome) {
  OpenCall* open = find_unanswered(run, outcome.call_id);
  const bool is_for_nothing = std::holds_alternative<std::monostate>(outcome.waits_for);
  if (open == nullptr || open->state != OpenCall::State::open || is_for_nothing) {
    return refuse(run, fmt::format("Waiting in the call '{}'", outcome.call_id));
  }
  open->waits_for = std::move(outcome.waits_for);
  open->state = OpenCall::State::waiting;
  settle_calls(run);
  return {};
}

Result<void> take(Run& run, WaitAnswered outcome) {
  OpenCall* open = find_unanswered(run, outcome.call_id);
  if (open == nullptr || open->state != OpenCall::State::waiting) {
    return refuse(run, fmt::format("An answer for the call '{}'", outcome.call_id));
  }
  if (outcome.answers.approval) {
    open->answers.approval = std::move(outcome.answers.approval);
    if (const auto* waiting = std::get_if<Waiting>(&open->waits_for)) {
      open->answers.approved = waiting->shown;
    }
  }
  if (outcome.answers.answer) {
    open->answers.answer = std::move(outcome.answers.answer);
    auto* waiting = std::get_if<Waiting>(&open->waits_for);
    open->answers.state = waiting != nullptr ? std::move(waiting->state) : Json();
  }
  if (outcome.answers.specialist) {
    open->answers.specialist = std::move(outcome.answers.specialist);
  }
  open->waits_for = {};
  open->state = OpenCall::State::open;
  run.phase = Phase::tools;
  return {};
}

void answer_open_calls(Run& run, const std::string& content, ToolResult::Origin origin) {
  for (OpenCall& open : run.open_calls) {
    if (open.state == OpenCall::State::answered) continue;
    open.result = {.call_id = open.call.id,
                   .name = open.call.name,
                   .content = content,
                   .is_error = true,
                   .origin = origin};
  }
  close_turn(run);
}

Result<void> take(Run& run, LimitReached outcome) {
  if (is_end(run.phase)) return refuse(run, "A limit");
  answer_open_calls(run, "Not run: " + outcome.message, ToolResult::Origin::not_run);
  stop_at_limit(run, outcome.limit, std::move(outcome.message));
  return {};
}

Result<void> take(Run& run, Cancelled outcome) {
  if (is_end(run.phase)) return refuse(run, "A cancellation");
  answer_open_calls(run, "Cancelled: " + outcome.reason, ToolResult::Origin::tool);
  run.phase = Phase::cancelled;
  run.error = Error{ErrorCode::cancelled, std::move(outcome.reason), {}};
  return {};
}

Result<void> take(Run& run, AgentChanged outcome) {
  if (run.phase != Phase::model) return refuse(run, "Another agent");
  run.agent = std::move(outcome.agent);
  run.limits = outcome.limits;
  return {};
}

Result<void> take(Run& run, const Summarised& outcome) {
  run.usage += outcome.usage;
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
    if (const Waiting* waiting = waiting_of(open)) {
      step.waits.push_back({open.call, waiting->kind, waiting->shown, waiting->covers});
    } else if (const auto* delegated = std::get_if<Delegate>(&open.waits_for)) {
      step.specialists.push_back({open.call, delegated->message});
    }
  }
  return step;
}

}  // namespace

std::string_view to_string(Phase phase) {
  return enum_name(phase);
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

const Waiting* waiting_of(const OpenCall& open) {
  return open.state == OpenCall::State::waiting ? std::get_if<Waiting>(&open.waits_for) : nullptr;
}

std::string best_answer(const Run& run) {
  for (auto message = run.messages.rbegin(); message != run.messages.rend(); ++message) {
    if (message->is_from_user()) break;
    if (message->role != Role::assistant) continue;
    if (std::string text = message->answer(); !text.empty()) return text;
  }
  return {};
}

Step next(const Agent& agent, const Run& run) {
  switch (run.phase) {
    case Phase::model:
      return CallModel{Request{.messages = run.messages,
                               .system = agent.instructions,
                               .model = agent.model.name(),
                               .tools = agent.tools,
                               .sampling = &agent.sampling,
                               .has_called = run.tool_calls > 0}};
    case Phase::tools: return open_calls(run);
    case Phase::waiting: return open_waits(run);
    case Phase::done: return Done{run.messages.back().answer()};
    case Phase::failed:
    case Phase::cancelled: break;
  }
  return Failed{run.error, best_answer(run)};
}

Result<void> accept(Run& run, Outcome outcome) {
  return std::visit([&](auto&& taken) { return take(run, std::forward<decltype(taken)>(taken)); },
                    std::move(outcome));
}

}  // namespace wright
