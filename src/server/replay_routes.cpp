// Looking closer at what a session did: what a model was sent and answered, and whether it would
// come out the same today.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <memory>
#include <stop_token>

#include "core/try.h"
#include "server/problem.h"
#include "server/replay_thread.h"
#include "server/resources.h"
#include "server/sent_request.h"
#include "server/service.h"
#include "wright/replay.h"

namespace wright::server {
namespace {

constexpr std::size_t kLongestDifference = 64 * 1024;

Json difference_json(const Difference& difference) {
  return with_short_texts(
      {{"kind", to_string(difference.kind)},
       {"what", difference.what},
       {"message",
        difference.message ? Json(static_cast<std::int64_t>(*difference.message)) : Json(nullptr)},
       {"specialists", JsonArray(difference.specialists.begin(), difference.specialists.end())},
       {"recorded", difference.recorded},
       {"now", difference.now}},
      kLongestDifference);
}

// With the agent as it is now, or as the record tells where it cannot be made. Nothing is executed.
Result<http::Response> replayed(const ServiceOptions& options, const Session& session,
                                const std::stop_token& stop) {
  const RecordedSession recorded = TRY(load_recording(options.store, session.id));
  const auto agent = options.agents.of_session(session);
  const ReplayReport report =
      TRY(replay(agent ? **agent : recorded_agent(recorded), recorded, {.stop = stop}));
  JsonArray differences;
  for (const Difference& each : report.differences) differences.push_back(difference_json(each));
  return json_response({{"is_same", report.differences.empty()},
                        {"is_complete", report.is_complete},
                        {"agent_is_from_record", !agent.has_value()},
                        {"turns", report.turns},
                        {"calls", report.recorded_calls},
                        {"notes", JsonArray(report.notes.begin(), report.notes.end())},
                        {"differences", std::move(differences)}});
}

// For as long as its client is there.
Answer replay_session(const ServiceOptions& options, ReplayThread& replays, const Call& call) {
  const SessionId id = TRY(call.number());
  const Session session = TRY(options.store.get_session(id));
  auto stop = TRY(replays.begin([&options, session, responder = call.responder,
                                 path = call.request.path](const std::stop_token& stop) {
    auto answered = replayed(options, session, stop);
    return [responder,
            answer = answered ? std::move(*answered) : error_response(path, answered.error())] {
      send_answer(responder, answer);
    };
  }));
  call.responder.when_closed([stop]() mutable { stop.request_stop(); });
  return std::nullopt;
}

// The model's turn of that number, from 1: all that it could read, and what it answered. What its
// request left out to fit into the window is not left out here; `sent` has it as it went over the
// wire, as far as that can be told now.
Answer show_turn(const ServiceOptions& options, const Call& call) {
  const SessionId id = TRY(call.number());
  const std::int64_t wanted = TRY(call.number(1));
  const Session session = TRY(options.store.get_session(id));
  std::vector<Message> before;
  std::int64_t turn = 0;
  Page page{.limit = 200};
  while (true) {
    auto messages = TRY(options.store.get_messages(id, page));
    for (StoredMessage& message : messages) {
      const bool is_answer = message.message.role == Role::assistant;
      if (!is_answer || ++turn != wanted) {
        before.push_back(std::move(message.message));
        continue;
      }
      JsonArray said;
      for (const Message& each : before) said.push_back(to_json(each));
      const auto made = options.agents.of_session(session);
      Json tools = nullptr;
      if (made) {
        tools = JsonArray();
        for (const Tool& tool : (*made)->tools) tools.as_array().push_back(tool_json(tool.spec));
      }
      return json_response(
          {{"turn", turn},
           {"request",
            {{"provider", session.provider},
             {"model", session.model},
             {"system", session.system_prompt ? Json(*session.system_prompt) : Json(nullptr)},
             {"messages", std::move(said)},
             {"tools", std::move(tools)}}},
           {"sent", sent_json(made, session, std::move(before), call.request.parameter("sent"))},
           {"answer", to_json(message.message)}});
    }
    if (messages.size() < page.limit) break;
    page.after = messages.back().id;
  }
  return fail(ErrorCode::not_found, fmt::format("Session {} has {} turns of its model", id, turn));
}

}  // namespace

std::vector<Route> replay_routes(const ServiceOptions& options) {
  const auto replays = std::make_shared<ReplayThread>(options.ending);
  return {
      {"POST", "/api/v1/sessions/{id}/replay", Access::known, Scope::run,
       [&options, replays](Call& call) { return replay_session(options, *replays, call); }},
      {"GET", "/api/v1/sessions/{id}/turns/{turn}", Access::known, Scope::read,
       [&options](Call& call) { return show_turn(options, call); }},
  };
}

}  // namespace wright::server
