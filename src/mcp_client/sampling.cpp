#include "mcp_client/sampling.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/try.h"
#include "wright/model.h"

namespace wright::mcp_client {
namespace {

constexpr std::size_t kMostMessages = 200;
// A person consents to what they were shown: all of it, and no more than can be read.
constexpr std::size_t kMostAskedBytes = std::size_t{64} << 10;

struct SamplingRequest {
  std::vector<Message> messages = {};
  std::string system = {};
  Sampling sampling = {};
};

Result<std::string> text_of(const Json& content) {
  const Json* one = &content;
  if (content.is_array() && content.get_array().size() == 1) one = &content.get_array().front();
  const JsonObject* object = one->if_object();
  if (object == nullptr || mcp::text_in(*object, "type") != "text") {
    return fail(ErrorCode::unsupported, "only texts can be asked");
  }
  return to_valid_utf8(mcp::text_in(*object, "text"));
}

Result<SamplingRequest> request_in(const JsonObject& params) {
  SamplingRequest request{.system = to_valid_utf8(mcp::text_in(params, "systemPrompt"))};
  const Json* messages = params.if_contains("messages");
  if (messages == nullptr || !messages->is_array() || messages->get_array().empty() ||
      messages->get_array().size() > kMostMessages) {
    return fail(ErrorCode::invalid_argument, "there are no messages, or too many");
  }
  if (params.contains("tools")) return fail(ErrorCode::unsupported, "tools cannot be used");
  std::size_t bytes = request.system.size();
  for (const Json& each : messages->get_array()) {
    const JsonObject* object = each.if_object();
    const Json* content = object != nullptr ? object->if_contains("content") : nullptr;
    if (content == nullptr) return fail(ErrorCode::invalid_argument, "a message has no content");
    auto text = TRY(text_of(*content));
    bytes += text.size();
    const bool is_user = mcp::text_in(*object, "role") != "assistant";
    request.messages.push_back(is_user ? Message::user(std::move(text))
                                       : Message::assistant(std::move(text)));
  }
  if (bytes > kMostAskedBytes) {
    return fail(ErrorCode::limit_reached,
                fmt::format("that is too much to ask: a person is shown {} KB at most",
                            kMostAskedBytes >> 10));
  }
  if (const Json* most = params.if_contains("maxTokens"); most != nullptr && most->is_int64()) {
    constexpr std::int64_t kMost = 32'000;
    request.sampling.max_tokens =
        static_cast<int>(std::clamp<std::int64_t>(most->get_int64(), 1, kMost));
  }
  if (const Json* given = params.if_contains("temperature"); given != nullptr) {
    if (given->is_double()) request.sampling.temperature = given->get_double();
    if (given->is_int64()) {
      request.sampling.temperature = static_cast<double>(given->get_int64());
    }
  }
  return request;
}

std::string_view stop_reason_of(StopReason reason) {
  if (reason == StopReason::max_tokens) return "maxTokens";
  if (reason == StopReason::stop_sequence) return "stopSequence";
  return "endTurn";
}

}  // namespace

Result<JsonObject> consent_form(const JsonObject& params) {
  const auto request = TRY(request_in(params));
  std::string shown = "its question to your model:";
  if (!request.system.empty()) {
    shown += fmt::format("\n\nsystem: {}", request.system);
  }
  for (const Message& message : request.messages) {
    shown += fmt::format("\n\n{}: {}", message.role == Role::assistant ? "assistant" : "user",
                         message.text());
  }
  const JsonObject choice{
      {"type", "string"}, {"title", "May it ask, at your cost?"}, {"enum", JsonArray{"yes", "no"}}};
  return JsonObject{{"message", std::move(shown)},
                    {"requestedSchema", JsonObject{{"type", "object"},
                                                   {"properties", JsonObject{{"allow", choice}}},
                                                   {"required", JsonArray{"allow"}}}}};
}

bool is_consent(const JsonObject& form_result) {
  const JsonObject* content = mcp::object_in(form_result, "content");
  return mcp::text_in(form_result, "action") == "accept" && content != nullptr &&
         mcp::text_in(*content, "allow") == "yes";
}

void SamplingModels::set(const std::string& agent, Model model, const Limits& limits) {
  const std::lock_guard lock(mutex_);
  models_[agent] = {std::move(model), limits};
}

std::shared_ptr<CallBudget> SamplingModels::budget_of(std::int64_t session, const Limits& limits) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<CallBudget>& own = alone_[session];
  if (!own) own = std::make_shared<CallBudget>(limits.max_tokens, limits.max_cost_usd);
  return own;
}

// Questions within one limit are asked one after the other: what is left is known when the one
// before was answered. It is this one's turn until what is returned is gone.
Result<std::shared_ptr<void>> SamplingModels::wait_for_turn(
    const std::shared_ptr<CallBudget>& budget, const std::stop_token& stop) {
  if (!budget->tokens_left() && !budget->cost_usd_left()) return nullptr;
  std::unique_lock lock(mutex_);
  if (!is_free_.wait(lock, stop, [&] { return !in_use_.contains(budget.get()); })) {
    return fail(ErrorCode::cancelled, "the call was stopped before the model was asked");
  }
  in_use_.insert(budget.get());
  return std::shared_ptr<void>(nullptr, [this, budget](void*) {
    {
      const std::lock_guard own(mutex_);
      in_use_.erase(budget.get());
    }
    is_free_.notify_all();
  });
}

Result<JsonObject> SamplingModels::answer(const JsonObject& params, const Context& context) {
  auto request = TRY(request_in(params));
  Asked asked;
  {
    const std::lock_guard lock(mutex_);
    const auto found = models_.find(context.agent_name);
    if (found == models_.end()) {
      return fail(ErrorCode::unavailable, "there is no model to ask");
    }
    asked = found->second;
  }
  const auto budget = context.budget ? context.budget : budget_of(context.session_id, asked.limits);
  const auto turn = TRY(wait_for_turn(budget, context.stop));
  const auto tokens = budget->tokens_left();
  if ((tokens && *tokens <= 0) || budget->cost_usd_left().value_or(1) <= 0) {
    return fail(ErrorCode::limit_reached, "the agent's budget is used up");
  }
  if (tokens) {
    request.sampling.max_tokens =
        static_cast<int>(std::min<std::int64_t>(request.sampling.max_tokens, *tokens));
  }
  const Request to_model{.messages = request.messages,
                         .system = request.system,
                         .model = asked.model.name(),
                         .sampling = &request.sampling};
  const auto response = TRY(asked.model.complete(to_model, {.stop = context.stop}));
  budget->spend(response.usage);
  return JsonObject{{"role", "assistant"},
                    {"content", JsonObject{{"type", "text"}, {"text", response.text()}}},
                    {"model", response.model.empty() ? asked.model.name() : response.model},
                    {"stopReason", stop_reason_of(response.stop_reason)}};
}

}  // namespace wright::mcp_client
