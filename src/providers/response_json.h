// Reads the JSON of vendors' responses: one small document after another, in memory that is reused.
// Vendors leave fields out, set them to null or change their type, so reading an unexpected field
// gives nothing; what must be there is checked where it is needed.
#pragma once

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parser.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "providers/changing_text.h"
#include "wright/json.h"

namespace wright::providers {

class ResponseJson {
 public:
  ResponseJson();
  ResponseJson(const ResponseJson&) = delete;
  ResponseJson& operator=(const ResponseJson&) = delete;

  // The document, valid until the next one is parsed. Strings may hold bytes that are not UTF-8 and
  // halves of surrogate pairs as three bytes each: the next document may continue either, so
  // Utf8Joiner takes care of them.
  Result<const Json*> parse(std::string_view text);

  // The same for one of many documents that are much alike.
  Result<const Json*> parse_event(std::string_view text);

 private:
  const Json* try_parse(std::string_view text, boost::json::error_code& error);

  std::array<unsigned char, 8192> memory_;
  std::array<unsigned char, 2048> stack_;
  std::optional<boost::json::monotonic_resource> resource_;
  boost::json::parser parser_;
  std::optional<Json> document_;
  ChangingText changing_;
};

// Each of these takes null and passes it on, so that calls can be nested.
const Json* field(const Json* object, std::string_view key);  // null where absent or JSON null
// The same for several keys, looked for together: `object` is walked once.
template <std::size_t N>
std::array<const Json*, N> fields(const Json* object, const std::array<std::string_view, N>& keys);
const JsonObject* object_in(const Json* value);
const JsonArray* array_in(const Json* value);
std::string_view text_in(const Json* value);
std::string_view text_field(const Json* object, std::string_view key);
// Numbers and numbers in strings, of any kind: negative ones are 0, those above 10^12 are that.
std::int64_t count_in(const Json* value);
std::int64_t count_field(const Json* object, std::string_view key);

// Text on its own, made valid.
std::string valid_text(std::string_view text);

template <std::size_t N>
std::array<const Json*, N> fields(const Json* object, const std::array<std::string_view, N>& keys) {
  std::array<const Json*, N> values{};
  const JsonObject* members = object_in(object);
  if (members == nullptr) return values;
  for (const auto& member : *members) {
    const std::string_view name = member.key();
    for (std::size_t i = 0; i < N; ++i) {
      if (name == keys[i] && !member.value().is_null()) values[i] = &member.value();
    }
  }
  return values;
}

}  // namespace wright::providers
