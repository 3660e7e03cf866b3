#include "mcp/client.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

namespace wright::mcp {
namespace {

std::optional<double> number_in(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

std::optional<CallNumber> call_number(const Json& id) {
  if (id.is_int64()) return id.get_int64();
  return std::nullopt;
}

bool lists(const JsonObject& object, std::string_view key, std::string_view wanted) {
  const Json* list = object.if_contains(key);
  if (list == nullptr || !list->is_array()) return false;
  return std::ranges::any_of(list->get_array(), [&](const Json& each) {
    return each.is_string() && each.get_string() == wanted;
  });
}

std::string log_words(const JsonObject& params) {
  const Json* data = params.if_contains("data");
  if (data == nullptr) return {};
  return data->is_string() ? std::string(data->get_string()) : to_text(*data);
}

}  // namespace

CallOutcome outcome_of(JsonObject result, Era era, MayBeTask may_be_task) {
  const std::string type = era == Era::modern ? text_in(result, "resultType") : std::string();
  const JsonObject* nested = era == Era::legacy ? object_in(result, "task") : nullptr;
  const bool is_task = type == "task" || (nested != nullptr && may_be_task == MayBeTask::yes);
  if (is_task) {
    if (may_be_task == MayBeTask::no) return Unreadable{"a task is no answer to this request"};
    auto task = task_from(nested != nullptr ? *nested : result, era);
    if (!task) return Unreadable{task.error().message};
    return TaskCreated{std::move(*task)};
  }
  if (!type.empty() && type != "complete" && type != "input_required") {
    return Unreadable{fmt::format("the server's answer is of a type that is not known here: {}",
                                  to_valid_utf8(type.substr(0, 100)))};
  }
  if (type != "input_required") return result;
  InputRequired needs;
  if (const JsonObject* requests = object_in(result, "inputRequests")) {
    for (const auto& [key, value] : *requests) {
      const JsonObject* request = value.if_object();
      if (request == nullptr) continue;
      const JsonObject* params = object_in(*request, "params");
      needs.requests[std::string(key)] = {text_in(*request, "method"),
                                          params != nullptr ? *params : JsonObject()};
    }
  }
  if (const JsonString* state = string_in(result, "requestState")) needs.state = *state;
  if (needs.requests.empty() && !needs.state) {
    return Problem{code::kInternalError, "the server needs input and does not say which"};
  }
  return needs;
}

ClientActions ClientMachine::start() {
  if (options_.revisions == ClientOptions::Revisions::legacy) return initialize();
  phase_ = Phase::probing;
  opening_ = ++last_;
  JsonObject params;
  add_meta(params);
  return {
      SendFrame{request_text(opening_, "server/discover", params), opening_, "server/discover"}};
}

ClientActions ClientMachine::start_with_handshake() {
  if (options_.revisions == ClientOptions::Revisions::modern) {
    phase_ = Phase::closed;
    return {ServerUnusable{{ErrorCode::protocol, "The server does not answer server/discover"}}};
  }
  return initialize();
}

ClientActions ClientMachine::initialize() {
  phase_ = Phase::initializing;
  opening_ = ++last_;
  const JsonObject params{{"protocolVersion", kNewestLegacyVersion},
                          {"capabilities", options_.capabilities},
                          {"clientInfo", to_json(options_.self)}};
  return {SendFrame{request_text(opening_, "initialize", params), opening_, "initialize"}};
}

void ClientMachine::add_meta(JsonObject& params) const {
  Json& meta = params["_meta"];
  if (!meta.is_object()) meta.emplace_object();
  JsonObject& object = meta.get_object();
  object[meta::kVersion] = kModernVersion;
  object[meta::kClientInfo] = to_json(options_.self);
  object[meta::kClientCapabilities] =
      options_.has_tasks ? with_tasks_extension(options_.capabilities) : options_.capabilities;
}

ClientMachine::Started ClientMachine::call(std::string_view method, JsonObject params,
                                           WantsProgress progress,
                                           std::vector<HeaderParameter> repeated) {
  const CallNumber number = ++last_;
  if (server_.era == Era::modern) add_meta(params);
  if (progress == WantsProgress::yes) {
    Json& meta = params["_meta"];
    if (!meta.is_object()) meta.emplace_object();
    meta.get_object()[meta::kProgressToken] = number;
  }
  calls_[number].may_be_task =
      method == "tools/call" &&
      (server_.era == Era::modern ? options_.has_tasks : params.contains("task"));
  return {number,
          {SendFrame{request_text(number, method, params), number, std::string(method),
                     std::move(repeated)}}};
}

ClientActions ClientMachine::notify(std::string_view method, JsonObject params) {
  return {SendFrame{notification_text(method, params), 0, std::string(method)}};
}

ClientActions ClientMachine::cancel(CallNumber number, std::string_view reason) {
  if (calls_.erase(number) == 0) return {};
  return notify("notifications/cancelled", {{"requestId", number}, {"reason", reason}});
}

ClientActions ClientMachine::answer(const RequestId& id,
                                    const std::variant<JsonObject, Problem>& outcome) {
  if (const auto* result = std::get_if<JsonObject>(&outcome)) {
    return {SendFrame{.line = result_text(id, *result)}};
  }
  return {SendFrame{.line = problem_text(id, std::get<Problem>(outcome))}};
}

ClientActions ClientMachine::lose(const Problem& why) {
  ClientActions actions;
  for (const auto& [number, call] : std::exchange(calls_, {})) {
    actions.emplace_back(CallEnded{number, why});
  }
  if (phase_ == Phase::probing || phase_ == Phase::initializing) {
    actions.emplace_back(ServerUnusable{{ErrorCode::unavailable, why.message}});
  }
  phase_ = Phase::closed;
  return actions;
}

ClientActions ClientMachine::receive(std::string_view text) {
  ClientActions actions;
  for (Message& message : read_frame(text).messages) {
    if (auto* request = std::get_if<Request>(&message)) {
      take(std::move(*request), actions);
    } else if (const auto* notification = std::get_if<Notification>(&message)) {
      take(*notification, actions);
    } else if (auto* answer = std::get_if<Answer>(&message)) {
      take(std::move(*answer), actions);
    } else {
      const auto& malformed = std::get<Malformed>(message);
      // An answer that is none ends its call; other noise is told of and passed over.
      const auto number = call_number(malformed.id.is_null() ? malformed.seeming_id : malformed.id);
      const bool is_opening = phase_ == Phase::probing || phase_ == Phase::initializing;
      if (number && *number == opening_ && is_opening) {
        take(Answer{.id = *number,
                    .outcome = Problem{.code = code::kParseError,
                                       .message = "its answer is malformed: " +
                                                  malformed.problem.message}},
             actions);
      } else if (number && calls_.erase(*number) > 0) {
        actions.emplace_back(CallEnded{
            *number, Unreadable{"the server's answer is malformed: " + malformed.problem.message}});
      } else {
        actions.emplace_back(ServerLogs{
            "warning", "what the server wrote is no message: " + malformed.problem.message});
      }
    }
  }
  return actions;
}

void ClientMachine::take(Request request, ClientActions& actions) {
  const auto reply = [&](const std::variant<JsonObject, Problem>& outcome) {
    for (ClientAction& each : answer(request.id, outcome)) actions.push_back(std::move(each));
  };
  if (request.method == "ping") return reply(JsonObject());
  if (request.method == "roots/list" && options_.capabilities.contains("roots")) {
    JsonArray roots;
    for (const JsonObject& root : options_.roots) roots.emplace_back(root);
    return reply(JsonObject{{"roots", std::move(roots)}});
  }
  const std::string_view capability =
      std::string_view(request.method).substr(0, request.method.find('/'));
  const bool is_known =
      request.method == "elicitation/create" || request.method == "sampling/createMessage";
  if (!is_known || !options_.capabilities.contains(capability)) {
    return reply(Problem{
        code::kMethodNotFound,
        fmt::format("this client has no {}", to_valid_utf8(request.method.substr(0, 100)))});
  }
  actions.emplace_back(
      ServerAsks{std::move(request.id), std::move(request.method), std::move(request.params)});
}

void ClientMachine::take(const Notification& notification, ClientActions& actions) {
  const std::string& method = notification.method;
  const JsonObject& params = notification.params;
  if (method == "notifications/progress") {
    const Json* token = params.if_contains("progressToken");
    const auto number = token != nullptr ? call_number(*token) : std::nullopt;
    const auto progress = number_in(params, "progress");
    const auto found = number ? calls_.find(*number) : calls_.end();
    if (found == calls_.end() || !progress || *progress <= found->second.progress) return;
    found->second.progress = *progress;
    actions.emplace_back(CallProgressed{
        *number, {*progress, number_in(params, "total"), text_in(params, "message")}});
  } else if (method == "notifications/message") {
    actions.emplace_back(ServerLogs{text_in(params, "level"), log_words(params)});
  } else if (method == "notifications/resources/updated") {
    actions.emplace_back(ResourceUpdated{text_in(params, "uri")});
  } else if (method == "notifications/cancelled") {
    if (const Json* id = params.if_contains("requestId"))
      actions.emplace_back(ServerWithdraws{*id});
  } else {
    for (const Change change : {Change::tools, Change::prompts, Change::resources}) {
      if (method == notification_of(change)) actions.emplace_back(ServerChanged{change});
    }
  }
}

void ClientMachine::take(Answer answer, ClientActions& actions) {
  const auto number = call_number(answer.id);
  if (!number) return;
  if (*number == opening_ && phase_ == Phase::probing) return take_discovery(answer, actions);
  if (*number == opening_ && phase_ == Phase::initializing) {
    return take_handshake(answer, actions);
  }
  const auto call = calls_.extract(*number);
  if (call.empty()) return;
  if (auto* problem = std::get_if<Problem>(&answer.outcome)) {
    actions.emplace_back(CallEnded{*number, std::move(*problem)});
    return;
  }
  const auto may_be_task = call.mapped().may_be_task ? MayBeTask::yes : MayBeTask::no;
  actions.emplace_back(CallEnded{
      *number,
      outcome_of(std::get<JsonObject>(std::move(answer.outcome)), server_.era, may_be_task)});
}

void ClientMachine::take_discovery(const Answer& answer, ClientActions& actions) {
  const auto* result = std::get_if<JsonObject>(&answer.outcome);
  const auto* problem = std::get_if<Problem>(&answer.outcome);
  // A server that refuses the revision and names it: it is asked once more.
  const bool is_named = problem != nullptr && problem->code == code::kUnsupportedVersion &&
                        problem->data.is_object() &&
                        lists(problem->data.get_object(), "supported", kModernVersion);
  if (is_named && !std::exchange(has_asked_again_, true)) {
    for (ClientAction& each : start()) actions.push_back(std::move(each));
    return;
  }
  if (result == nullptr || !lists(*result, "supportedVersions", kModernVersion)) {
    for (ClientAction& each : start_with_handshake()) actions.push_back(std::move(each));
    return;
  }
  server_ = {.era = Era::modern, .version = std::string(kModernVersion)};
  if (const JsonObject* own = object_in(*result, "capabilities")) server_.capabilities = *own;
  const JsonObject* meta = object_in(*result, "_meta");
  const JsonObject* info = meta != nullptr ? object_in(*meta, meta::kServerInfo) : nullptr;
  if (info != nullptr) server_.peer = peer_from(*info);
  server_.instructions = text_in(*result, "instructions");
  phase_ = Phase::ready;
  actions.emplace_back(ServerReady{});
}

void ClientMachine::take_handshake(const Answer& answer, ClientActions& actions) {
  const auto* result = std::get_if<JsonObject>(&answer.outcome);
  const auto give_up = [&](std::string message) {
    phase_ = Phase::closed;
    actions.emplace_back(ServerUnusable{{ErrorCode::protocol, std::move(message)}});
  };
  if (result == nullptr) {
    return give_up(
        fmt::format("The server refuses to begin: {}", std::get<Problem>(answer.outcome).message));
  }
  const std::string version = text_in(*result, "protocolVersion");
  if (!is_legacy_version(version)) {
    return give_up(fmt::format("The server speaks revision \"{}\", which is not known here",
                               to_valid_utf8(version.substr(0, 100))));
  }
  server_ = {.era = Era::legacy, .version = version};
  if (const JsonObject* own = object_in(*result, "capabilities")) server_.capabilities = *own;
  if (const JsonObject* info = object_in(*result, "serverInfo")) server_.peer = peer_from(*info);
  server_.instructions = text_in(*result, "instructions");
  phase_ = Phase::ready;
  actions.emplace_back(SendFrame{.line = notification_text("notifications/initialized", {}),
                                 .method = "notifications/initialized"});
  actions.emplace_back(ServerReady{});
}

}  // namespace wright::mcp
