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

// Hides a text, or shows it again: with what the key and the mark make of themselves, block by
// block (HMAC as the pseudo-random function of counter mode).
std::string hidden(std::string_view key, std::string_view mark, std::string text) {
  std::string counted(mark);
  counted.resize(mark.size() + 4);
  Digest stream{};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t block = i / stream.size();
    if (i % stream.size() == 0) {
      for (std::size_t byte = 0; byte < 4; ++byte) {
        counted[mark.size() + byte] = static_cast<char>((block >> (8 * byte)) & 255U);
      }
      stream = hmac_sha256(key, counted);
    }
    text[i] = static_cast<char>(static_cast<unsigned char>(text[i]) ^ stream[i % stream.size()]);
  }
  return text;
}

// One key for each purpose.
struct StateKeys {
  explicit StateKeys(std::string_view key)
      : signs(bytes_of(hmac_sha256(key, "a state, signed"))),
        hides(bytes_of(hmac_sha256(key, "a state, hidden"))) {}
  std::string signs;
  std::string hides;
};

}  // namespace

// The signature of what is said is also the mark that it is hidden with: nothing random is needed,
// and no two states are hidden alike.
std::string seal(std::string_view key, const JsonObject& state, const StateScope& scope,
                 std::int64_t now_ms) {
  const StateKeys keys(key);
  std::string body = to_text(JsonObject{
      {"until", now_ms + kStateLifetimeMs}, {"for", request_digest(scope)}, {"state", state}});
  const std::string mark(bytes_of(hmac_sha256(keys.signs, body)));
  return base64url_of(mark + hidden(keys.hides, mark, std::move(body)));
}

Result<JsonObject> unseal(std::string_view key, std::string_view sealed, const StateScope& scope,
                          std::int64_t now_ms) {
  constexpr std::size_t kMark = std::tuple_size_v<Digest>;
  const auto bytes =
      sealed.size() <= kLongestState ? from_base64url(sealed) : std::optional<std::string>();
  if (!bytes || bytes->size() <= kMark) return refused_state("is none of this server's");
  const StateKeys keys(key);
  const std::string mark = bytes->substr(0, kMark);
  const std::string text = hidden(keys.hides, mark, bytes->substr(kMark));
  if (!equal_in_constant_time(mark, bytes_of(hmac_sha256(keys.signs, text)))) {
    return refused_state("was changed, or another server made it");
  }
  Json value = TRY(parse_json(text));
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
