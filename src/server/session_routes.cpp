// Sessions: begin, continue, list, show, cancel, fork, resume, delete, export.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "core/try.h"
#include "core/user_message.h"
#include "runtime/session_removal.h"
#include "server/content_parts.h"
#include "server/held_answer.h"
#include "server/idempotency.h"
#include "server/problem.h"
#include "server/request_trace.h"
#include "server/resources.h"
#include "server/service.h"
#include "server/imported_history.h"
#include "wright/driver.h"

namespace wright::server {
namespace {

constexpr std::size_t kSessionsOfAPage = 50;
constexpr std::size_t kLongestInList = 2'000;
constexpr std::int64_t kLongestDelayMs = 366LL * 24 * 3600 * 1000;

Answer list_sessions(const ServiceOptions& options, const Call& call) {
  SessionFilter filter{.agent_name = call.request.parameter("agent"),
                       .text = call.request.parameter("search").value_or("")};
  filter.tenant = TRY(call.tenant());
  if (const auto status = call.request.parameter("status")) {
    filter.status = TRY(session_status_from(*status));
  }
  filter.parent_session_id = TRY(call.number_of("parent"));
  const auto since = TRY(call.number_of("since"));
  filter.started_since = since.value_or(0);
  filter.is_root = call.request.parameter("root") == "true";
  filter.after = TRY(call.number_of("after"));
  filter.before = TRY(call.number_of("before"));
  const std::size_t size = TRY(call.page_size(kSessionsOfAPage));
  filter.limit = size + 1;  // whether there is more
  filter.keeps_damaged = true;
  auto sessions = TRY(options.store.list_sessions(filter));
  const bool has_more = sessions.size() > size;
  if (has_more) sessions.resize(size);
  JsonArray list;
  const bool is_detailed = call.request.parameter("details") == "all";
  for (const Session& session : sessions) {
    list.push_back(is_detailed ? detailed_session_json(session)
                               : with_short_texts(session_json(session), kLongestInList));
  }
  return json_response({{"sessions", std::move(list)},
                        {"next", has_more ? Json(sessions.back().id) : Json(nullptr)}});
}

Result<RunOptions> run_options(const JsonObject& body, Json config) {
  RunOptions start{.config = std::move(config)};
  const Json* people = body.if_contains("people");
  if (people != nullptr) {
    const std::string word = TRY(text_in(body, "people"));
    if (word == "nobody") {
      start.people = People::nobody;
    } else if (word != "may_answer_later") {
      return fail(ErrorCode::invalid_argument, "'people' must be may_answer_later or nobody");
    }
  }
  if (const Json* debug = body.if_contains("debug")) {
    if (!debug->is_bool()) return fail(ErrorCode::invalid_argument, "'debug' must be a boolean");
    start.debug = debug->get_bool();
  }
  return start;
}

http::Response created(const Json& session, SessionId id) {
  http::Response response = json_response(session, 201);
  response.headers.push_back({"Location", fmt::format("/api/v1/sessions/{}", id)});
  return response;
}

// It goes on; what follows is told by events after `last_event`.
Answer accepted(const ServiceOptions& options, SessionId id, EventSequence last_event) {
  const Session session = TRY(options.store.get_session(id));
  Json json = session_json(session);
  json.as_object()["last_event"] = last_event;
  return json_response(json, 202);
}

Result<PreparedAgent> wanted_agent(const ServiceOptions& options, const JsonObject& body) {
  const std::string name = TRY(text_in(body, "agent"));
  const Json* schema = body.if_contains("schema");
  if (schema == nullptr) return options.agents.make(name);
  return make_answering(options, name, *schema);
}

using Labels = std::vector<std::string>;

// How a session waits in the queue.
struct Queueing {
  int priority = 0;
  std::optional<std::int64_t> ready_at = {};
  std::optional<Labels> labels = {};
};

// "queue": {"priority", "delay_ms", "labels"}, each of them as it likes.
Result<Queueing> queueing_from(const Json& queue) {
  const JsonObject* wanted = queue.if_object();
  if (wanted == nullptr) return fail(ErrorCode::invalid_argument, "'queue' must be an object");
  Queueing queueing;
  for (const auto& [key, value] : *wanted) {
    if (key == "priority" && value.is_int64() && std::in_range<int>(value.get_int64())) {
      queueing.priority = static_cast<int>(value.get_int64());
    } else if (key == "delay_ms" && value.is_int64() && value.get_int64() >= 0 &&
               value.get_int64() <= kLongestDelayMs) {
      if (value.get_int64() > 0) queueing.ready_at = system_clock_ms() + value.get_int64();
    } else if (key == "labels" && value.is_array() &&
               std::ranges::all_of(value.get_array(),
                                   [](const Json& each) { return each.is_string(); })) {
      queueing.labels.emplace();
      for (const Json& each : value.get_array()) queueing.labels->emplace_back(each.get_string());
    } else {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("'queue' has no {} of that kind", std::string_view(key)));
    }
  }
  return queueing;
}

// What only whoever drives a session can keep.
Result<void> check_for_workers(bool is_held, const RunOptions& start) {
  if (is_held) {
    return fail(ErrorCode::unsupported,
                "'cancel_on_disconnect' is not for a session that is left to workers");
  }
  if (start.people == People::nobody) {
    return fail(ErrorCode::unsupported,
                "'people' cannot be nobody for a session that is left to workers");
  }
  return {};
}

void tell_of_queued(const ServiceOptions& options) {
  if (options.queued) options.queued();
}

// For a worker of the same store. This server does not drive it.
Answer queue_session(const ServiceOptions& options, const Queueing& queueing, const Message& prompt,
                     const PreparedAgent& prepared, const RunOptions& start) {
  const Agent& agent = *prepared.agent;
  NewSession session{.agent_name = agent.name,
                     .provider = agent.model.provider(),
                     .model = agent.model.name(),
                     .user_prompt = title_of(prompt),
                     .config = start.config,
                     .is_queued = true,
                     .priority = queueing.priority,
                     .ready_at = queueing.ready_at,
                     .labels = labels_for(agent, queueing.labels.value_or(Labels())),
                     .tenant = start.tenant};
  if (!agent.instructions.empty()) session.system_prompt = agent.instructions;
  // Words alone stand in the session itself.
  Batch batch{.create = std::move(session)};
  if (prompt != Message::user(prompt.text())) batch.writes.emplace_back(AppendMessage{0, prompt});
  options.queue_limits.add_to(batch.writes, start.tenant);
  Result<BatchIds> written = std::move(options.store.apply_all({&batch, 1}).front());
  const BatchIds ids = TRY(std::move(written));
  tell_of_queued(options);
  const Session stored = TRY(options.store.get_session(ids.session));
  return created(session_json(stored), ids.session);
}

Answer create_session(const ServiceOptions& options, const Call& call) {
  const JsonObject body = TRY(call.body({"agent", "prompt", "parts", "people", "debug", "tenant", "schema", "queue", "cancel_on_disconnect"}));
  Message prompt = TRY(message_in(body, "prompt"));
  if (is_blank(display_text(prompt))) return fail(ErrorCode::invalid_argument, "'prompt' is empty");
  auto prepared = TRY(wanted_agent(options, body));
  auto start = TRY(run_options(body, std::move(prepared.config)));
  std::optional<std::string> wanted;
  if (body.contains("tenant")) wanted = TRY(text_in(body, "tenant"));
  const auto tenant = TRY(call.tenant(std::move(wanted)));
  start.tenant = tenant.value_or("");
  take_trace(options, trace_of(call.request), start);
  const bool is_held = TRY(wants_held_answer(body, call));
  Queueing queueing;
  const Json* queue = body.if_contains("queue");
  if (queue != nullptr) queueing = TRY(queueing_from(*queue));
  if (queue != nullptr ||
      !options.runtime.may_drive(Session{.labels = labels_for(*prepared.agent)})) {
    TRY(check_for_workers(is_held, start));
    return queue_session(options, queueing, prompt, prepared, start);
  }
  const SessionId id =
      TRY(options.runtime.start(prepared.agent, std::move(prompt), std::move(start)));
  const Session session = TRY(options.store.get_session(id));
  http::Response response = created(session_json(session), id);
  if (!is_held) return response;
  TRY(std::make_shared<HeldAnswer>(options, call.responder, id, std::move(response))->begin());
  return std::nullopt;
}

// The next message of a session that has ended, for a worker of the same store.
Result<void> queue_message(const ServiceOptions& options, const Session& session, Message message,
                           const Queueing& queueing) {
  if (queueing.labels) {
    return fail(ErrorCode::invalid_argument,
                "'queue' of a message has no labels: the session keeps those that it began with");
  }
  Message checked = TRY(checked_user_message(std::move(message)));
  std::vector<Write> writes{Enqueue{.session_id = session.id,
                                    .message = std::move(checked),
                                    .priority = queueing.priority,
                                    .ready_at = queueing.ready_at}};
  options.queue_limits.add_to(writes, session.tenant);
  TRY(options.store.apply(writes));
  tell_of_queued(options);
  return {};
}

Answer send_message(const ServiceOptions& options, const Call& call) {
  const SessionId id = TRY(call.number());
  const JsonObject body = TRY(call.body({"text", "parts", "steer", "queue", "people", "debug", "cancel_on_disconnect"}));
  Message message = TRY(message_in(body, "text"));
  const Session before = TRY(options.store.get_session(id));
  const Json* steer = body.if_contains("steer");
  if (steer != nullptr && !steer->is_bool()) {
    return fail(ErrorCode::invalid_argument, "'steer' must be a boolean");
  }
  const bool steers = steer != nullptr && steer->get_bool();
  const Json* queue = body.if_contains("queue");
  if (steers && queue != nullptr) {
    return fail(ErrorCode::invalid_argument, "'steer' and 'queue' exclude each other");
  }
  const EventSequence last_event = options.events.newest();
  const bool is_for_workers = !options.runtime.may_drive(before) && (!steers || before.ended_at);
  const bool is_held = TRY(wants_held_answer(body, call));
  auto start = TRY(run_options(body, before.config));
  if (queue != nullptr || is_for_workers) {
    Queueing queueing;
    if (queue != nullptr) queueing = TRY(queueing_from(*queue));
    TRY(check_for_workers(is_held, start));
    TRY(queue_message(options, before, std::move(message), queueing));
    return accepted(options, id, last_event);
  }
  auto agent = TRY(options.agents.of_session(before));
  take_trace(options, trace_of(call.request), start);
  if (steers) {
    TRY(options.runtime.steer(std::move(agent), id, std::move(message), std::move(start)));
  } else if (is_held) {
    const auto held = std::make_shared<HeldAnswer>(options, call.responder, id, json_response({}));
    held->listen();
    auto sent = options.runtime.send(std::move(agent), id, std::move(message), std::move(start));
    if (!sent) {
      held->drop();
      return std::unexpected(std::move(sent).error());
    }
    held->goes_on();
    return std::nullopt;
  } else {
    TRY(options.runtime.send(std::move(agent), id, std::move(message), std::move(start)));
  }
  return accepted(options, id, last_event);
}

Answer show_session(const ServiceOptions& options, const Call& call) {
  const SessionId id = TRY(call.number());
  const Session session = TRY(options.store.get_session(id));
  const bool is_detailed = call.request.parameter("details") == "all";
  Json json = is_detailed ? detailed_session_json(session) : session_json(session);
  if (call.request.parameter("texts") == "short") json = with_short_texts(std::move(json));
  JsonArray children;
  const auto below = TRY(options.store.list_sessions({.parent_session_id = id, .limit = kNoLimit}));
  for (const Session& child : below) children.push_back(child.id);
  json.as_object()["children"] = std::move(children);
  return json_response(json);
}

Answer list_messages(const ServiceOptions& options, const Call& call) {
  const SessionId id = TRY(call.number());
  const Session session = TRY(options.store.get_session(id));
  const auto told = TRY(last_imported(options.store, session));
  const Page page = TRY(call.page());
  const bool is_short = call.request.parameter("texts") == "short";
  JsonArray list;
  for (const StoredMessage& message : TRY(options.store.get_messages(id, page))) {
    Json json = message_json(message, told && message.id <= *told);
    list.push_back(is_short ? with_short_texts(std::move(json)) : std::move(json));
  }
  return json_response({{"messages", std::move(list)}});
}

Answer list_calls(const ServiceOptions& options, const Call& call) {
  const SessionId id = TRY(call.number());
  TRY(options.store.get_session(id));
  CallFilter filter;
  filter.page = TRY(call.page());
  if (const auto status = call.request.parameter("status")) {
    filter.status = TRY(call_status_from(*status));
  }
  const bool is_short = call.request.parameter("texts") == "short";
  JsonArray list;
  for (const StoredCall& each : TRY(options.store.get_tool_calls(id, filter))) {
    Json json = call_json(each);
    list.push_back(is_short ? with_short_texts(std::move(json)) : std::move(json));
  }
  return json_response({{"calls", std::move(list)}});
}

// One call, whole, by the model's id of it: the newest of that name.
Answer show_call(const ServiceOptions& options, const Call& call) {
  const SessionId id = TRY(call.number());
  TRY(options.store.get_session(id));
  const auto calls = TRY(options.store.get_tool_calls(
      id, {.page = {.limit = 1, .keep = Page::Keep::last}, .tool_call_id = call.words.at(1)}));
  if (!calls.empty()) return json_response(call_json(calls.front()));
  return fail(ErrorCode::not_found,
              fmt::format("Session {} has no call '{}'", id, call.words.at(1)));
}

Result<Json> exported(Store& store, SessionId id) {
  const Session session = TRY(store.get_session(id));
  Json json = detailed_session_json(session);
  JsonObject& object = json.as_object();
  JsonArray messages;
  const auto told = TRY(last_imported(store, session));
  for (const StoredMessage& each : TRY(store.get_messages(id))) {
    messages.push_back(message_json(each, told && each.id <= *told));
  }
  JsonArray calls;
  for (const StoredCall& each : TRY(store.get_tool_calls(id))) calls.push_back(call_json(each));
  JsonArray waits;
  for (const StoredWait& each : TRY(store.get_waits({.session_id = id}))) {
    if (each.session_id == id) waits.push_back(wait_json(each));
  }
  JsonArray children;
  const auto below = TRY(store.list_sessions({.parent_session_id = id, .limit = kNoLimit}));
  for (const Session& child : below) {
    auto below_json = TRY(exported(store, child.id));
    children.push_back(std::move(below_json));
  }
  object["messages"] = std::move(messages);
  object["calls"] = std::move(calls);
  object["waits"] = std::move(waits);
  object["children"] = std::move(children);
  return json;
}

Answer cancel_session(const ServiceOptions& options, const Call& call) {
  const SessionId id = TRY(call.number());
  const JsonObject body = TRY(call.body({"reason"}));
  std::string reason =
      TRY(text_in(body, "reason", fmt::format("Cancelled by {}", call.caller.name)));
  if (options.without_keys) reason = options.without_keys(std::move(reason));
  TRY(options.runtime.cancel(id, std::move(reason)));
  const Session session = TRY(options.store.get_session(id));
  return json_response(session_json(session), 202);
}

Answer fork_session(const ServiceOptions& options, const Call& call) {
  const SessionId id = TRY(call.number());
  const JsonObject body = TRY(call.body({"message_id"}));
  const auto messages = TRY(options.store.get_messages(id, {.limit = 1, .keep = Page::Keep::last}));
  MessageId last = messages.empty() ? 0 : messages.back().id;
  if (const Json* at = body.if_contains("message_id")) {
    if (!at->is_int64()) {
      return fail(ErrorCode::invalid_argument, "'message_id' must be the number of a message");
    }
    last = at->get_int64();
  }
  const SessionId fork = TRY(options.store.fork_session(id, last));
  const Session session = TRY(options.store.get_session(fork));
  return created(session_json(session), fork);
}

Answer resume_session(const ServiceOptions& options, const Call& call) {
  const SessionId id = TRY(call.number());
  const JsonObject body = TRY(call.body({"settlements"}));
  Settlements settlements;
  if (const Json* given = body.if_contains("settlements")) {
    if (!given->is_object()) {
      return fail(ErrorCode::invalid_argument,
                  "'settlements' must be an object: the id of a call to done, failed or retry");
    }
    for (const auto& [call_id, word] : given->get_object()) {
      if (!word.is_string()) {
        return fail(ErrorCode::invalid_argument, "A settlement is done, failed or retry");
      }
      const auto settlement = TRY(settlement_from(word.get_string()));
      settlements[std::string(call_id)] = settlement;
    }
  }
  const Session before = TRY(options.store.get_session(id));
  auto agent = TRY(options.agents.of_session(before));
  RunOptions how{.config = before.config, .settlements = std::move(settlements)};
  take_trace(options, trace_of(call.request), how);
  const EventSequence last_event = options.events.newest();
  TRY(options.runtime.resume(std::move(agent), id, std::move(how)));
  return accepted(options, id, last_event);
}

}  // namespace

std::vector<Route> session_routes(const ServiceOptions& options) {
  const auto once = std::make_shared<IdempotentAnswers>(options.store);
  const auto with = [&options](Answer (*answer)(const ServiceOptions&, const Call&)) {
    return [&options, answer](Call& call) { return answer(options, call); };
  };
  const auto once_with = [&options, once](Answer (*answer)(const ServiceOptions&, const Call&)) {
    return [&options, once, answer](Call& call) {
      return once->once(call, [&] { return answer(options, call); });
    };
  };
  const std::string one = "/api/v1/sessions/{id}";
  return {
      {"GET", "/api/v1/sessions", Access::known, Scope::read, with(list_sessions)},
      {"POST", "/api/v1/sessions", Access::known, Scope::run, once_with(create_session)},
      {"GET", one, Access::known, Scope::read, with(show_session)},
      {"DELETE", one, Access::known, Scope::admin,
       [&options](Call& call) -> Answer {
         const SessionId id = TRY(call.number());
         TRY(runtime::remove_session(options.store, id));
         (void)recall_messages(options.store, id);
         return http::Response{.status = 204};
       }},
      {"GET", one + "/messages", Access::known, Scope::read, with(list_messages)},
      {"POST", one + "/messages", Access::known, Scope::run, once_with(send_message)},
      {"GET", one + "/calls", Access::known, Scope::read, with(list_calls)},
      {"GET", one + "/calls/{call}", Access::known, Scope::read, with(show_call)},
      {"GET", one + "/export", Access::known, Scope::read,
       [&options](Call& call) -> Answer {
         const SessionId id = TRY(call.number());
         const Json json = TRY(exported(options.store, id));
         return json_response(json);
       }},
      {"POST", one + "/cancel", Access::known, Scope::run, with(cancel_session)},
      {"POST", one + "/fork", Access::known, Scope::run, once_with(fork_session)},
      {"POST", one + "/resume", Access::known, Scope::run, once_with(resume_session)},
  };
}

}  // namespace wright::server
