// Agents, tools, models, figures, feedback, the description of the API, and the exchange of a
// one-time code.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <map>

#include "core/try.h"
#include "feedback/statistics.h"
#include "feedback/summary.h"
#include "server/embedded.h"
#include "server/history.h"
#include "server/problem.h"
#include "server/resources.h"
#include "server/service.h"
#include "server/snapshots.h"
#include "store/damage.h"

namespace wright::server {
namespace {

Result<StatsFilter> stats_filter(const Call& call) {
  StatsFilter filter{.agent_name = call.request.parameter("agent")};
  const auto since = TRY(call.number_of("since"));
  filter.started_since = since.value_or(0);
  filter.tenant = TRY(call.tenant());
  return filter;
}

Answer list_agents(const ServiceOptions& options) {
  JsonArray agents;
  for (const std::string& name : options.agents.names()) {
    const auto made = options.agents.make(name);
    agents.push_back(made ? agent_json(*made->agent)
                          : Json{{"name", name}, {"unavailable", made.error().message}});
  }
  return json_response({{"agents", std::move(agents)}});
}

Answer list_tools(const ServiceOptions& options) {
  std::map<std::string, Json> tools;
  for (const std::string& name : options.agents.names()) {
    const auto made = options.agents.make(name);
    if (!made) continue;
    for (const Tool& tool : made->agent->tools) tools.emplace(tool.spec.name, tool_json(tool.spec));
  }
  JsonArray list;
  for (auto& [name, tool] : tools) list.push_back(std::move(tool));
  return json_response({{"tools", std::move(list)}});
}

Answer redeem(const ServiceOptions& options, const Call& call) {
  const JsonObject body = TRY(call.body({"code"}));
  const std::string code = TRY(text_in(body, "code"));
  const auto token = options.tokens.redeem(code);
  if (!token) {
    return fail(ErrorCode::authentication,
                "This code is not known, or was used already; `wright serve` prints a new one "
                "when it starts");
  }
  return json_response({{"token", *token}});
}

// Answers with what is made for this request, or was made for another like it a moment ago.
Answer shared_answer(Snapshots& snapshots, const Call& call,
                     const std::function<Result<Json>()>& make) {
  const auto tenant = TRY(call.tenant());
  std::string text =
      TRY(snapshots.get(call.request.path + "?" + snapshot_key(call.request.query, tenant), make));
  return json_text_response(std::move(text));
}

// Page by page, sessions as well as calls: however much there is, little of it is held.
Result<Json> feedback_of_sessions(const ServiceOptions& options, const Call& call) {
  constexpr std::size_t kMostSessions = 20'000;  // the newest ones
  constexpr std::size_t kCallsOfAPage = 500;
  const StatsFilter wanted = TRY(stats_filter(call));
  SessionFilter filter{.agent_name = wanted.agent_name,
                       .tenant = wanted.tenant,
                       .started_since = wanted.started_since,
                       .limit = 200,
                       .keeps_damaged = true};
  feedback::FeedbackCollector collector;
  std::size_t seen = 0;
  bool is_complete = true;
  // What cannot be read is left out, and said so; the rest counts.
  const auto add_calls = [&](const Session& session) -> Result<void> {
    Page page{.limit = kCallsOfAPage};
    for (;;) {
      const auto calls = TRY(options.store.get_tool_calls(session.id, {.page = page}));
      collector.add_more(session, calls);
      if (calls.size() < kCallsOfAPage) return {};
      page.after = calls.back().id;
    }
  };
  for (;;) {
    const auto sessions = TRY(options.store.list_sessions(filter));
    for (const Session& session : sessions) {
      if (store::is_damaged(session)) {
        is_complete = false;
        continue;
      }
      collector.add(session, {});
      const auto added = add_calls(session);
      if (added || added.error().code == ErrorCode::not_found) continue;  // it was deleted
      if (added.error().code != ErrorCode::storage) return std::unexpected(added.error());
      is_complete = false;
    }
    seen += sessions.size();
    if (sessions.size() < filter.limit) break;
    if (seen >= kMostSessions) {
      is_complete = false;
      break;
    }
    filter.before = sessions.back().id;
  }
  Json summary = feedback::to_json(std::move(collector).finish());
  summary.as_object()["is_complete"] = is_complete;
  return summary;
}

Result<Json> history_of_sessions(const ServiceOptions& options, const Call& call) {
  const HistoryFilter filter = TRY(history_filter(call));
  return history_json(options.store, filter);
}

Result<Json> series_of(const ServiceOptions& options, const Call& call) {
  const HistoryFilter filter = TRY(history_filter(call));
  return series_json(options.store, filter);
}

Result<Json> stats_of(const ServiceOptions& options, const Call& call) {
  const auto filter = TRY(stats_filter(call));
  const auto stats = TRY(options.store.get_stats(filter));
  return feedback::to_json(feedback::statistics_of(stats));
}

Result<Json> samples_of(const ServiceOptions& options, const Call& call) {
  const auto filter = TRY(stats_filter(call));
  const auto stats = TRY(options.store.get_stats(filter));
  return samples_json(stats);
}

// Who drives what, and what waits for a driver.
Result<Json> runners_of(const ServiceOptions& options, const Call& call) {
  const auto tenant = TRY(call.tenant());
  constexpr std::size_t kMostListed = 500;
  std::map<RunnerId, JsonArray> held;
  JsonArray abandoned;
  for (const Session& session : TRY(options.store.list_sessions({.status = SessionStatus::running,
                                .tenant = tenant,
                                .is_root = true,
                                .limit = kMostListed}))) {
    (session.runner_id ? held[*session.runner_id] : abandoned).push_back(session.id);
  }
  JsonArray list;
  for (const Runner& runner : TRY(options.store.get_runners())) {
    // What others have on their machines is not for a tenant to know.
    if (tenant && !held.contains(runner.id)) continue;
    list.push_back({{"id", runner.id},
                    {"name", runner.name},
                    {"expires_at", runner.expires_at},
                    {"is_alive", runner.expires_at > system_clock_ms()},
                    {"sessions", std::move(held[runner.id])}});
  }
  JsonArray queue;
  for (const Session& session : TRY(options.store.list_sessions({.status = SessionStatus::queued,
                                .tenant = tenant,
                                .is_root = true,
                                .limit = kMostListed}))) {
    queue.push_back({{"id", session.id},
                     {"agent", session.agent_name},
                     {"priority", session.priority},
                     {"queued_at", session.started_at},
                     {"ready_at", session.ready_at ? Json(*session.ready_at) : Json(nullptr)},
                     {"labels", JsonArray(session.labels.begin(), session.labels.end())}});
  }
  JsonObject answer{{"runners", std::move(list)},
                    {"queue", std::move(queue)},
                    {"abandoned", std::move(abandoned)}};
  if (!tenant) answer["running_here"] = static_cast<std::int64_t>(options.runtime.running());
  return Json(std::move(answer));
}

}  // namespace

std::vector<Route> information_routes(const ServiceOptions& options) {
  const auto snapshots = std::make_shared<Snapshots>(options.ages.figures);
  const auto shared = [&options,
                       snapshots](Result<Json> (*make)(const ServiceOptions&, const Call&)) {
    return [&options, snapshots, make](Call& call) {
      return shared_answer(*snapshots, call, [&] { return make(options, call); });
    };
  };
  return {
      {"GET", "/api/v1/agents", Access::known, Scope::read,
       [&options](Call&) { return list_agents(options); }},
      {"GET", "/api/v1/agents/{name}", Access::known, Scope::read,
       [&options](Call& call) -> Answer {
         const auto made = TRY(options.agents.make(call.words.at(0)));
         return json_response(agent_json(*made.agent));
       }},
      {"GET", "/api/v1/tools", Access::known, Scope::read,
       [&options](Call&) { return list_tools(options); }},
      {"GET", "/api/v1/models", Access::known, Scope::read,
       [&options](Call&) -> Answer {
         return json_response({{"models", options.models ? options.models() : Json(JsonArray())}});
       }},
      {"GET", "/api/v1/stats", Access::known, Scope::read, shared(stats_of)},
      {"GET", "/api/v1/stats/samples", Access::known, Scope::read, shared(samples_of)},
      {"GET", "/api/v1/stats/history", Access::known, Scope::read, shared(history_of_sessions)},
      {"GET", "/api/v1/stats/series", Access::known, Scope::read, shared(series_of)},
      {"GET", "/api/v1/runners", Access::known, Scope::read, shared(runners_of)},
      {"GET", "/api/v1/feedback", Access::known, Scope::read, shared(feedback_of_sessions)},
      {"GET", "/api/v1/openapi.json", Access::known, Scope::read,
       [](Call&) -> Answer {
         return http::Response{.headers = {{"Content-Type", "application/json"}},
                               .body = std::string(openapi_document())};
       }},
      {"POST", "/api/v1/login", Access::anybody, Scope::read,
       [&options](Call& call) { return redeem(options, call); }},
  };
}

}  // namespace wright::server
