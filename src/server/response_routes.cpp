// What vendors' programs ask beside answers: responses by their ids, and how long a request is.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

#include "core/try.h"
#include "runtime/said_messages.h"
#include "server/caller_tools.h"
#include "server/compatible_routes.h"
#include "server/conversation.h"
#include "server/problem.h"
#include "server/response_records.h"
#include "server/tenant_rule.h"
#include "wright/fitting.h"

namespace wright::server {
namespace {

constexpr std::int64_t kMostItems = 100;
constexpr std::int64_t kItemsOfAPage = 20;

Result<ResponseName> response_in(const Call& call) {
  const auto name = response_named(call.words.at(0));
  if (name && !name->mark.empty()) return *name;
  return fail(ErrorCode::not_found, fmt::format("There is no response '{}'", call.words.at(0)));
}

bool is_in_progress(const KeptResponse& kept) {
  const Json* status = kept.response.get_object().if_contains("status");
  return status != nullptr && *status == Json("in_progress");
}

// As it was told; of one whose server ended before it did, the session tells what became of it.
Json response_now(const KeptResponse& kept, const OwnTurn& turn, const ResponseName& name,
                  const Session& session) {
  Json response = kept.response;
  JsonObject& object = response.as_object();
  const bool is_under_way = !turn.has_begun || (turn.is_newest && !session.ended_at);
  if (!turn.answer && is_under_way) return response;
  if (turn.answer) {
    object["status"] = "completed";
    object["output"] = JsonArray{{{"type", "message"},
                                  {"id", message_item_id(name)},
                                  {"status", "completed"},
                                  {"role", "assistant"},
                                  {"content", JsonArray{{{"type", "output_text"},
                                                         {"text", *turn.answer},
                                                         {"annotations", JsonArray()},
                                                         {"logprobs", JsonArray()}}}}}};
  } else if (turn.is_newest && session.status == SessionStatus::cancelled) {
    object["status"] = "cancelled";
  } else {
    object["status"] = "failed";
    const std::string why = turn.is_newest ? session.error.value_or("") : "";
    object["error"] = {{"code", "server_error"},
                       {"message", why.empty() ? "It ended without an answer" : why}};
  }
  return response;
}

Answer show_response(const ServiceOptions& options, const Call& call) {
  const ResponseName name = TRY(response_in(call));
  if (call.request.parameter("stream").value_or("false") != "false") {
    return refused_member(ErrorCode::unsupported, "stream",
                          "cannot be taken up again: leave it out, and ask for the whole response");
  }
  const KeptResponse kept = TRY(kept_response(options.store, name, call.caller.tenant));
  if (!is_in_progress(kept)) return json_response(kept.response);
  const Session session = TRY(options.store.get_session(name.session_id));
  const OwnTurn turn = TRY(own_turn(options.store, name, kept));
  return json_response(response_now(kept, turn, name, session));
}

Answer cancel_response(const ServiceOptions& options, const Call& call) {
  const ResponseName name = TRY(response_in(call));
  const KeptResponse kept = TRY(kept_response(options.store, name, call.caller.tenant));
  const Session session = TRY(options.store.get_session(name.session_id));
  const OwnTurn turn = TRY(own_turn(options.store, name, kept));
  const bool is_under_way = turn.is_newest && !session.ended_at;
  if (!is_in_progress(kept) || !is_under_way) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("The response '{}' has ended: there is nothing to cancel", call.words.at(0)));
  }
  TRY(options.runtime.cancel(name.session_id, fmt::format("Cancelled by {}", call.caller.name)));
  Json response = kept.response;
  response.as_object()["status"] = "cancelled";
  return json_response(response);
}

Answer remove_response(const ServiceOptions& options, const Call& call) {
  const ResponseName name = TRY(response_in(call));
  TRY(delete_response(options.store, name, call.caller.tenant));
  if (!options.store.get_session(name.session_id)) {
    (void)recall_messages(options.store, name.session_id);
  }
  return json_response({{"id", call.words.at(0)}, {"object", "response"}, {"deleted", true}});
}

Json content_part(const Part& part, std::string_view words) {
  if (const auto* image = std::get_if<Image>(&part)) {
    const std::string data = fmt::format("data:{};base64,{}", image->media_type, image->base64);
    if (image->media_type.starts_with("image/")) {
      return {{"type", "input_image"}, {"image_url", data}, {"detail", "auto"}};
    }
    return {{"type", "input_file"}, {"file_data", data}};
  }
  const auto* text = std::get_if<Text>(&part);
  return {{"type", words}, {"text", text == nullptr ? std::string() : text->text}};
}

// The items that a message is, in the vendor's words.
void add_items(const StoredMessage& stored, JsonArray& items) {
  const bool is_assistant = stored.message.role == Role::assistant;
  JsonArray content;
  JsonArray others;
  const auto next_id = [&] {
    return fmt::format("item_{}_{}_{}", stored.session_id, stored.id, others.size() + 1);
  };
  for (const Part& part : stored.message.parts) {
    if (const auto* call = std::get_if<ToolCall>(&part)) {
      others.push_back({{"type", "function_call"},
                        {"id", next_id()},
                        {"call_id", call->id},
                        {"name", call->name},
                        {"arguments", call->arguments},
                        {"status", "completed"}});
    } else if (const auto* result = std::get_if<ToolResult>(&part)) {
      others.push_back({{"type", "function_call_output"},
                        {"id", next_id()},
                        {"call_id", result->call_id},
                        {"output", result->content},
                        {"status", "completed"}});
    } else if (std::holds_alternative<Text>(part) || std::holds_alternative<Image>(part)) {
      content.push_back(content_part(part, is_assistant ? "output_text" : "input_text"));
    }
  }
  if (!content.empty()) {
    items.push_back({{"type", "message"},
                     {"id", fmt::format("item_{}_{}_0", stored.session_id, stored.id)},
                     {"status", "completed"},
                     {"role", is_assistant ? "assistant" : "user"},
                     {"content", std::move(content)}});
  }
  for (Json& other : others) items.push_back(std::move(other));
}

Result<JsonArray> input_items(Store& store, const ResponseName& name, const KeptResponse& kept) {
  JsonArray items;
  if (!kept.results.empty()) {
    for (const Json& result : kept.results) {
      JsonObject item = result.as_object();
      item["type"] = "function_call_output";
      item["id"] = fmt::format("fco_{}", std::string_view(item.at("call_id").as_string()));
      item["status"] = "completed";
      items.push_back(std::move(item));
    }
    return items;
  }
  const auto messages =
      TRY(store.get_messages(name.session_id, {.after = kept.after, .limit = kept.inputs}));
  for (const StoredMessage& each : messages) add_items(each, items);
  return items;
}

Answer list_input_items(const ServiceOptions& options, const Call& call) {
  const ResponseName name = TRY(response_in(call));
  const auto wanted = TRY(call.number_of("limit"));
  const std::int64_t limit = wanted.value_or(kItemsOfAPage);
  if (limit < 1 || limit > kMostItems) {
    return refused_member(ErrorCode::invalid_argument, "limit", "must be 1 to 100");
  }
  const std::string order = call.request.parameter("order").value_or("desc");
  if (order != "asc" && order != "desc") {
    return refused_member(ErrorCode::invalid_argument, "order", "must be asc or desc");
  }
  const KeptResponse kept = TRY(kept_response(options.store, name, call.caller.tenant));
  JsonArray items = TRY(input_items(options.store, name, kept));
  if (order == "desc") std::ranges::reverse(items);
  if (const auto after = call.request.parameter("after")) {
    const auto found = std::ranges::find_if(
        items, [&](const Json& item) { return item.at("id") == Json(*after); });
    if (found == items.end()) {
      return refused_member(ErrorCode::invalid_argument, "after", "is no item of this response");
    }
    items.erase(items.begin(), found + 1);
  }
  const bool has_more = items.size() > static_cast<std::size_t>(limit);
  if (has_more) items.resize(static_cast<std::size_t>(limit));
  const Json first = items.empty() ? Json(nullptr) : items.front().at("id");
  const Json last = items.empty() ? Json(nullptr) : items.back().at("id");
  return json_response({{"object", "list"},
                        {"data", std::move(items)},
                        {"first_id", first},
                        {"last_id", last},
                        {"has_more", has_more}});
}

// The guess that keeps requests within their model's window: instructions and tools of the agent
// are part of it.
Result<std::int64_t> tokens_of(const ServiceOptions& options, const Conversation& conversation,
                               const Caller& caller) {
  const PreparedAgent prepared = TRY(options.agents.make(conversation.agent));
  Agent agent = TRY(with_caller_tools(*prepared.agent, conversation.tools));
  if (!conversation.instructions.empty()) agent.instructions += "\n\n" + conversation.instructions;
  Run run = start(agent, std::string());
  run.messages.clear();
  if (const auto& previous = conversation.previous) {
    TRY(session_for(options.store, previous->session_id, caller.tenant));
    std::optional<MessageId> last;
    if (!previous->mark.empty()) {
      const auto kept = TRY(kept_response(options.store, *previous, caller.tenant));
      last = kept.last;
    }
    for (StoredMessage& each : TRY(options.store.get_messages(previous->session_id))) {
      if (last && each.id > *last) break;
      run.messages.push_back(std::move(each.message));
    }
  }
  run.messages.insert(run.messages.end(), conversation.messages.begin(),
                      conversation.messages.end());
  return ContextFitting().estimate(agent, run);
}

}  // namespace

std::vector<Route> response_routes(const ServiceOptions& options) {
  const auto with = [&options](Answer (*answer)(const ServiceOptions&, const Call&)) {
    return [&options, answer](Call& call) { return answer(options, call); };
  };
  const std::string one = "/v1/responses/{id}";
  return {
      {"POST", "/v1/responses/input_tokens", Access::known, Scope::run,
       [&options](Call& call) -> Answer {
         const JsonObject body = TRY(call.body());
         const Conversation conversation = TRY(conversation_from_responses(body));
         const std::int64_t tokens = TRY(tokens_of(options, conversation, call.caller));
         return json_response({{"object", "response.input_tokens"}, {"input_tokens", tokens}});
       }},
      {"POST", "/v1/messages/count_tokens", Access::known, Scope::run,
       [&options](Call& call) -> Answer {
         const JsonObject body = TRY(call.body());
         const Conversation conversation = TRY(conversation_from_messages(body));
         const std::int64_t tokens = TRY(tokens_of(options, conversation, call.caller));
         return json_response({{"input_tokens", tokens}});
       }},
      {"GET", one, Access::known, Scope::read, with(show_response)},
      {"DELETE", one, Access::known, Scope::admin, with(remove_response)},
      {"POST", one + "/cancel", Access::known, Scope::run, with(cancel_response)},
      {"GET", one + "/input_items", Access::known, Scope::read, with(list_input_items)},
  };
}

}  // namespace wright::server
