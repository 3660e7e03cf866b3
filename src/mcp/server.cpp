// What a server does with what it receives. What it says is in server_answers.cpp.
#include "mcp/server.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

#include "core/enum_names.h"
#include "mcp/request_state.h"
#include "mcp/task.h"

namespace wright::mcp {
namespace {

// Methods that the host answers.
struct HostMethod {
  std::string_view name;
  bool ServerOffer::*offered;
  std::string_view needs;              // a string in params
  std::string_view only_version = "";  // all, where it is empty
};
constexpr std::array<HostMethod, 14> kHostMethods{{
    {"tools/list", &ServerOffer::has_tools, ""},
    {"tools/call", &ServerOffer::has_tools, "name"},
    {"resources/list", &ServerOffer::has_resources, ""},
    {"resources/templates/list", &ServerOffer::has_resources, ""},
    {"resources/read", &ServerOffer::has_resources, "uri"},
    {"prompts/list", &ServerOffer::has_prompts, ""},
    {"prompts/get", &ServerOffer::has_prompts, "name"},
    {"completion/complete", &ServerOffer::has_completions, ""},
    {"tasks/get", &ServerOffer::has_tasks, "taskId", kModernVersion},
    {"tasks/update", &ServerOffer::has_tasks, "taskId", kModernVersion},
    {"tasks/cancel", &ServerOffer::has_tasks, "taskId", kModernVersion},
    {"tasks/get", &ServerOffer::has_tasks, "taskId", kNewestLegacyVersion},
    {"tasks/cancel", &ServerOffer::has_tasks, "taskId", kNewestLegacyVersion},
    {"tasks/result", &ServerOffer::has_tasks, "taskId", kNewestLegacyVersion},
}};

const HostMethod* host_method(std::string_view name, std::string_view version) {
  const auto found = std::ranges::find_if(kHostMethods, [&](const HostMethod& each) {
    return each.name == name && (each.only_version.empty() || each.only_version == version);
  });
  return found == kHostMethods.end() ? nullptr : &*found;
}

Problem invalid_params(std::string message) {
  return {code::kInvalidParams, std::move(message)};
}

const JsonObject* meta_of(const JsonObject& params) {
  return object_in(params, "_meta");
}

}  // namespace

bool is_modern(const Request& request) {
  if (request.method == "server/discover") return true;
  const JsonObject* meta = meta_of(request.params);
  return meta != nullptr && meta->contains(meta::kVersion);
}

bool ClientView::can_answer(std::string_view method) const {
  const std::string_view name = method.substr(0, method.find('/'));
  const JsonObject* capability = object_in(capabilities, name);
  if (capability == nullptr) return false;
  // An empty one means forms, as it did before there were others.
  return name != "elicitation" || capability->empty() || capability->contains("form");
}

bool ClientView::can_open_addresses() const {
  const JsonObject* elicitation = object_in(capabilities, "elicitation");
  return elicitation != nullptr && elicitation->contains("url");
}

bool ClientView::knows_tasks() const {
  return era == Era::modern && has_tasks_extension(capabilities);
}

ServerMachine::ServerMachine(std::shared_ptr<const ServerOffer> offer, std::string principal,
                             WorkId first_number)
    : offer_(std::move(offer)), principal_(std::move(principal)), last_(first_number) {}

std::string_view ServerMachine::version() const {
  return client_ ? std::string_view(client_->version) : std::string_view();
}

ServerActions ServerMachine::receive(std::int64_t now_ms, std::string_view frame) {
  return receive(now_ms, read_frame(frame));
}

ServerActions ServerMachine::receive(std::int64_t now_ms, Frame frame) {
  ServerActions actions;
  std::size_t batch = 0;
  if (frame.is_batch) {
    if (version() != kBatchVersion) {
      refuse({}, 0, {code::kInvalidRequest, "batches are for revision 2025-03-26 only"}, actions);
      return actions;
    }
    const auto requests = std::ranges::count_if(frame.messages, [](const Message& message) {
      return std::holds_alternative<Request>(message) || std::holds_alternative<Malformed>(message);
    });
    if (requests > 0) {
      batch = ++last_batch_;
      batches_[batch].open = static_cast<std::size_t>(requests);
    }
  }
  for (Message& message : frame.messages) {
    if (auto* request = std::get_if<Request>(&message)) {
      take(now_ms, std::move(*request), batch, actions);
    } else if (const auto* notification = std::get_if<Notification>(&message)) {
      take(*notification, actions);
    } else if (auto* answer = std::get_if<Answer>(&message)) {
      take(std::move(*answer), actions);
    } else {
      const auto& malformed = std::get<Malformed>(message);
      refuse(malformed.id, batch, malformed.problem, actions);
    }
  }
  return actions;
}

void ServerMachine::take(std::int64_t now_ms, Request request, std::size_t batch,
                         ServerActions& actions) {
  if (by_request_.contains(id_key(request.id))) {
    return refuse(request.id, batch,
                  {code::kInvalidRequest, "a request with this id is still being answered"},
                  actions);
  }
  if (is_modern(request) && batch != 0) {
    return refuse(request.id, batch,
                  {code::kInvalidRequest, "this revision has no batches: send it alone"}, actions);
  }
  if (is_modern(request)) return take_modern(now_ms, std::move(request), actions);
  take_legacy(std::move(request), batch, actions);
}

// --- without a handshake -------------------------------------------------------------------------

void ServerMachine::take_modern(std::int64_t now_ms, Request request, ServerActions& actions) {
  const JsonObject* meta = meta_of(request.params);
  const JsonString* version = meta != nullptr ? string_in(*meta, meta::kVersion) : nullptr;
  if (version == nullptr) {
    return refuse(request.id, 0,
                  invalid_params(fmt::format("_meta must have \"{}\"", meta::kVersion)), actions);
  }
  if (*version != kModernVersion) {
    JsonArray supported{kModernVersion};
    return refuse(request.id, 0,
                  {code::kUnsupportedVersion,
                   fmt::format("unsupported revision {}", std::string_view(*version)),
                   JsonObject{{"supported", std::move(supported)}, {"requested", *version}}},
                  actions);
  }
  const JsonObject* capabilities = object_in(*meta, meta::kClientCapabilities);
  if (capabilities == nullptr) {
    return refuse(
        request.id, 0,
        invalid_params(fmt::format("_meta must have \"{}\", an object", meta::kClientCapabilities)),
        actions);
  }
  if (request.method == "server/discover") return discover(request, actions);
  auto client = std::make_shared<ClientView>();
  client->era = Era::modern;
  client->version = kModernVersion;
  client->capabilities = *capabilities;
  if (const JsonObject* info = object_in(*meta, meta::kClientInfo)) client->peer = peer_from(*info);
  if (request.method == "subscriptions/listen") return listen(request, *client, actions);
  if (const auto problem = problem_with(request, *client)) {
    return refuse(request.id, 0, *problem, actions);
  }

  InputAnswers answers;
  JsonObject state;
  if (const JsonString* sealed = string_in(request.params, "requestState")) {
    auto unsealed =
        unseal(offer_->state_key, *sealed, {principal_, request.method, &request.params}, now_ms);
    if (!unsealed) return refuse(request.id, 0, invalid_params(unsealed.error().message), actions);
    if (const JsonObject* before = object_in(*unsealed, "answers")) {
      for (const auto& [key, value] : *before) {
        if (value.is_object()) answers[std::string(key)] = value.get_object();
      }
    }
    if (const JsonObject* own = object_in(*unsealed, "own")) state = *own;
    if (const JsonObject* given = object_in(request.params, "inputResponses")) {
      for (const auto& [key, value] : *given) {
        if (value.is_object()) answers[std::string(key)] = value.get_object();
      }
    }
  }
  begin(std::move(request), std::move(client), 0, actions, std::move(answers), std::move(state));
}

// --- with a handshake ----------------------------------------------------------------------------

void ServerMachine::take_legacy(Request request, std::size_t batch, ServerActions& actions) {
  if (request.method == "initialize") return initialize(request, batch, actions);
  if (request.method == "ping") {
    return reply(request.id, 0, batch, result_text(request.id, {}), 0, actions);
  }
  if (!client_) {
    return refuse(request.id, batch,
                  invalid_params(fmt::format("say \"initialize\" first, or send _meta with \"{}\"",
                                             meta::kVersion)),
                  actions);
  }
  if (request.method == "logging/setLevel" && offer_->has_logging) {
    return set_level(request, batch, actions);
  }
  if ((request.method == "resources/subscribe" || request.method == "resources/unsubscribe") &&
      offer_->has_resources && offer_->has_news && offer_->has_lasting_connections) {
    return subscribe(request, batch, actions);
  }
  if (const auto problem = problem_with(request, *client_)) {
    return refuse(request.id, batch, *problem, actions);
  }
  begin(std::move(request), client_, batch, actions);
}

void ServerMachine::initialize(const Request& request, std::size_t batch, ServerActions& actions) {
  const JsonString* wanted = string_in(request.params, "protocolVersion");
  if (wanted == nullptr) {
    return refuse(request.id, batch, invalid_params("protocolVersion must be a string"), actions);
  }
  auto client = std::make_shared<ClientView>();
  client->version = is_legacy_version(*wanted) ? std::string_view(*wanted) : kNewestLegacyVersion;
  if (const JsonObject* own = object_in(request.params, "capabilities")) {
    client->capabilities = *own;
  }
  if (const JsonObject* info = object_in(request.params, "clientInfo")) {
    client->peer = peer_from(*info);
  }
  client_ = std::move(client);
  JsonObject result{{"protocolVersion", client_->version},
                    {"capabilities", capabilities(client_->version)},
                    {"serverInfo", to_json(offer_->self)}};
  if (!offer_->instructions.empty()) result["instructions"] = offer_->instructions;
  reply(request.id, 0, batch, result_text(request.id, std::move(result)), 0, actions);
}

void ServerMachine::set_level(const Request& request, std::size_t batch, ServerActions& actions) {
  const auto level = enum_named<LoggingLevel>(text_in(request.params, "level"));
  if (!level) {
    return refuse(request.id, batch,
                  invalid_params(fmt::format("level must be {}", enum_names<LoggingLevel>())),
                  actions);
  }
  level_ = *level;
  reply(request.id, 0, batch, result_text(request.id, {}), 0, actions);
}

void ServerMachine::subscribe(const Request& request, std::size_t batch, ServerActions& actions) {
  const std::string uri = text_in(request.params, "uri");
  if (uri.empty()) {
    return refuse(request.id, batch, invalid_params("uri must be a string"), actions);
  }
  std::erase(subscribed_, uri);
  if (request.method == "resources/subscribe") {
    constexpr std::size_t kMost = 10'000;
    if (subscribed_.size() >= kMost) {
      return refuse(request.id, batch, {code::kInternalError, "too many subscriptions"}, actions);
    }
    subscribed_.push_back(uri);
  }
  reply(request.id, 0, batch, result_text(request.id, {}), 0, actions);
}

// --- both ----------------------------------------------------------------------------------------

std::optional<Problem> ServerMachine::problem_with(const Request& request,
                                                   const ClientView& client) const {
  const HostMethod* method = host_method(request.method, client.version);
  if (method == nullptr || !((*offer_).*(method->offered))) {
    return Problem{
        code::kMethodNotFound,
        fmt::format("there is no method {} here", to_valid_utf8(request.method.substr(0, 100)))};
  }
  const bool is_about_task = request.method.starts_with("tasks/");
  if (is_about_task && client.era == Era::modern && !client.knows_tasks()) {
    return missing_tasks_extension();
  }
  if (request.method == "tasks/update" && object_in(request.params, "inputResponses") == nullptr) {
    return invalid_params("inputResponses must be an object");
  }
  if (!method->needs.empty() && string_in(request.params, method->needs) == nullptr) {
    return invalid_params(fmt::format("{} must be a string", method->needs));
  }
  const Json* arguments = request.params.if_contains("arguments");
  if (arguments != nullptr && !arguments->is_object()) {
    return invalid_params("arguments must be an object");
  }
  const Json* cursor = request.params.if_contains("cursor");
  if (cursor != nullptr && !cursor->is_string()) return invalid_params("cursor must be a string");
  if (request.method == "completion/complete" &&
      (object_in(request.params, "ref") == nullptr ||
       object_in(request.params, "argument") == nullptr)) {
    return invalid_params("ref and argument must be objects");
  }
  return std::nullopt;
}

void ServerMachine::begin(Request request, std::shared_ptr<const ClientView> client,
                          std::size_t batch, ServerActions& actions, InputAnswers answers,
                          JsonObject state) {
  const WorkId id = ++last_;
  OpenWork open;
  open.request = request.id;
  open.batch = batch;
  open.log_level = client->era == Era::legacy ? level_.value_or(LoggingLevel::info)
                                              : std::optional<LoggingLevel>();
  if (const JsonObject* meta = meta_of(request.params)) {
    const Json* token = meta->if_contains(meta::kProgressToken);
    if (token != nullptr && (token->is_string() || token->is_number())) {
      open.progress_token = *token;
    }
    if (client->era == Era::modern) {
      open.log_level = enum_named<LoggingLevel>(text_in(*meta, meta::kLogLevel));
    }
  }
  open.work = {.id = id,
               .method = std::move(request.method),
               .params = std::move(request.params),
               .client = std::move(client),
               .answers = std::move(answers),
               .state = std::move(state),
               .wants_progress = open.progress_token.has_value(),
               .principal = principal_,
               .request = open.request};
  by_request_[id_key(open.request)] = id;
  const OpenWork& kept = open_.emplace(id, std::move(open)).first->second;
  actions.emplace_back(BeginWork{kept.work});
}

void ServerMachine::take(const Notification& notification, ServerActions& actions) {
  if (notification.method == "notifications/cancelled") cancel(notification.params, actions);
}

void ServerMachine::cancel(const JsonObject& params, ServerActions& actions) {
  const Json* request = params.if_contains("requestId");
  if (request == nullptr) return;
  const auto found = by_request_.find(id_key(*request));
  if (found == by_request_.end()) return;
  const WorkId id = found->second;
  by_request_.erase(found);
  if (listening_.erase(id) > 0) return;
  const auto open = open_.find(id);
  for (const WorkId asked : open->second.awaiting) {
    asked_.erase(asked);
    actions.emplace_back(SendLine{
        .about = id, .line = notification_text("notifications/cancelled", {{"requestId", asked}})});
  }
  const std::size_t batch = open->second.batch;
  open_.erase(open);
  actions.emplace_back(StopWork{id});
  // The others of its batch need not wait for it.
  if (batch != 0) reply({}, id, batch, {}, 0, actions);
}

void ServerMachine::take(Answer answer, ServerActions& actions) {
  const Json& id = answer.id;
  const WorkId number = id.is_int64() && id.get_int64() > 0
                            ? static_cast<WorkId>(id.get_int64())
                            : (id.is_uint64() ? id.get_uint64() : 0);
  const auto asked = asked_.find(number);
  if (asked == asked_.end()) return;
  const Asked what = asked->second;
  asked_.erase(asked);
  const auto found = open_.find(what.about);
  if (found == open_.end()) return;
  OpenWork& open = found->second;
  open.work.answers[what.key] = std::move(answer.outcome);
  std::erase(open.awaiting, number);
  if (open.awaiting.empty()) actions.emplace_back(BeginWork{open.work});
}

ServerActions ServerMachine::close() {
  ServerActions actions;
  for (const auto& [id, open] : open_) actions.emplace_back(StopWork{id});
  open_.clear();
  listening_.clear();
  by_request_.clear();
  asked_.clear();
  batches_.clear();
  return actions;
}

}  // namespace wright::mcp
