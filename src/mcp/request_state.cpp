#include "mcp/request_state.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <array>

#include "core/base64.h"
#include "core/sha256.h"
#include "core/try.h"

namespace wright::mcp {
namespace {

constexpr std::size_t kLongestState = 1 << 20;

// What binds a state to its request.
std::string request_digest(const StateScope& scope) {
  std::string text = fmt::format("{}\n{}\n", to_text(Json(scope.principal)), scope.method);
  for (const std::string_view key : {"name", "uri", "arguments"}) {
    const Json* value = scope.params != nullptr ? scope.params->if_contains(key) : nullptr;
    text += value != nullptr ? to_text(*value) : std::string("-");
    text += '\n';
  }
  return base64url_of(bytes_of(sha256(text)));
}

std::unexpected<Error> refused_state(std::string_view why) {
  return fail(ErrorCode::invalid_argument,
              fmt::format("requestState {}; call again without it", why));
}

}  // namespace

std::string seal(std::string_view key, const JsonObject& state, const StateScope& scope,
                 std::int64_t now_ms) {
  const std::string body = base64url_of(to_text(JsonObject{
      {"until", now_ms + kStateLifetimeMs}, {"for", request_digest(scope)}, {"state", state}}));
  return body + "." + base64url_of(bytes_of(hmac_sha256(key, body)));
}

Result<JsonObject> unseal(std::string_view key, std::string_view sealed, const StateScope& scope,
                          std::int64_t now_ms) {
  const std::size_t dot = sealed.find('.');
  if (dot == std::string_view::npos || sealed.size() > kLongestState) {
    return refused_state("is none of this server's");
  }
  const std::string_view body = sealed.substr(0, dot);
  if (!equal_in_constant_time(sealed.substr(dot + 1),
                              base64url_of(bytes_of(hmac_sha256(key, body))))) {
    return refused_state("was changed, or another server made it");
  }
  const auto text = from_base64url(body);
  if (!text) return refused_state("is none of this server's");
  Json value = TRY(parse_json(*text));
  JsonObject* object = value.if_object();
  const Json* until = object != nullptr ? object->if_contains("until") : nullptr;
  Json* state = object != nullptr ? object->if_contains("state") : nullptr;
  if (until == nullptr || !until->is_int64() || state == nullptr || !state->is_object()) {
    return refused_state("is none of this server's");
  }
  if (until->get_int64() < now_ms) return refused_state("is too old");
  if (text_in(*object, "for") != request_digest(scope)) {
    return refused_state("belongs to another request");
  }
  return std::move(state->get_object());
}

}  // namespace wright::mcp
