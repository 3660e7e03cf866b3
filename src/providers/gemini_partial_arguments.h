// The arguments of a call that Gemini sends in pieces: a path and a value each, of which texts may
// be continued. Any of them may be hostile; none makes more than it brings.
#pragma once

#include <boost/json/object.hpp>

#include <string_view>

#include "wright/json.h"

namespace wright::providers {

class GeminiPartialArguments {
 public:
  // One entry of partialArgs: {"jsonPath": "$.places[0].city", "stringValue": "Os"}. Elements of an
  // array come in order. Fails where the path cannot be followed.
  Result<void> add(const Json& piece);

  std::string text() const { return to_text(arguments_); }

 private:
  Result<Json*> place(std::string_view path);

  Json arguments_ = JsonObject();
};

}  // namespace wright::providers
