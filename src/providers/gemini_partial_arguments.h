// The arguments of a call that Gemini sends in pieces: a path and a value each; texts may be
// continued. Any piece may be hostile; none can allocate more than its own size.
#pragma once

#include <boost/json/object.hpp>

#include <string_view>

#include "wright/json.h"

namespace wright::providers {

class GeminiPartialArguments {
 public:
  // One entry of partialArgs: {"jsonPath": "$.places[0].city", "stringValue": "Os"}. Elements of an
  // array arrive in order. Fails where the path cannot be followed.
  Result<void> add(const Json& piece);

  std::string text() const { return to_text(arguments_); }

 private:
  Result<Json*> place(std::string_view path);

  Json arguments_ = JsonObject();
};

}  // namespace wright::providers
