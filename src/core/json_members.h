// Members of a JSON object that may be anything: what somebody else wrote, or nothing at all.
// Absent, and of another type, are the same here; whoever has to tell them apart looks for itself.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wright/json.h"

namespace wright {

// Null when it is no object, or has no such member.
inline const Json* member(const Json& json, std::string_view key) {
  const JsonObject* object = json.if_object();
  return object != nullptr ? object->if_contains(key) : nullptr;
}

inline const JsonObject* object_in(const JsonObject& object, std::string_view key) {
  const Json* found = object.if_contains(key);
  return found != nullptr ? found->if_object() : nullptr;
}

inline const JsonString* string_in(const JsonObject& object, std::string_view key) {
  const Json* found = object.if_contains(key);
  return found != nullptr ? found->if_string() : nullptr;
}

// Empty when there is none.
inline std::string text_in(const JsonObject& object, std::string_view key) {
  const JsonString* found = string_in(object, key);
  return found != nullptr ? std::string(*found) : std::string();
}
inline std::string text_in(const Json& json, std::string_view key) {
  const JsonObject* object = json.if_object();
  return object != nullptr ? text_in(*object, key) : std::string();
}

inline std::optional<std::int64_t> integer_in(const JsonObject& object, std::string_view key) {
  const Json* found = object.if_contains(key);
  if (found == nullptr || !found->is_int64()) return std::nullopt;
  return found->get_int64();
}

}  // namespace wright
