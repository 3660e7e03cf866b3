// What a server says: answers, requests of its own, progress, and news for those who listen.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

#include "core/enum_names.h"
#include "mcp/elicitation.h"
#include "mcp/request_state.h"
#include "mcp/server.h"
#include "mcp/task.h"

namespace wright::mcp {
namespace {

// Answers that a client may keep for a while.
bool is_cacheable(std::string_view method) {
  return method == "server/discover" || method == "resources/read" || method.ends_with("/list");
}

bool is_true(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

JsonObject tagged(JsonObject params, const RequestId& subscription) {
  params["_meta"] = JsonObject{{meta::kSubscription, subscription}};
  return params;
}

}  // namespace

JsonObject ServerMachine::capabilities(std::string_view version) const {
  JsonObject all;
  // What is told without being asked needs a connection that stays, or a request that listens.
  const bool tells =
      offer_->has_news && (version == kModernVersion || offer_->has_lasting_connections);
  const JsonObject changing = tells ? JsonObject{{"listChanged", true}} : JsonObject{};
  if (offer_->has_tools) all["tools"] = changing;
  if (offer_->has_resources) {
    all["resources"] =
        tells ? JsonObject{{"subscribe", true}, {"listChanged", true}} : JsonObject{};
  }
  if (offer_->has_prompts) all["prompts"] = changing;
  if (offer_->has_completions) all["completions"] = JsonObject{};
  if (offer_->has_logging) all["logging"] = JsonObject{};
  if (!offer_->has_tasks) return all;
  if (version == kModernVersion) return with_tasks_extension(std::move(all));
  if (version == kNewestLegacyVersion) {
    const JsonObject requests{{"tools", JsonObject{{"call", JsonObject{}}}}};
    all["tasks"] = JsonObject{{"cancel", JsonObject{}}, {"requests", requests}};
  }
  return all;
}

// What the newest revision wants in every result.
JsonObject ServerMachine::decorated(JsonObject result, Era era, std::string_view method) const {
  if (era == Era::legacy) return result;
  if (!result.contains("resultType")) result["resultType"] = "complete";
  if (is_cacheable(method)) {
    if (!result.contains("ttlMs")) result["ttlMs"] = offer_->ttl_ms;
    if (!result.contains("cacheScope")) {
      result["cacheScope"] = offer_->is_same_for_all ? "public" : "private";
    }
  }
  Json& meta = result["_meta"];
  if (!meta.is_object()) meta.emplace_object();
  meta.get_object()[meta::kServerInfo] = to_json(offer_->self);
  return result;
}

void ServerMachine::discover(const Request& request, ServerActions& actions) {
  JsonObject result{{"supportedVersions", JsonArray{kModernVersion}},
                    {"capabilities", capabilities(kModernVersion)}};
  if (!offer_->instructions.empty()) result["instructions"] = offer_->instructions;
  result = decorated(std::move(result), Era::modern, request.method);
  reply(request.id, 0, 0, result_text(request.id, std::move(result)), 0, actions);
}

void ServerMachine::reply(const RequestId& id, WorkId about, std::size_t batch, std::string line,
                          std::int64_t problem, ServerActions& actions) {
  by_request_.erase(id_key(id));
  if (batch == 0) {
    actions.emplace_back(SendLine{about, std::move(line), true, problem});
    return;
  }
  Batch& held = batches_[batch];
  if (!line.empty()) held.lines.push_back(std::move(line));
  if (--held.open > 0) return;
  if (!held.lines.empty()) {
    actions.emplace_back(SendLine{about, fmt::format("[{}]", fmt::join(held.lines, ",")), true, 0});
  }
  batches_.erase(batch);
}

void ServerMachine::refuse(const RequestId& id, std::size_t batch, const Problem& problem,
                           ServerActions& actions) {
  // Not through reply(): a request whose id is in use must not end the other one.
  if (batch != 0) {
    Batch& held = batches_[batch];
    held.lines.push_back(problem_text(id, problem));
    if (--held.open > 0) return;
    actions.emplace_back(SendLine{0, fmt::format("[{}]", fmt::join(held.lines, ",")), true, 0});
    batches_.erase(batch);
    return;
  }
  actions.emplace_back(SendLine{0, problem_text(id, problem), true, problem.code});
}

ServerActions ServerMachine::finish(std::int64_t now_ms, WorkId id, WorkOutcome outcome) {
  ServerActions actions;
  const auto found = open_.find(id);
  if (found == open_.end()) return actions;
  OpenWork& open = found->second;
  const Era era = open.work.client->era;
  std::string line;
  std::int64_t problem_code = 0;
  if (auto* needs = std::get_if<NeedsInput>(&outcome)) {
    const auto cannot = std::ranges::find_if(needs->requests, [&](const auto& each) {
      return asks_for_address(each.params) ? !open.work.client->can_open_addresses()
                                           : !open.work.client->can_answer(each.method);
    });
    if (cannot != needs->requests.end()) {
      const std::string name = cannot->method.substr(0, cannot->method.find('/'));
      outcome =
          Problem{code::kMissingCapability, fmt::format("this needs a client that has {}", name),
                  JsonObject{{"requiredCapabilities", JsonObject{{name, JsonObject{}}}}}};
    } else if (era == Era::legacy) {
      ask(open, std::move(*needs), actions);
      return actions;
    } else {
      line = result_text(open.request, decorated(input_required(now_ms, open, *needs), era, ""));
    }
  }
  if (auto* finished = std::get_if<Finished>(&outcome)) {
    line = result_text(open.request, decorated(std::move(finished->result), era, open.work.method));
  } else if (auto* problem = std::get_if<Problem>(&outcome)) {
    // The older revisions had a number of their own for it.
    if (era == Era::legacy && open.work.method == "resources/read" &&
        problem->code == code::kInvalidParams) {
      problem->code = code::kResourceNotFound;
    }
    problem_code = problem->code;
    line = problem_text(open.request, *problem);
  }
  const RequestId request = open.request;
  const std::size_t batch = open.batch;
  open_.erase(found);
  reply(request, id, batch, std::move(line), problem_code, actions);
  return actions;
}

JsonObject ServerMachine::input_required(std::int64_t now_ms, const OpenWork& open,
                                         const NeedsInput& needs) {
  JsonObject answers;
  for (const auto& [key, answer] : open.work.answers) {
    if (const auto* result = std::get_if<JsonObject>(&answer)) answers[key] = *result;
  }
  JsonObject requests;
  for (const NeedsInput::Request& each : needs.requests) {
    requests[each.key] = JsonObject{{"method", each.method}, {"params", each.params}};
  }
  const JsonObject state{{"own", needs.state}, {"answers", std::move(answers)}};
  JsonObject result{{"resultType", "input_required"}};
  if (!requests.empty()) result["inputRequests"] = std::move(requests);
  result["requestState"] =
      seal(offer_->state_key, state, {principal_, open.work.method, &open.work.params}, now_ms);
  return result;
}

void ServerMachine::ask(OpenWork& open, NeedsInput needs, ServerActions& actions) {
  open.work.state = std::move(needs.state);
  if (needs.requests.empty()) {
    actions.emplace_back(BeginWork{open.work});
    return;
  }
  for (NeedsInput::Request& each : needs.requests) {
    const WorkId number = ++last_;
    asked_[number] = {open.work.id, each.key};
    open.awaiting.push_back(number);
    actions.emplace_back(
        SendLine{.about = open.work.id, .line = request_text(number, each.method, each.params)});
  }
}

ServerActions ServerMachine::report(WorkId id, const Progress& progress) {
  const auto found = open_.find(id);
  if (found == open_.end() || !found->second.progress_token) return {};
  OpenWork& open = found->second;
  if (progress.progress <= open.last_progress) return {};
  open.last_progress = progress.progress;
  JsonObject params{{"progressToken", *open.progress_token}, {"progress", progress.progress}};
  if (progress.total) params["total"] = *progress.total;
  if (!progress.message.empty()) params["message"] = to_valid_utf8(progress.message);
  return {SendLine{.about = id, .line = notification_text("notifications/progress", params)}};
}

ServerActions ServerMachine::log(WorkId id, LoggingLevel level, const Json& data) {
  const auto found = open_.find(id);
  if (found == open_.end() || !offer_->has_logging) return {};
  const auto wanted = found->second.log_level;
  if (!wanted || level < *wanted) return {};
  const JsonObject params{
      {"level", enum_name(level)}, {"logger", offer_->self.name}, {"data", data}};
  return {SendLine{.about = id, .line = notification_text("notifications/message", params)}};
}

// --- news ----------------------------------------------------------------------------------------

void ServerMachine::listen(const Request& request, const ClientView& client,
                           ServerActions& actions) {
  const JsonObject* wanted = object_in(request.params, "notifications");
  if (wanted == nullptr) {
    return refuse(request.id, 0,
                  {code::kInvalidParams, "notifications must say what to listen for"}, actions);
  }
  // Tasks are asked after: those whose news nobody sends are not in what is acknowledged.
  if (offer_->has_tasks && wanted->contains("taskIds") && !client.knows_tasks()) {
    return refuse(request.id, 0, missing_tasks_extension(), actions);
  }
  constexpr std::size_t kMostListening = 64;
  constexpr std::size_t kMostUris = 10'000;
  if (listening_.size() >= kMostListening) {
    return refuse(request.id, 0,
                  {code::kInternalError, "too many subscriptions; end one of the others first"},
                  actions);
  }
  const auto is_told = [&](bool is_offered, std::string_view key) {
    return offer_->has_news && is_offered && is_true(*wanted, key);
  };
  Listening listening{.id = request.id,
                      .tools = is_told(offer_->has_tools, "toolsListChanged"),
                      .prompts = is_told(offer_->has_prompts, "promptsListChanged"),
                      .resources = is_told(offer_->has_resources, "resourcesListChanged")};
  JsonObject accepted;
  if (listening.tools) accepted["toolsListChanged"] = true;
  if (listening.prompts) accepted["promptsListChanged"] = true;
  if (listening.resources) accepted["resourcesListChanged"] = true;
  const Json* uris = wanted->if_contains("resourceSubscriptions");
  if (offer_->has_news && offer_->has_resources && uris != nullptr && uris->is_array()) {
    JsonArray taken;
    for (const Json& uri : uris->get_array()) {
      if (!uri.is_string() || taken.size() >= kMostUris) continue;
      listening.uris.emplace_back(uri.get_string());
      taken.push_back(uri);
    }
    accepted["resourceSubscriptions"] = std::move(taken);
  }
  const WorkId id = ++last_;
  by_request_[id_key(request.id)] = id;
  listening_[id] = std::move(listening);
  actions.emplace_back(SendLine{
      .about = id,
      .line = notification_text("notifications/subscriptions/acknowledged",
                                tagged({{"notifications", std::move(accepted)}}, request.id))});
}

ServerActions ServerMachine::notify(WorkId id, std::string_view method, const JsonObject& params) {
  if (!open_.contains(id)) return {};
  return {SendLine{.about = id, .line = notification_text(method, params)}};
}

ServerActions ServerMachine::announce(Change change) {
  ServerActions actions;
  if (client_)
    actions.emplace_back(SendLine{.line = notification_text(notification_of(change), {})});
  for (const auto& [id, listening] : listening_) {
    const bool wants = change == Change::tools     ? listening.tools
                       : change == Change::prompts ? listening.prompts
                                                   : listening.resources;
    if (!wants) continue;
    actions.emplace_back(SendLine{
        .about = id, .line = notification_text(notification_of(change), tagged({}, listening.id))});
  }
  return actions;
}

ServerActions ServerMachine::announce_update(std::string_view uri) {
  constexpr std::string_view kUpdated = "notifications/resources/updated";
  ServerActions actions;
  if (std::ranges::find(subscribed_, uri) != subscribed_.end()) {
    actions.emplace_back(SendLine{.line = notification_text(kUpdated, {{"uri", uri}})});
  }
  for (const auto& [id, listening] : listening_) {
    if (std::ranges::find(listening.uris, uri) == listening.uris.end()) continue;
    actions.emplace_back(SendLine{
        .about = id, .line = notification_text(kUpdated, tagged({{"uri", uri}}, listening.id))});
  }
  return actions;
}

}  // namespace wright::mcp
