// For tests of codecs: a request with everything it refers to, and the JSON that it becomes.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/try.h"
#include "providers/codec.h"
#include "wright/tool.h"

namespace wright::providers::testing {

struct Asked {
  std::string system = {};
  std::vector<Message> messages = {Message::user("Hi")};
  std::vector<Tool> tools = {};
  Sampling sampling = {};

  // Refers to this.
  Request request() const {
    return {.messages = messages, .system = system, .tools = tools, .sampling = &sampling};
  }
};

inline Result<HttpRequest> encoded(const Codec& codec, const Endpoint& endpoint,
                                   const Request& request, Delivery delivery) {
  SentHistory history;
  return codec.encode(endpoint, request, delivery, history);
}

inline Json body_of(const Codec& codec, const Endpoint& endpoint, const Asked& asked) {
  const auto request = encoded(codec, endpoint, asked.request(), Delivery::whole);
  EXPECT_TRUE(request) << request.error().message;
  if (!request) return JsonObject();
  const auto body = parse_json(request->body);  // refuses bytes that are no UTF-8
  EXPECT_TRUE(body) << body.error().message;
  return body.value_or(JsonObject());
}

inline Result<Response> decoded(const Codec& codec, const Endpoint& endpoint, const Asked& asked,
                                std::string_view answer) {
  const auto decoder = codec.make_decoder(endpoint, asked.request());
  TRY(decoder->feed(answer, {}));
  return decoder->finish();
}

// How often `key` stands in `json`, at any depth.
inline int count_of(const Json& json, std::string_view key) {
  int count = 0;
  if (const JsonObject* object = json.if_object()) {
    for (const auto& [name, value] : *object) count += (name == key ? 1 : 0) + count_of(value, key);
  }
  if (const JsonArray* array = json.if_array()) {
    for (const Json& value : *array) count += count_of(value, key);
  }
  return count;
}

inline Endpoint endpoint_of(std::string_view id) {
  const auto endpoint = Catalogue::built_in().find(id);
  EXPECT_TRUE(endpoint) << endpoint.error().message;
  return endpoint.value_or(Endpoint{});
}

inline Asked with_bytes_that_are_no_text() {
  const std::string bad = "a\xFF\xC3(\xED\xA0\x80" + std::string(1, '\0') + "z";
  Asked asked{
      .system = bad,
      .messages = {Message::user(bad),
                   {Role::assistant, {Text{bad}, Reasoning{bad, bad}, ToolCall{bad, bad, bad}}},
                   Message::tool({.call_id = bad, .name = bad, .content = bad}),
                   Message::user(bad)},
      .tools = {Tool{{.name = bad, .description = bad}, {}}}};
  asked.sampling.stop_sequences = {bad};
  return asked;
}

}  // namespace wright::providers::testing
