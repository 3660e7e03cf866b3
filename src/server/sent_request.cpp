#include "server/sent_request.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "wright/fitting.h"
#include "wright/log.h"
#include "wright/run.h"

namespace wright::server {
namespace {

// Members whose texts prove who somebody is: some vendors' tools take them in the body.
bool names_a_secret(std::string_view name) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"authorization", "apikey", "api-key", "bearer", "credentials"});
  const std::string small = lower(name);
  return small.contains("secret") || small.contains("password") || small.ends_with("token") ||
         small.ends_with("api_key") || std::ranges::find(kWords, small) != kWords.end();
}

// What a schema calls its members says nothing about secrets.
bool is_schema(std::string_view name) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"parameters", "parametersJsonSchema", "input_schema", "inputSchema", "schema"});
  return std::ranges::find(kWords, name) != kWords.end();
}

bool is_address(std::string_view name) {
  const std::string small = lower(name);
  return small.ends_with("url") || small.ends_with("uri");
}

// Who is asked, and nothing that may be a key: no name before the host, and nothing behind it.
std::string without_keys(std::string_view address) {
  const std::size_t begin = address.find("://");
  if (begin == std::string_view::npos) return std::string(kRedacted);
  const std::string_view scheme = address.substr(0, begin + 3);
  std::string_view host = address.substr(scheme.size());
  const std::string_view rest = host.substr(std::min(host.find_first_of("/?#"), host.size()));
  host.remove_suffix(rest.size());
  const std::size_t at = host.rfind('@');
  if (at != std::string_view::npos) host.remove_prefix(at + 1);
  return fmt::format("{}{}{}", scheme, host, rest.size() > 1 ? "/…" : rest);
}

enum class Inside : std::uint8_t { anything, headers };

bool hide_secrets(Json& json, Inside inside);

bool hide_in_member(std::string_view name, Json& value, Inside inside) {
  if (is_schema(name) && value.is_object()) return false;
  if (!value.is_string()) {
    return hide_secrets(value, name == "headers" ? Inside::headers : inside);
  }
  std::string shown(value.get_string());
  if (inside == Inside::headers || names_a_secret(name)) {
    shown = kRedacted;
  } else if (is_address(name)) {
    shown = without_keys(shown);
  }
  const bool has_hidden = value != Json(shown);
  value = std::move(shown);
  return has_hidden;
}

bool hide_secrets(Json& json, Inside inside) {
  bool has_hidden = false;
  if (auto* array = json.if_array()) {
    for (Json& each : *array) has_hidden = hide_secrets(each, inside) || has_hidden;
  } else if (auto* object = json.if_object()) {
    for (auto& member : *object) {
      has_hidden = hide_in_member(member.key(), member.value(), inside) || has_hidden;
    }
  } else if (json.is_string() && inside == Inside::headers) {
    json = kRedacted;
    has_hidden = true;
  }
  return has_hidden;
}

// Apart from what was said: that is shown in any case.
bool hide_secrets_beside_conversation(Json& body) {
  constexpr auto kConversation = std::to_array<std::string_view>(
      {"messages", "input", "contents", "system", "systemInstruction", "instructions"});
  bool has_hidden = false;
  JsonObject* object = body.if_object();
  if (object == nullptr) return false;
  for (auto& member : *object) {
    if (std::ranges::find(kConversation, std::string_view(member.key())) != kConversation.end()) {
      continue;
    }
    has_hidden = hide_in_member(member.key(), member.value(), Inside::anything) || has_hidden;
  }
  return has_hidden;
}

struct Made {
  HttpRequest request = {};
  bool is_same = false;
};

std::string fingerprint_of(const HttpRequest& request) {
  return fmt::format("{:016x}", request_fingerprint(request.body));
}

// The first of what may have been sent that has the fingerprint, or the likeliest.
Result<Made> find(const Agent& agent, const Session& session, const Run& run,
                  const std::optional<std::string>& fingerprint) {
  std::optional<Made> likeliest;
  const Step step = next(agent, run);
  const auto* asks = std::get_if<CallModel>(&step);
  if (asks == nullptr) return fail(ErrorCode::unsupported, "The model was not asked here");
  // As the session was cut last, and as it would be cut now.
  for (const bool is_as_kept : {true, false}) {
    ContextFitting fitting;
    if (is_as_kept) fitting.restore(session.context, run.messages);
    fitting.fit(agent, run);
    auto previews = agent.model.preview(fitting.fitted(asks->request, run));
    if (!previews) return std::unexpected(std::move(previews).error());
    for (HttpRequest& each : *previews) {
      if (fingerprint && fingerprint_of(each) == *fingerprint) return Made{std::move(each), true};
      if (!likeliest) likeliest = Made{std::move(each)};
    }
  }
  if (!likeliest) return fail(ErrorCode::unsupported, "Nothing is sent to this model");
  return *std::move(likeliest);
}

std::string name_of_model(const std::string& provider, const std::string& model) {
  return provider + ":" + model;
}

}  // namespace

Json sent_json(const Result<AgentPointer>& agent, const Session& session,
               std::vector<Message> before, const std::optional<std::string>& fingerprint) {
  JsonArray notes;
  const auto nothing = [&](std::string_view why) {
    notes.emplace_back(why);
    return Json{{"is_exact", false}, {"notes", std::move(notes)}};
  };
  if (!agent) return nothing("The agent is not to be had here: " + agent.error().message);
  Agent then = **agent;
  if (session.system_prompt && *session.system_prompt != then.instructions) {
    notes.emplace_back("The agent's instructions have changed since: those of then are shown");
    then.instructions = *session.system_prompt;
  }
  const std::string model = name_of_model(then.model.provider(), then.model.name());
  if (model != name_of_model(session.provider, session.model)) {
    return nothing(fmt::format("It was sent to {}; the agent's model is {} now",
                               name_of_model(session.provider, session.model), model));
  }
  Run run;
  run.agent = then.name;
  run.limits = then.limits;
  for (const Message& each : before) {
    if (each.is_from_user()) run.tool_calls = 0;
    run.tool_calls += static_cast<int>(each.tool_calls().size());
  }
  run.messages = std::move(before);
  const auto made = find(then, session, run, fingerprint);
  if (!made) return nothing(made.error().message);
  if (!fingerprint) {
    notes.emplace_back(
        "Made anew from what is stored. Nobody knows whether settings have changed since");
  } else if (!made->is_same) {
    notes.emplace_back(
        "Made anew from what is stored, and not what was sent: settings or tools have changed "
        "since, or something was left out then, or hidden before it was stored");
  }
  std::string body = made->request.body;
  auto json = parse_json(body);
  if (!json) return nothing("It was sent as something else than JSON");
  if (hide_secrets_beside_conversation(*json)) {
    notes.emplace_back("What is secret is hidden");
    body = to_text(*json);
  }
  return {{"is_exact", made->is_same},
          {"method", made->request.method},
          {"url", made->request.url},
          {"body", std::move(body)},
          {"notes", std::move(notes)}};
}

}  // namespace wright::server
