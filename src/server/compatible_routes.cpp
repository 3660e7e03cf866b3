#include "server/compatible_routes.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

#include "core/try.h"
#include "server/compatible_run.h"
#include "server/conversation.h"
#include "server/problem.h"

namespace wright::server {
namespace {

using Read = Result<Conversation> (*)(const JsonObject&);
using MakeRendering = std::unique_ptr<Rendering> (*)(const Conversation&);

constexpr std::string_view kCancelHeader = "X-Wright-Cancel-On-Disconnect";

Result<bool> wants_cancel(const http::Request& request) {
  const std::string_view word = request.header(kCancelHeader);
  if (word.empty() || word == "false") return false;
  if (word == "true") return true;
  return fail(ErrorCode::invalid_argument, fmt::format("{} must be true or false", kCancelHeader));
}

Route completing(const ServiceOptions& options, SessionListeners& listeners, std::string path,
                 Read read, MakeRendering make_rendering) {
  const auto answer = [&options, &listeners, read, make_rendering](Call& call) -> Answer {
    const JsonObject body = TRY(call.body());
    const Conversation conversation = TRY(read(body));
    const bool cancels = TRY(wants_cancel(call.request));
    const auto run =
        std::make_shared<CompatibleRun>(options, listeners, make_rendering(conversation), call);
    if (cancels) run->cancel_on_disconnect();
    if (auto begun = run->begin(conversation); !begun) {
      run->fail_with(std::move(begun).error());
    }
    return std::nullopt;
  };
  return {"POST", std::move(path), Access::known, Scope::run, answer};
}

// As both vendors list their models.
Json model_json(const std::string& agent) {
  return {{"id", agent},
          {"object", "model"},
          {"created", 0},
          {"owned_by", "wright"},
          {"type", "model"},
          {"display_name", agent},
          {"created_at", "1970-01-01T00:00:00Z"}};
}

Answer list_models(const ServiceOptions& options) {
  JsonArray data;
  for (const std::string& name : options.agents.names()) data.push_back(model_json(name));
  return json_response({{"object", "list"}, {"data", std::move(data)}, {"has_more", false}});
}

}  // namespace

// Each takes itself out of the list when it ends, which must not be while the list does.
SessionListeners::~SessionListeners() {
  const auto left = std::exchange(listeners_, {});
}

void SessionListeners::observe(const Event& event, const EventOrigin& origin) {
  std::vector<std::shared_ptr<Listener>> told;
  {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = listeners_.equal_range(origin.session_id);
    for (auto each = first; each != last; ++each) told.push_back(each->second);
  }
  for (const auto& listener : told) (*listener)(event);
}

std::shared_ptr<void> SessionListeners::listen(SessionId id, Listener listener) {
  const auto held = std::make_shared<Listener>(std::move(listener));
  const auto remove = [this, id, listening = held.get()](void*) {
    std::shared_ptr<Listener> gone;  // outlives the lock
    const std::lock_guard lock(mutex_);
    const auto [first, last] = listeners_.equal_range(id);
    const auto found =
        std::find_if(first, last, [&](const auto& each) { return each.second.get() == listening; });
    if (found == last) return;
    gone = std::move(found->second);
    listeners_.erase(found);
  };
  const std::lock_guard lock(mutex_);
  listeners_.emplace(id, held);
  return {static_cast<void*>(held.get()), remove};
}

std::vector<Route> compatible_routes(const ServiceOptions& options, SessionListeners& listeners) {
  std::vector<Route> routes{
      {"GET", "/v1/models", Access::known, Scope::read,
       [&options](Call&) { return list_models(options); }},
      {"GET", "/v1/models/{id}", Access::known, Scope::read,
       [&options](Call& call) -> Answer {
         TRY(options.agents.make(call.words.at(0)));
         return json_response(model_json(call.words.at(0)));
       }},
      completing(options, listeners, "/v1/chat/completions", conversation_from_chat,
                 chat_rendering),
      completing(options, listeners, "/v1/responses", conversation_from_responses,
                 responses_rendering),
      completing(options, listeners, "/v1/messages", conversation_from_messages,
                 messages_rendering),
  };
  for (Route& route : response_routes(options)) routes.push_back(std::move(route));
  return routes;
}

}  // namespace wright::server
