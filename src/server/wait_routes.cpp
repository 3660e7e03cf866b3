// What waits for a person: list and answer. And the events of sessions, as a page or as a stream.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <charconv>

#include "core/try.h"
#include "server/problem.h"
#include "server/resources.h"
#include "server/service.h"
#include "server/snapshots.h"
#include "store/readable_waits.h"

namespace wright::server {
namespace {

Result<WaitFilter> wait_filter(const Call& call, std::optional<SessionId> session_id) {
  WaitFilter filter{.session_id = session_id, .status = WaitStatus::open};
  if (const auto status = call.request.parameter("status")) {
    filter.status.reset();
    if (*status != "any") filter.status = TRY(wait_status_from(*status));
  }
  filter.tenant = TRY(call.tenant());
  filter.page = TRY(call.page());
  return filter;
}

Result<Json> waits_json(Store& store, const WaitFilter& filter) {
  const auto found = TRY(store::readable_waits(store, filter));
  JsonArray list;
  for (const StoredWait& wait : found.waits) {
    Json json = wait_json(wait);
    const auto calls =
        store.get_tool_calls(wait.session_id, {.page = {.after = wait.call_id - 1, .limit = 1}});
    if (calls && !calls->empty()) {
      json.as_object()["tool"] = calls->front().tool_name;
      json.as_object()["arguments"] = calls->front().request;
    }
    if (const auto root = root_session(store, wait.session_id)) {
      json.as_object()["root_session_id"] = root->id;
      json.as_object()["agent"] = root->agent_name;
    }
    list.push_back(std::move(json));
  }
  JsonArray damaged;
  for (const store::DamagedWait& each : found.damaged) {
    damaged.push_back(
        {{"wait_id", each.id}, {"session_id", each.session_id}, {"error", each.error.message}});
  }
  JsonObject json{{"waits", std::move(list)}};
  if (!damaged.empty()) json["damaged"] = std::move(damaged);
  return json;
}

// Of all sessions: every page that is open somewhere counts them.
Answer list_all_waits(const ServiceOptions& options, Snapshots& snapshots, const Call& call) {
  const WaitFilter filter = TRY(wait_filter(call, std::nullopt));
  std::string text = TRY(snapshots.get(snapshot_key(call.request.query, filter.tenant),
                                       [&] { return waits_json(options.store, filter); }));
  return json_text_response(std::move(text));
}

Answer list_waits_of(const ServiceOptions& options, const Call& call, SessionId id) {
  const WaitFilter filter = TRY(wait_filter(call, id));
  const Json waits = TRY(waits_json(options.store, filter));
  return json_response(waits);
}

Answer answer_one(const ServiceOptions& options, const Call& call) {
  const WaitId id = TRY(call.number());
  const JsonObject body = TRY(call.body({"answer"}));
  const Json* answer = body.if_contains("answer");
  if (answer == nullptr) return fail(ErrorCode::invalid_argument, "'answer' is missing");
  const StoredWait wait = TRY(options.runtime.answer(id, *answer, call.caller.name));
  return json_response(wait_json(wait));
}

// The hub writes a quarter of a megabyte at a time, and one event may be longer.
constexpr std::size_t kMostUnsent = std::size_t{16} << 20;

bool wants_stream(const http::Request& request) {
  return request.header("Accept").find("text/event-stream") != std::string_view::npos;
}

// A few at a time: each may be large, and what is left out of them was read all the same.
Answer page_of_events(const ServiceOptions& options, const Call& call, EventFilter filter) {
  constexpr std::size_t kAtATime = 50;
  constexpr std::size_t kEnoughBytes = std::size_t{4} << 20;
  const std::size_t wanted = TRY(call.page_size());
  JsonArray list;
  bool has_more = false;
  for (std::size_t bytes = 0; list.size() < wanted && bytes < kEnoughBytes;) {
    filter.limit = std::min(kAtATime, wanted - list.size());
    const auto events = TRY(options.store.get_events(filter));
    for (const StoredEvent& event : events) {
      list.push_back(event_json(event));
      bytes += to_text(event.data).size();
    }
    has_more = events.size() == filter.limit;
    if (!has_more) break;
    filter.after = events.back().sequence;
  }
  return json_response({{"events", std::move(list)}, {"has_more", has_more}});
}

Answer events_of(const ServiceOptions& options, const Call& call,
                 std::optional<SessionId> session_id) {
  if (session_id) TRY(options.store.get_session(*session_id));
  auto after = TRY(call.number_of("after"));
  if (const std::string_view last = call.request.header("Last-Event-ID"); !last.empty()) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), number);
    if (error != std::errc() || end != last.data() + last.size()) {
      return fail(ErrorCode::invalid_argument, "Last-Event-ID must be the number of an event");
    }
    after = number;
  }
  const auto tenant = TRY(call.tenant());
  if (!wants_stream(call.request)) {
    return page_of_events(options, call,
                          {.after = after.value_or(0), .session_id = session_id, .tenant = tenant});
  }
  // All of a session, but of all sessions what is new.
  const EventSequence from = after ? *after : session_id ? 0 : options.events.newest();
  http::Stream stream = call.responder.stream(
      {.headers = {{"Content-Type", "text/event-stream"},
                   {"Cache-Control", "no-store"},
                   {"X-Content-Type-Options", "nosniff"},
                   {"X-Accel-Buffering", "no"}}},
      {.heartbeat = ": \n\n", .most_unsent = kMostUnsent, .ends_with_drain = true});
  // Proxies hold the head back until the first byte of the body.
  stream.write("retry: 1000\n\n");
  options.events.listen(std::move(stream), from, {session_id, tenant}, call.caller.is_admitted);
  return std::nullopt;
}

}  // namespace

std::vector<Route> wait_routes(const ServiceOptions& options) {
  const auto snapshots = std::make_shared<Snapshots>(options.ages.waits);
  return {
      {"GET", "/api/v1/waits", Access::known, Scope::read,
       [&options, snapshots](Call& call) { return list_all_waits(options, *snapshots, call); }},
      {"GET", "/api/v1/sessions/{id}/waits", Access::known, Scope::read,
       [&options](Call& call) -> Answer {
         const SessionId id = TRY(call.number());
         TRY(options.store.get_session(id));
         return list_waits_of(options, call, id);
       }},
      {"GET", "/api/v1/waits/{id}", Access::known, Scope::read,
       [&options](Call& call) -> Answer {
         const WaitId id = TRY(call.number());
         const StoredWait wait = TRY(options.store.get_wait(id));
         return json_response(wait_json(wait));
       }},
      {"POST", "/api/v1/waits/{id}/answer", Access::known, Scope::answer,
       [&options, snapshots](Call& call) {
         Answer answer = answer_one(options, call);
         snapshots->forget();
         return answer;
       }},
  };
}

std::vector<Route> event_routes(const ServiceOptions& options) {
  return {
      {"GET", "/api/v1/events", Access::known, Scope::read,
       [&options](Call& call) { return events_of(options, call, std::nullopt); }},
      {"GET", "/api/v1/sessions/{id}/events", Access::known, Scope::read,
       [&options](Call& call) -> Answer {
         const SessionId id = TRY(call.number());
         return events_of(options, call, id);
       }},
  };
}

}  // namespace wright::server
