#include "core/secret_members.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "core/text.h"
#include "wright/log.h"

namespace wright {
namespace {

// Members whose texts prove who somebody is: some vendors' tools take them in the body.
bool names_a_secret(std::string_view name) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"authorization", "auth", "apikey", "api-key", "x-api-key", "key", "bearer", "credential",
       "credentials"});
  const std::string small = lower(name);
  return small.contains("secret") || small.contains("passw") || small.contains("api_key") ||
         small.contains("api-key") || small.contains("apikey") || small.contains("cookie") ||
         small.contains("connection_string") || small.ends_with("token") ||
         small.ends_with("access_key") || small.ends_with("private_key") ||
         std::ranges::find(kWords, small) != kWords.end();
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

enum class Inside : std::uint8_t { anything, secrets };

bool hide_secrets(Json& json, Inside inside);

bool hide_in_member(std::string_view name, Json& value, Inside inside) {
  if (is_schema(name) && value.is_object()) return false;
  if (!value.is_string()) {
    return hide_secrets(value,
                        name == "headers" || names_a_secret(name) ? Inside::secrets : inside);
  }
  std::string shown(value.get_string());
  if (inside == Inside::secrets || names_a_secret(name)) {
    shown = kRedacted;
  } else if (is_address(name)) {
    shown = without_keys(shown);
  }
  const bool has_hidden = value != Json(shown);
  value = shown;
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
  } else if (json.is_string() && inside == Inside::secrets) {
    json = kRedacted;
    has_hidden = true;
  }
  return has_hidden;
}

// What was hidden, by what is there before and after.
void collect_hidden(const Json& before, const Json& after, std::vector<std::string>& texts) {
  if (before.is_string()) {
    if (after == Json(kRedacted) && before != after) texts.emplace_back(before.get_string());
  } else if (const auto* array = before.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      collect_hidden((*array)[i], after.get_array()[i], texts);
    }
  } else if (const auto* object = before.if_object()) {
    for (const auto& member : *object) {
      collect_hidden(member.value(), after.get_object().at(member.key()), texts);
    }
  }
}

}  // namespace

bool hide_secret_members(Json& json) {
  return hide_secrets(json, Inside::anything);
}

bool hide_secret_member(std::string_view name, Json& value) {
  return hide_in_member(name, value, Inside::anything);
}

std::vector<std::string> secret_members(const Json& json) {
  Json hidden = json;
  std::vector<std::string> texts;
  if (hide_secret_members(hidden)) collect_hidden(json, hidden, texts);
  return texts;
}

}  // namespace wright
