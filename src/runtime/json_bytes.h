// About how much memory a JSON value takes, for what is bounded in bytes.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>

#include "wright/json.h"

namespace wright::runtime {

inline std::size_t json_bytes(const Json& json) {
  std::size_t bytes = sizeof(Json);
  if (const auto* text = json.if_string()) return bytes + text->size();
  if (const JsonArray* array = json.if_array()) {
    for (const Json& element : *array) bytes += json_bytes(element);
  }
  if (const JsonObject* object = json.if_object()) {
    for (const auto& [key, value] : *object) bytes += key.size() + json_bytes(value);
  }
  return bytes;
}

}  // namespace wright::runtime
