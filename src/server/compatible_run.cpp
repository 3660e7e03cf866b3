#include "server/compatible_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/try.h"
#include "server/caller_tools.h"
#include "server/problem.h"
#include "server/request_trace.h"

namespace wright::server {
namespace {

// What the peer reads instead of an answer that a person holds up.
std::string waits_for_person_text(SessionId id) {
  return fmt::format(
      "[Session {} waits for a person. It goes on when somebody has answered: `wright answer {}`, "
      "or in the dashboard.]",
      id, id);
}

}  // namespace

CompatibleRun::CompatibleRun(const ServiceOptions& options, SessionListeners& listeners,
                             http::Responder responder, std::unique_ptr<Rendering> rendering,
                             TraceContext trace)
    : options_(options),
      listeners_(listeners),
      responder_(std::move(responder)),
      rendering_(std::move(rendering)),
      trace_(std::move(trace)) {}

Result<void> CompatibleRun::begin(const Conversation& conversation, const std::string& caller) {
  is_streamed_ = conversation.is_streamed;
  completion_.agent = conversation.agent;
  completion_.at = system_clock_ms();
  const auto results = conversation.results();
  if (!results.empty()) return go_on(results, caller);
  return start(conversation);
}

Result<void> CompatibleRun::go_on(const std::vector<ToolResult>& results,
                                  const std::string& caller) {
  SessionId id = 0;
  for (const ToolResult& result : results) {
    const auto handed = handed_from(result.call_id);
    if (!handed || (id != 0 && handed->session_id != id)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("'{}' is no call that was handed out here", result.call_id));
    }
    id = handed->session_id;
    answered_.insert(handed->wait_id);
  }
  const auto open = TRY(options_.store.get_waits({.session_id = id, .status = WaitStatus::open}));
  for (const StoredWait& wait : open) {
    if (wait.kind == WaitKind::result && !answered_.contains(wait.id)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The result of '{}' is missing", handed_call_id(id, wait.id)));
    }
  }
  listen_to(id);
  open_stream(id);
  for (const ToolResult& result : results) {
    const WaitId wait = handed_from(result.call_id)->wait_id;
    const std::string text = result.is_error ? "It failed: " + result.content : result.content;
    TRY(options_.runtime.answer(wait, Json(text), caller));
  }
  return {};
}

Result<void> CompatibleRun::start(const Conversation& conversation) {
  if (conversation.messages.empty() || conversation.messages.back().role != Role::user) {
    return fail(ErrorCode::invalid_argument,
                "The conversation must end with the user's message, or with results of tools");
  }
  auto prepared = TRY(options_.agents.make(conversation.agent));
  Agent agent = TRY(with_caller_tools(*prepared.agent, conversation.tools));
  if (!conversation.instructions.empty()) {
    agent.instructions += "\n\n" + conversation.instructions;
  }
  if (conversation.max_tokens) agent.sampling.max_tokens = *conversation.max_tokens;
  if (conversation.temperature) agent.sampling.temperature = conversation.temperature;
  if (!prepared.config.is_object()) prepared.config = JsonObject();
  if (!conversation.tools.empty()) {
    prepared.config.as_object()[kCallerToolsKey] = caller_tools_json(conversation.tools);
  }
  const std::string prompt = conversation.messages.back().text();
  RunOptions how{.config = prepared.config};
  take_trace(options_, trace_, how);
  const auto made = std::make_shared<const Agent>(std::move(agent));
  const std::vector<Message> history(conversation.messages.begin(),
                                     conversation.messages.end() - 1);
  if (!conversation.session && history.empty()) {
    const SessionId id = TRY(options_.runtime.start(made, prompt, how));
    open_stream(id);
    auto subscription = TRY(options_.runtime.subscribe(
        id, 0, [self = shared_from_this()](const SessionEvent& event) { self->take(event); }));
    {
      const std::lock_guard lock(mutex_);
      if (!has_ended_) subscription_ = std::move(subscription);
    }
    look_at_stored(id);
    return {};
  }
  SessionId id = conversation.session.value_or(0);
  if (id == 0) id = TRY(store_history(*made, prepared.config, history, prompt));
  TRY(options_.store.get_session(id));
  listen_to(id);
  open_stream(id);
  return options_.runtime.send(made, id, prompt, how);
}

// The conversation before, as a session that has ended. Calls are done: their results are there.
Result<SessionId> CompatibleRun::store_history(const Agent& agent, const Json& config,
                                               const std::vector<Message>& history,
                                               const std::string& prompt) {
  Batch batch{.create = NewSession{.agent_name = agent.name,
                                   .provider = agent.model.provider(),
                                   .model = agent.model.name(),
                                   .user_prompt = prompt,
                                   .config = config}};
  if (!agent.instructions.empty()) batch.create->system_prompt = agent.instructions;
  std::vector<ToolCall> calls;
  std::map<std::string, ToolResult> results;
  for (const Message& message : history) {
    const std::vector<ToolCall> made = message.tool_calls();
    calls.insert(calls.end(), made.begin(), made.end());
    for (const Part& part : message.parts) {
      if (const auto* result = std::get_if<ToolResult>(&part)) results[result->call_id] = *result;
    }
  }
  for (const ToolCall& call : calls) {
    const auto found = results.find(call.id);
    if (found == results.end()) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The call '{}' has no result among the messages", call.id));
    }
    found->second.name = call.name;
  }
  std::string last;
  for (Message message : history) {
    for (Part& part : message.parts) {
      if (auto* result = std::get_if<ToolResult>(&part)) *result = results[result->call_id];
    }
    if (message.role == Role::assistant) last = message.text();
    const std::size_t started = message.tool_calls().size();
    batch.writes.push_back(AppendMessage{.message = std::move(message), .started_calls = started});
  }
  auto applied = options_.store.apply_all({&batch, 1});
  const BatchIds ids = TRY(std::move(applied.front()));
  std::vector<Write> writes;
  for (std::size_t i = 0; i < calls.size() && i < ids.calls.size(); ++i) {
    const ToolResult& result = results[calls[i].id];
    writes.push_back(UpdateCall{.call_id = ids.calls[i],
                                .status = CallStatus::completed,
                                .response = Json(result.content),
                                .result = result});
  }
  writes.push_back(UpdateSession{
      .session_id = ids.session, .status = SessionStatus::completed, .result = std::move(last)});
  TRY(options_.store.apply(writes));
  return ids.session;
}

void CompatibleRun::listen_to(SessionId id) {
  auto listening =
      listeners_.listen(id, [self = shared_from_this()](const Event& event) { self->take(event); });
  // What was heard meanwhile may have ended it: then nobody is to hold it any more.
  const std::lock_guard lock(mutex_);
  if (!has_ended_) listening_ = std::move(listening);
}

void CompatibleRun::open_stream(SessionId id) {
  const std::lock_guard lock(mutex_);
  completion_.session_id = id;
  if (!is_streamed_ || has_ended_) return;
  stream_ = responder_.stream({.headers = {{"Content-Type", "text/event-stream"},
                                           {"Cache-Control", "no-store"},
                                           {"X-Content-Type-Options", "nosniff"},
                                           {"X-Accel-Buffering", "no"}}},
                              {.heartbeat = ": \n\n", .most_unsent = std::size_t{16} << 20});
  stream_->write(rendering_->opening(completion_));
}

void CompatibleRun::said(std::string_view text) {
  if (text.empty()) return;
  const std::lock_guard lock(mutex_);
  if (has_ended_ || !stream_) return;
  has_spoken_ = true;
  completion_.text += text;
  stream_->write(rendering_->text(text));
}

void CompatibleRun::take(const Event& event) {
  if (const auto* delta = std::get_if<TextDelta>(&event)) return said(delta->text);
  if (const auto* model = std::get_if<ModelEnded>(&event)) {
    const std::lock_guard lock(mutex_);
    completion_.usage += model->response.usage;
  } else if (const auto* waiting = std::get_if<RunWaiting>(&event)) {
    std::vector<HandedCall> calls;
    std::set<WaitId> waits;
    bool needs_person = false;
    for (const PersonWait& wait : waiting->waits) {
      waits.insert(wait.wait_id);
      needs_person = needs_person || wait.kind != WaitKind::result;
      if (wait.kind != WaitKind::result) continue;
      calls.push_back(
          {handed_call_id(wait.session_id, wait.wait_id), wait.call.name, wait.call.arguments});
    }
    waits_for(std::move(calls), waits, needs_person);
  } else if (const auto* ended = std::get_if<RunEnded>(&event)) {
    Released released;
    const std::lock_guard lock(mutex_);
    if (completion_.text.empty()) completion_.text = ended->text;
    if (ended->error != nullptr) completion_.error = *ended->error;
    released = end();
  }
}

void CompatibleRun::take(const SessionEvent& event) {
  if (event.depth != 0) return;
  const JsonObject* data = event.data.if_object();
  if (data == nullptr) return;
  if (event.type == "text_delta") return said(data->at("text").as_string());
  if (event.type == "model_ended") {
    const auto usage = usage_from_json(data->at("usage"));
    const std::lock_guard lock(mutex_);
    if (usage) completion_.usage += *usage;
  } else if (event.type == "run_waiting") {
    std::vector<HandedCall> calls;
    std::set<WaitId> waits;
    bool needs_person = false;
    for (const Json& each : data->at("waits").as_array()) {
      const JsonObject& wait = each.as_object();
      const WaitId id = wait.at("wait_id").to_number<WaitId>();
      waits.insert(id);
      if (wait.at("kind").as_string() != to_string(WaitKind::result)) {
        needs_person = true;
        continue;
      }
      calls.push_back({handed_call_id(wait.at("session_id").to_number<SessionId>(), id),
                       std::string(wait.at("name").as_string()),
                       std::string(wait.at("shown").as_object().at("arguments").as_string())});
    }
    waits_for(std::move(calls), waits, needs_person);
  } else if (event.type == "run_ended") {
    Released released;
    const std::lock_guard lock(mutex_);
    if (completion_.text.empty()) completion_.text = std::string(data->at("text").as_string());
    if (const JsonObject* error = data->at("error").if_object()) {
      const auto code = error_code_from(error->at("code").as_string());
      completion_.error =
          Error{code ? *code : ErrorCode::internal, std::string(error->at("message").as_string())};
    }
    released = end();
  }
}

// A session that ended, or began to wait, before anybody listened has told so to the store.
void CompatibleRun::look_at_stored(SessionId id) {
  const auto session = options_.store.get_session(id);
  if (!session || session->status == SessionStatus::running) return;
  if (session->status == SessionStatus::waiting) {
    const auto open = options_.store.get_waits({.session_id = id, .status = WaitStatus::open});
    if (!open) return;
    std::vector<HandedCall> calls;
    std::set<WaitId> waits;
    for (const StoredWait& wait : *open) {
      waits.insert(wait.id);
      if (wait.kind != WaitKind::result) continue;
      const JsonObject& shown = wait.shown.as_object();
      calls.push_back({handed_call_id(wait.session_id, wait.id),
                       std::string(shown.at("tool").as_string()),
                       std::string(shown.at("arguments").as_string())});
    }
    const bool needs_person = calls.size() < waits.size();
    return waits_for(std::move(calls), waits, needs_person);
  }
  Released released;
  const std::lock_guard lock(mutex_);
  if (has_ended_) return;
  completion_.usage = session->usage;
  if (completion_.text.empty()) completion_.text = session->result.value_or("");
  if (session->status != SessionStatus::completed) {
    completion_.error = Error{session->error_code.value_or(ErrorCode::internal),
                              session->error.value_or("The session was cancelled")};
  }
  released = end();
}

void CompatibleRun::waits_for(std::vector<HandedCall> calls, const std::set<WaitId>& waits,
                              bool needs_person) {
  Released released;
  const std::lock_guard lock(mutex_);
  if (has_ended_) return;
  // Between the answers of this request, the session waits for those that are still to come.
  const bool has_new =
      std::ranges::any_of(waits, [&](WaitId id) { return !answered_.contains(id); });
  if (!has_new) return;
  completion_.calls = std::move(calls);
  if (completion_.calls.empty() && needs_person) {
    const std::string text = waits_for_person_text(completion_.session_id);
    has_spoken_ = true;
    if (stream_) stream_->write(rendering_->text(text));
    completion_.text += text;
  }
  released = end();
}

void CompatibleRun::fail_with(Error error) {
  Released released;
  const std::lock_guard lock(mutex_);
  completion_.error = std::move(error);
  released = end();
}

CompatibleRun::Released CompatibleRun::end() {
  if (std::exchange(has_ended_, true)) return {};
  if (stream_) {
    // What was not said piece by piece is said now.
    if (!completion_.error && completion_.calls.empty() && !has_spoken_) {
      if (!completion_.text.empty()) stream_->write(rendering_->text(completion_.text));
    }
    stream_->write(rendering_->ending(completion_));
    stream_->end();
  } else if (completion_.error) {
    responder_.send(
        json_response(rendering_->error(*completion_.error), status_of(*completion_.error)));
  } else {
    responder_.send(json_response(rendering_->whole(completion_)));
  }
  return {std::move(listening_), std::move(subscription_)};
}

}  // namespace wright::server
