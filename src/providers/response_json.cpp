#include "providers/response_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "providers/utf8_joiner.h"

namespace wright::providers {
namespace {

constexpr std::size_t kFewFields = 16;  // that are looked through

boost::json::parse_options options() {
  boost::json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  options.allow_invalid_utf8 = true;
  return options;
}

// The value of the escape "\uXXXX" at the start of `text`, or nothing.
std::optional<std::uint32_t> escaped_unit(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return {};
  std::uint32_t unit = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
  if (error != std::errc() || end != text.data() + 6) return {};
  return unit;
}

// Writes every half of a surrogate pair that stands alone as the three bytes it would have in
// UTF-8; the parser refuses it as an escape.
std::string with_lone_surrogates_as_bytes(std::string_view text) {
  std::string written;
  written.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      written += text[at++];
      continue;
    }
    const auto unit = escaped_unit(text.substr(at));
    if (!unit || *unit < 0xD800 || *unit > 0xDFFF) {
      written += text.substr(at, 2);
      at += 2;
      continue;
    }
    const auto second = escaped_unit(text.substr(at + 6));
    if (*unit < 0xDC00 && second && *second >= 0xDC00 && *second <= 0xDFFF) {
      written += text.substr(at, 12);
      at += 12;
      continue;
    }
    written += static_cast<char>(0xED);
    written += static_cast<char>(0x80U | ((*unit >> 6) & 0x3FU));
    written += static_cast<char>(0x80U | (*unit & 0x3FU));
    at += 6;
  }
  return written;
}

}  // namespace

ResponseJson::ResponseJson() : parser_({}, options(), stack_.data(), stack_.size()) {}

const Json* ResponseJson::try_parse(std::string_view text, boost::json::error_code& error) {
  changing_.forget();
  document_.reset();
  // A new one every time: release() would keep the size of its next block, which doubles with every
  // block ever allocated.
  parser_.reset();
  resource_.emplace(memory_.data(), memory_.size());
  parser_.reset(&*resource_);
  const std::size_t read = parser_.write_some(text.data(), text.size(), error);
  if (!error && text.find_first_not_of(" \t\r\n", read) != std::string_view::npos) {
    error = boost::json::error::extra_data;
  }
  if (error) return nullptr;
  return &document_.emplace(parser_.release());
}

Result<const Json*> ResponseJson::parse(std::string_view text) {
  boost::json::error_code error;
  const Json* document = try_parse(text, error);
  if (document == nullptr && text.contains("\\u")) {
    boost::json::error_code second_error;
    document = try_parse(with_lone_surrogates_as_bytes(text), second_error);
  }
  if (document == nullptr) {
    return fail(ErrorCode::invalid_json, fmt::format("Invalid JSON: {}", error.message()));
  }
  return document;
}

Result<const Json*> ResponseJson::parse_event(std::string_view text) {
  if (changing_.put(text)) return &*document_;
  boost::json::error_code error;
  if (try_parse(text, error) == nullptr) return parse(text);
  changing_.learn(text, *document_);
  return &*document_;
}

const Json* field(const Json* object, std::string_view key) {
  const JsonObject* fields = object_in(object);
  if (fields == nullptr) return nullptr;
  const Json* value = nullptr;
  if (fields->size() > kFewFields) {
    value = fields->if_contains(key);
  } else {
    // Most names that are looked for are not there, and of another length than those that are.
    for (const auto& member : *fields) {
      if (std::string_view(member.key()) == key) value = &member.value();
    }
  }
  return value != nullptr && !value->is_null() ? value : nullptr;
}

const JsonObject* object_in(const Json* value) {
  return value != nullptr ? value->if_object() : nullptr;
}

const JsonArray* array_in(const Json* value) {
  return value != nullptr ? value->if_array() : nullptr;
}

std::string_view text_in(const Json* value) {
  const JsonString* text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? std::string_view(*text) : std::string_view();
}

std::string_view text_field(const Json* object, std::string_view key) {
  return text_in(field(object, key));
}

// More than anybody counts, and little enough that sums of them fit.
constexpr std::int64_t kLargestCount = 1'000'000'000'000;

std::int64_t count_in(const Json* value) {
  if (value == nullptr) return 0;
  double number = 0;
  if (value->is_int64()) return std::clamp<std::int64_t>(value->get_int64(), 0, kLargestCount);
  if (value->is_uint64()) return kLargestCount;
  if (value->is_double()) number = value->get_double();
  if (value->is_string()) {
    const std::string_view text = text_in(value);
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  if (!(number >= 0)) return 0;
  return number < static_cast<double>(kLargestCount) ? static_cast<std::int64_t>(number)
                                                     : kLargestCount;
}

std::int64_t count_field(const Json* object, std::string_view key) {
  return count_in(field(object, key));
}

std::string valid_text(std::string_view text) {
  std::string valid;
  Utf8Joiner joiner;
  joiner.append(valid, text);
  joiner.finish(valid);
  return valid;
}

}  // namespace wright::providers
