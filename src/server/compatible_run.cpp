#include "server/compatible_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/sampling_json.h"
#include "core/try.h"
#include "core/user_message.h"
#include "server/caller_tools.h"
#include "server/imported_history.h"
#include "server/problem.h"
#include "server/request_trace.h"
#include "server/response_records.h"
#include "server/tenant_rule.h"
#include "store/status.h"
#include "wright/driver.h"
#include "wright/run.h"

namespace wright::server {
namespace {

// What the peer reads instead of an answer that a person holds up.
std::string waits_for_person_text(SessionId id) {
  return fmt::format(
      "[Session {} waits for a person. It goes on when somebody has answered: `wright answer {}`, "
      "or in the dashboard.]",
      id, id);
}

// Whoever asked for JSON reads it as such: what a model puts around it is no part of it.
std::string as_asked(std::string text, const ResponseFormat& format) {
  if (format.kind == ResponseFormat::Kind::text || parse_json(text)) return text;
  const bool has_schema = format.kind == ResponseFormat::Kind::json_schema;
  const auto json = answer_json(text, has_schema ? format.schema : Json{{"type", "object"}});
  return json ? to_text(*json) : text;
}

}  // namespace

CompatibleRun::CompatibleRun(const ServiceOptions& options, SessionListeners& listeners,
                             std::unique_ptr<Rendering> rendering, const Call& call)
    : options_(options),
      store_(options.store),
      listeners_(listeners),
      responder_(call.responder),
      rendering_(std::move(rendering)),
      trace_(trace_of(call.request)),
      caller_(call.caller),
      request_(call) {}

Result<void> CompatibleRun::begin(const Conversation& conversation) {
  is_streamed_ = conversation.is_streamed;
  wants_single_call_ = !conversation.wishes.single_call.empty();
  completion_.agent = conversation.agent;
  completion_.at = system_clock_ms();
  const Conversation::Results said = conversation.results();
  if (said.results.empty()) return begin_or_join(conversation);
  auto given = waits_of(said.results);
  // Behind results of others, or of calls that were answered otherwise, words of the user are the
  // next message of a conversation that is told.
  const bool is_for_us = given && std::ranges::all_of(given->answers, [](const GivenAnswer& each) {
                           return each.status == WaitStatus::open || each.is_repeated;
                         });
  if (said.has_words && !is_for_us) return begin_or_join(conversation);
  if (!given) return std::unexpected(std::move(given).error());
  if (said.has_images) {
    return fail(ErrorCode::unsupported,
                "Beside results of tools the user may say words only: send images with the next "
                "message");
  }
  // The ids of the calls say where they belong, however often they come.
  may_come_again_ = true;
  if (conversation.is_response) completion_.mark = new_response_mark();
  return go_on(conversation, given->session.id, said.results);
}

Result<void> CompatibleRun::begin_or_join(const Conversation& conversation) {
  may_come_again_ = request_.is_known();
  const auto earlier = TRY(request_.claim(store_));
  if (earlier) {
    const bool is_joined = TRY(join(*earlier, conversation));
    if (is_joined) return {};
    TRY(request_.claim_anew(store_));
  }
  if (conversation.is_response) completion_.mark = new_response_mark();
  auto begun = start(conversation);
  if (!begun && !may_have_begun_) request_.forget(store_);
  return begun;
}

Result<CompatibleRun::Given> CompatibleRun::waits_of(const std::vector<ToolResult>& results) const {
  Given given;
  for (const ToolResult& result : results) {
    const auto handed = handed_from(result.call_id);
    const auto no_call = [&] {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("'{}' is no call that was handed out here", result.call_id));
    };
    if (!handed) return no_call();
    const auto wait = store_.get_wait(handed->wait_id);
    if (!wait && wait.error().code != ErrorCode::not_found) return std::unexpected(wait.error());
    if (!wait || wait->session_id != handed->session_id || wait->kind != WaitKind::result) {
      return no_call();
    }
    const auto top = TRY(root_session(store_, wait->session_id));
    if (given.session.id != 0 && given.session.id != top.id) return no_call();
    if (caller_.tenant && top.tenant != *caller_.tenant) return no_call();
    given.session = top;
    const Json answer(result.is_error ? "It failed: " + result.content : result.content);
    const auto known = std::ranges::find(given.answers, wait->id, &GivenAnswer::wait_id);
    if (known != given.answers.end()) {
      if (known->answer == answer) continue;
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("There are two results of the call '{}'. Nothing was taken", result.call_id));
    }
    given.answers.push_back({.session_id = wait->session_id,
                             .wait_id = wait->id,
                             .answer = answer,
                             .status = wait->status,
                             .is_repeated = wait->answer == answer});
  }
  return given;
}

// All of them or none: whoever has the turn finds out what became of each before it answers one.
Result<void> CompatibleRun::go_on(const Conversation& conversation, SessionId id,
                                  const std::vector<ToolResult>& results) {
  const auto turn = TRY(listeners_.turns().take(id, options_.turn_patience));
  const Given given = TRY(waits_of(results));
  for (const GivenAnswer& each : given.answers) {
    if (each.status == WaitStatus::open || each.is_repeated) continue;
    const auto wait = TRY(store_.get_wait(each.wait_id));
    return std::unexpected(store::not_open(wait));
  }
  usage_before_ = given.session.usage;
  if (conversation.previous && conversation.previous->session_id != id) {
    return fail(ErrorCode::invalid_argument, fmt::format("The results are of session {}, not of {}",
                                                         id, conversation.previous->session_id));
  }
  TRY(check_agent(given.session, conversation.agent));
  bool is_repeated = false;
  for (const GivenAnswer& each : given.answers) {
    answered_.insert(each.wait_id);
    is_repeated = is_repeated || each.is_repeated;
  }
  const auto open = TRY(store_.get_waits({.session_id = id, .status = WaitStatus::open}));
  std::vector<std::string> missing;
  for (const StoredWait& wait : open) {
    // The same results again: what the session has asked for since is the answer to them.
    const bool is_handed =
        handed_call({wait.session_id, wait.id, to_string(wait.kind)}, wait.shown).has_value();
    if (is_handed && !answered_.contains(wait.id) && !is_repeated) {
      missing.push_back(fmt::format("'{}'", handed_call_id(wait.session_id, wait.id)));
    }
  }
  if (!missing.empty()) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("The result of {} is missing: one request has the results of all calls "
                    "of a turn. Nothing was taken, and the session waits until they come, or their "
                    "time is over",
                    fmt::join(missing, " and of ")));
  }
  // Who joins late does not hear what was said before: all is said at the end.
  if (const auto own = options_.agents.make(conversation.agent)) {
    Agent agent = *own->agent;
    agent.sampling = sampling_from(given.session.config);
    if (!is_repeated) spoken_ = StreamedText(pace_of(agent, agent.sampling));
    agent_ = std::make_shared<const Agent>(std::move(agent));
  }
  KeptResponse beginning{.inputs = given.answers.size()};
  for (const GivenAnswer& each : given.answers) {
    beginning.results.push_back(
        {{"call_id", handed_call_id(each.session_id, each.wait_id)}, {"output", each.answer}});
  }
  Taking taking = Taking::listen;
  if (is_repeated) taking = TRY(how_to_take_up(given.session));
  beginning.after = TRY(newest_message(store_, id));
  TRY(keep(id, std::move(beginning)));
  listen_to(id);
  open_stream(id);
  bool came_twice = false;
  for (const GivenAnswer& each : given.answers) {
    if (each.is_repeated) continue;
    const auto answered = options_.runtime.answer(each.wait_id, each.answer, caller_.name);
    if (answered) continue;
    // The same request may have come twice at the same moment.
    const auto now = store_.get_wait(each.wait_id);
    if (!now || now->answer != each.answer) return std::unexpected(answered.error());
    came_twice = true;
  }
  if (came_twice) return hear_from_where_it_was_answered(id);
  if (is_repeated) return take_up(given.session, taking);
  return {};
}

// An agent goes on with its own sessions only: the record says whose tools ran.
Result<void> CompatibleRun::check_agent(const Session& session, const std::string& agent) const {
  const JsonObject* config = session.config.if_object();
  const Json* first = config == nullptr ? nullptr : config->if_contains("agent");
  // It may have been handed off since.
  const std::string theirs = first != nullptr && first->is_string()
                                 ? std::string(first->get_string())
                                 : session.agent_name;
  if (agent == theirs) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("Session {} is of the agent '{}': '{}' cannot go on with it", session.id,
                          theirs, agent));
}

Result<void> CompatibleRun::start(const Conversation& conversation) {
  if (conversation.messages.empty() || conversation.messages.back().role != Role::user) {
    return fail(ErrorCode::invalid_argument,
                "The conversation must end with the user's message, or with results of tools");
  }
  auto prepared = TRY(wanted_agent(conversation));
  Agent agent = TRY(with_caller_tools(*prepared.agent, conversation.tools));
  if (!conversation.instructions.empty()) {
    agent.instructions += "\n\n" + conversation.instructions;
  }
  std::vector<std::string> caller_tools;
  caller_tools.reserve(conversation.tools.size());
  for (const CallerTool& each : conversation.tools) caller_tools.push_back(each.name);
  TRY(grant(conversation.wishes, caller_tools, prepared.agent->tools.size(), agent));
  spoken_ = StreamedText(pace_of(*prepared.agent, agent.sampling));
  keep_wishes(prepared.config, conversation, agent);
  const Message prompt = conversation.messages.back();
  const auto made = std::make_shared<const Agent>(std::move(agent));
  agent_ = made;
  if (conversation.previous) {
    const Session session =
        TRY(session_for(store_, conversation.previous->session_id, caller_.tenant));
    TRY(check_agent(session, made->name));
    const auto turn = TRY(listeners_.turns().take(session.id, options_.turn_patience));
    const SessionId id = TRY(session_to_go_on(store_, *conversation.previous, caller_.tenant));
    auto sent = send(id, conversation, made, prompt);
    if (!sent) forget(id, id == session.id ? Leftover::stays : Leftover::goes);
    return sent;
  }
  TRY(check_driven_here(*made));
  std::vector<Message> history(conversation.messages.begin(), conversation.messages.end() - 1);
  if (!history.empty()) {
    auto told = TRY(as_conversation(std::move(history)));
    KeptResponse beginning{.inputs = told.size() + 1};
    const SessionId id = TRY(store_imported(store_, *made, prepared.config, std::move(told),
                                            title_of(prompt), caller_.tenant.value_or("")));
    if (auto kept = keep(id, std::move(beginning)); !kept) {
      forget(id, Leftover::goes);
      return kept;
    }
    listen_to(id);
    open_stream(id);
    const Session stored = TRY(store_.get_session(id));
    RunOptions how{.config = stored.config};
    take_trace(options_, trace_, how);
    auto sent = options_.runtime.send(made, id, prompt, how);
    if (!sent) forget(id, Leftover::goes);
    return sent;
  }
  RunOptions how{.config = prepared.config, .tenant = caller_.tenant.value_or("")};
  take_trace(options_, trace_, how);
  const auto started = options_.runtime.start(made, prompt, how);
  // The store may have taken what it could not say.
  may_have_begun_ = started || started.error().code == ErrorCode::storage;
  const SessionId id = TRY(started);
  TRY(keep(id, {.inputs = 1}));
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

// Before anything is stored: a conversation that nobody goes on with helps nobody.
Result<void> CompatibleRun::check_driven_here(const Agent& agent) const {
  const std::vector<std::string> labels = labels_for(agent);
  if (options_.runtime.may_drive(Session{.labels = labels})) return {};
  if (labels.empty()) {
    return fail(ErrorCode::unavailable,
                "This server drives no sessions itself: POST /api/v1/sessions leaves them to "
                "workers");
  }
  return fail(ErrorCode::unavailable,
              fmt::format("The agent {} needs {}, which this server lacks: POST /api/v1/sessions "
                          "leaves its sessions to workers",
                          agent.name, fmt::join(labels, ", ")));
}

Result<PreparedAgent> CompatibleRun::wanted_agent(const Conversation& conversation) const {
  const ResponseFormat& format = conversation.wishes.format;
  if (format.kind != ResponseFormat::Kind::json_schema) {
    return options_.agents.make(conversation.agent);
  }
  return make_answering(options_, conversation.agent, format.schema);
}

// An answer that is checked may be refused, and a turn of an agent with tools of its own may be a
// remark before a call: what was sent cannot be taken back.
StreamedText::Pace CompatibleRun::pace_of(const Agent& own, const Sampling& sampling) {
  const bool may_be_refused = own.check_answer ||
                              sampling.response_format.kind != ResponseFormat::Kind::text ||
                              sampling.tool_choice.kind == ToolChoice::Kind::one ||
                              sampling.tool_choice.kind == ToolChoice::Kind::required;
  if (may_be_refused) return StreamedText::Pace::at_end;
  const bool may_be_remark = !own.tools.empty() || own.tools_now || !sampling.vendor_tools.empty();
  return may_be_remark ? StreamedText::Pace::after_remark : StreamedText::Pace::live;
}

// The next message of a session that is there.
Result<void> CompatibleRun::send(SessionId id, const Conversation& conversation,
                                 const AgentPointer& agent, const Message& prompt) {
  const Session session = TRY(store_.get_session(id));
  // A client that has its answer may be quicker than the driver, who is still to leave the session
  // and to tell others that it has ended: that is not the end of what begins now. Somebody else may
  // have gone on with it meanwhile, which takes as long as it takes.
  if (session.ended_at) {
    const auto left = options_.runtime.wait(id, options_.turn_patience);
    if (!left && left.error().code == ErrorCode::timeout) {
      return fail(ErrorCode::unavailable,
                  fmt::format("Session {} is busy with another message: try again", id));
    }
  }
  usage_before_ = session.usage;
  Json config = session.config;
  keep_wishes(config, conversation, *agent);
  if (agent->instructions != session.system_prompt.value_or("")) {
    config.get_object()[kCallerInstructionsKey] = agent->instructions;
  }
  KeptResponse beginning{.inputs = 1};
  beginning.after = TRY(newest_message(store_, id));
  TRY(keep(id, std::move(beginning)));
  listen_to(id);
  open_stream(id);
  // Kept with the message: another process finds what this request asked for.
  RunOptions how{.config = std::move(config)};
  take_trace(options_, trace_, how);
  return options_.runtime.send(agent, id, prompt, how);
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
  if (has_ended_) return;
  const auto cancel = [&runtime = options_.runtime, id] {
    (void)runtime.cancel(id, std::string(kClientWentAway));
  };
  if (!is_streamed_) {
    if (cancels_on_disconnect_) responder_.when_closed(cancel);
    return;
  }
  stream_ = responder_.stream({.headers = {{"Content-Type", "text/event-stream"},
                                           {"Cache-Control", "no-store"},
                                           {"X-Content-Type-Options", "nosniff"},
                                           {"X-Accel-Buffering", "no"}}},
                              {.heartbeat = ": \n\n", .most_unsent = std::size_t{16} << 20});
  if (cancels_on_disconnect_) stream_->when_closed(cancel);
  stream_->write(rendering_->opening(completion_));
}

void CompatibleRun::said(std::string_view text) {
  if (text.empty()) return;
  Released released;
  const std::lock_guard lock(mutex_);
  if (has_ended_ || !stream_) return;
  if (!is_still_admitted(caller_)) {
    released = end();
    return;
  }
  const std::string piece = spoken_.add(text);
  if (!piece.empty()) stream_->write(rendering_->text(piece));
}

void CompatibleRun::begins_anew() {
  const std::lock_guard lock(mutex_);
  const std::string between = spoken_.begin_attempt();
  if (!between.empty() && !has_ended_ && stream_) stream_->write(rendering_->text(between));
  turn_text_.clear();
}

void CompatibleRun::turn_ended(std::string text, const Usage& usage) {
  const std::lock_guard lock(mutex_);
  completion_.usage += usage;
  spoken_.end_turn();
  turn_text_ = std::move(text);
}

void CompatibleRun::run_ended(std::string text, std::optional<Error> error) {
  Released released;
  const std::lock_guard lock(mutex_);
  if (has_ended_) return;
  is_over_ = true;
  completion_.text = agent_ ? as_asked(std::move(text), agent_->sampling.response_format) : text;
  completion_.is_cut = error && error->code == ErrorCode::answer_cut;
  if (!completion_.is_cut) completion_.error = std::move(error);
  released = end();
}

void CompatibleRun::waits_for(std::vector<HandedCall> calls, const std::set<WaitId>& waits) {
  Released released;
  const std::lock_guard lock(mutex_);
  if (has_ended_) return;
  // Between the answers of this request, the session waits for those that are still to come.
  const bool has_new =
      std::ranges::any_of(waits, [&](WaitId id) { return !answered_.contains(id); });
  if (!has_new) return;
  completion_.calls = std::move(calls);
  completion_.text = turn_text_;
  if (wants_single_call_ && completion_.calls.size() > 1) {
    completion_.error = Error{ErrorCode::unsupported,
                              "The model called several tools at once, though one was wished for. "
                              "The session is cancelled"};
    // Nobody is told of the calls, so nobody would ever answer them.
    (void)store_.request_cancel(completion_.session_id,
                                "Its model called several tools, one was wished for");
  }
  if (completion_.calls.empty()) {
    if (!completion_.text.empty()) completion_.text += "\n\n";
    completion_.text += waits_for_person_text(completion_.session_id);
  }
  released = end();
}

void CompatibleRun::fail_with(Error error) {
  Released released;
  const std::lock_guard lock(mutex_);
  completion_.error = std::move(error);
  released = end();
}

// Whoever reads of an error that may pass sends the request again, and all would be done twice.
bool CompatibleRun::is_final(const Error& error) const {
  if (!may_have_begun_) return false;
  if (may_come_again_ && is_passing(error)) return false;  // it will be known again
  const bool is_cancelled = error.code == ErrorCode::cancelled;
  if (is_cancelled && may_come_again_ && was_left(error.message)) return false;
  if (completion_.session_id == 0 || is_cancelled) return true;
  const auto tools = agent_ ? std::span<const Tool>(agent_->tools) : std::span<const Tool>();
  const auto acted = has_acted(store_, completion_.session_id, after_, tools);
  return !acted || *acted;
}

CompatibleRun::Released CompatibleRun::end() {
  if (std::exchange(has_ended_, true)) return {};
  if (!is_still_admitted(caller_)) {
    completion_.error = no_longer_admitted();
    completion_.text.clear();
    completion_.calls.clear();
  }
  const bool is_final = completion_.error && this->is_final(*completion_.error);
  if (is_final) {
    const std::string where =
        completion_.session_id == 0
            ? "`wright sessions` tells whether it began"
            : fmt::format("`wright sessions show {}` tells what was done", completion_.session_id);
    completion_.error->message +=
        ". Its tools may have acted, so the request is not to be sent again: " + where;
  }
  if (stream_) {
    // What was not said piece by piece is said now.
    if (!completion_.error) {
      const auto rest = spoken_.rest_of(completion_.text);
      if (!rest) completion_.error = rest.error();
      if (rest && !rest->empty()) stream_->write(rendering_->text(*rest));
    }
    keep_response();
    stream_->write(rendering_->ending(completion_));
    stream_->end();
  } else if (completion_.error) {
    keep_response();
    int status = status_of(*completion_.error);
    if (is_final) status = status_that_nobody_repeats(status);
    http::Response response = json_response(rendering_->error(*completion_.error), status);
    if (is_final) response.headers.push_back({"X-Should-Retry", "false"});
    if (status == 503 || status == 429) response.headers.push_back({"Retry-After", "1"});
    responder_.send(std::move(response));
  } else {
    keep_response();
    responder_.send(json_response(rendering_->whole(completion_)));
  }
  return {std::move(listening_), std::move(subscription_)};
}

}  // namespace wright::server
