#include "mcp/json_rpc.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/json_kind.h"
#include "core/json_size.h"

namespace wright::mcp {
namespace {

// What can be given back as it came: of other numbers digits are lost.
bool is_id(const Json& value) {
  constexpr double kMostExact = 9'007'199'254'740'992;  // 2^53
  if (value.is_double()) return std::abs(value.get_double()) <= kMostExact;
  return value.is_string() || value.is_number();
}

Malformed malformed(const JsonObject* object, std::string message) {
  Malformed made{.problem = {code::kInvalidRequest, std::move(message)}};
  const Json* id = object != nullptr ? object->if_contains("id") : nullptr;
  if (id != nullptr && is_id(*id)) made.id = *id;
  return made;
}

// The id of a message that is not read, or is none; null: not found.
RequestId seeming_id(std::string_view text) {
  RequestId seen;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    const std::size_t begin = i;
    for (++i; i < text.size() && text[i] != '"'; ++i) {
      if (text[i] == '\\') ++i;
    }
    if (depth != 1 || text.substr(begin, i - begin) != "\"id") continue;
    const std::string_view rest = text.substr(std::min(i + 1, text.size()));
    if (!rest.starts_with(':')) continue;
    auto id = parse_json(rest.substr(1, rest.find_first_of(",}") - 1));
    if (id && is_id(*id)) seen = std::move(*id);
  }
  return seen;
}

Malformed malformed_answer(const JsonObject& object, std::string message) {
  Malformed made = malformed(&object, std::move(message));
  const Json* result = object.if_contains("result");
  made.is_answer = true;
  made.is_null = result != nullptr && result->is_null() && !object.contains("error");
  return made;
}

Message read_answer(JsonObject& object) {
  const Json* id = object.if_contains("id");
  Answer answer;
  if (id != nullptr && is_id(*id)) answer.id = *id;
  if (const Json* error = object.if_contains("error")) {
    if (const Json* result = object.if_contains("result");
        result != nullptr && !result->is_null()) {
      return malformed_answer(object, "an answer must have a result or an error, not both");
    }
    if (!error->is_object()) return malformed_answer(object, "error must be an object");
    const JsonObject& given = error->get_object();
    const Json* number = given.if_contains("code");
    Problem problem{.code = number != nullptr && number->is_int64() ? number->get_int64()
                                                                    : code::kInternalError,
                    .message = text_in(given, "message")};
    if (problem.message.empty()) {
      problem.message = fmt::format("error {}, and not a word about it", problem.code);
    }
    if (const Json* data = given.if_contains("data")) problem.data = *data;
    answer.outcome = std::move(problem);
    return answer;
  }
  if (answer.id.is_null()) return malformed(&object, "a result must have the id of its request");
  Json& result = object.at("result");
  if (!result.is_object()) return malformed_answer(object, "result must be an object");
  answer.outcome = std::move(result.get_object());
  return answer;
}

Message read_message(Json& value) {
  if (!value.is_object()) {
    return malformed(
        nullptr, std::string("a message must be an object, not ") + std::string(kind_name(value)));
  }
  JsonObject& object = value.get_object();
  const JsonString* version = string_in(object, "jsonrpc");
  if (version == nullptr || *version != "2.0") {
    return malformed(&object, "jsonrpc must be \"2.0\"");
  }
  const Json* method = object.if_contains("method");
  if (method == nullptr) {
    if (object.contains("result") || object.contains("error")) return read_answer(object);
    return malformed(&object, "a message must have a method, a result or an error");
  }
  if (!method->is_string()) return malformed(&object, "method must be a string");
  JsonObject params;
  if (Json* given = object.if_contains("params")) {
    if (!given->is_object()) return malformed(&object, "params must be an object");
    params = std::move(given->get_object());
  }
  const Json* id = object.if_contains("id");
  if (id == nullptr) return Notification{std::string(method->get_string()), std::move(params)};
  if (!is_id(*id)) return malformed(&object, "id must be a string or a number of at most 64 bits");
  return Request{*id, std::string(method->get_string()), std::move(params)};
}

}  // namespace

std::string id_key(const RequestId& id) {
  return to_text(id);
}

Frame read_frame(std::string_view text) {
  if (most_values_in(text) > kMostJsonValues) {
    return {{Malformed{.id = seeming_id(text),
                       .problem = {code::kInvalidRequest,
                                   "the message has too many values; nothing of it was read"}}}};
  }
  auto parsed = parse_json(text);
  if (!parsed) {
    return {{Malformed{.problem = {code::kParseError, std::move(parsed).error().message},
                       .seeming_id = seeming_id(text)}}};
  }
  if (!parsed->is_array()) return {{read_message(*parsed)}};
  JsonArray& array = parsed->get_array();
  if (array.empty() || array.size() > kLargestBatch) {
    return {{malformed(nullptr, array.empty() ? "a batch must not be empty"
                                              : "a batch must not have more than 1000 messages")}};
  }
  Frame frame{.is_batch = true};
  for (Json& each : array) frame.messages.push_back(read_message(each));
  return frame;
}

std::string request_text(const RequestId& id, std::string_view method, const JsonObject& params) {
  JsonObject object{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  if (!params.empty()) object["params"] = params;
  return to_text(object);
}

std::string notification_text(std::string_view method, const JsonObject& params) {
  JsonObject object{{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.empty()) object["params"] = params;
  return to_text(object);
}

std::string result_text(const RequestId& id, JsonObject result) {
  JsonObject object{{"jsonrpc", "2.0"}, {"id", id}};
  object.emplace("result", std::move(result));
  return to_text(object);
}

std::string problem_text(const RequestId& id, const Problem& problem) {
  JsonObject error{{"code", problem.code}, {"message", problem.message}};
  if (!problem.data.is_null()) error["data"] = problem.data;
  JsonObject object{{"jsonrpc", "2.0"}};
  if (!id.is_null()) object["id"] = id;
  object.emplace("error", std::move(error));
  return to_text(object);
}

const JsonString* string_in(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr ? value->if_string() : nullptr;
}

const JsonObject* object_in(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr ? value->if_object() : nullptr;
}

std::string text_in(const JsonObject& object, std::string_view key) {
  const JsonString* text = string_in(object, key);
  return text != nullptr ? std::string(*text) : std::string();
}

Malformed too_long() {
  return {.problem = {code::kInvalidRequest, "the message is too long; nothing of it was read"}};
}

}  // namespace wright::mcp
