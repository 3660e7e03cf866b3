#include "store/json_columns.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

#include "core/json_storage.h"
#include "core/older_forms.h"
#include "core/try.h"

namespace wright::store {
namespace {

bool is_nested_deeper(const Json& value, int levels) {
  if (!value.is_structured()) return false;
  if (levels == 0) return true;
  if (const JsonArray* array = value.if_array()) {
    return std::ranges::any_of(
        *array, [&](const Json& item) { return is_nested_deeper(item, levels - 1); });
  }
  return std::ranges::any_of(value.get_object(), [&](const auto& member) {
    return is_nested_deeper(member.value(), levels - 1);
  });
}

}  // namespace

std::string request_column(std::string_view arguments) {
  // Only looked at, and dropped.
  std::array<unsigned char, 2048> usual;
  boost::json::monotonic_resource memory(usual.data(), usual.size());
  const auto parsed = parse_json(arguments, &memory);
  if (parsed && !parsed->is_string()) return std::string(arguments);
  return to_text(Json(arguments));
}

Result<std::string> arguments_from(std::string request_column) {
  if (!request_column.starts_with('"')) return request_column;
  auto wrapped = TRY(parse_json(request_column));
  return std::string(wrapped.get_string());
}

Result<std::string> json_column(const Json& value) {
  if (is_nested_deeper(value, kMaxJsonDepth)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The JSON value is nested more than {} levels deep", kMaxJsonDepth));
  }
  return to_text(value);
}

Result<std::optional<std::string>> json_column(const std::optional<Json>& value) {
  if (!value) return std::nullopt;
  return json_column(*value);
}

Result<std::optional<Json>> json_from(const std::optional<std::string>& column) {
  if (!column) return std::nullopt;
  return parse_json(*column);
}

std::string covers_column(const std::vector<std::string>& covers) {
  return to_text(JsonArray(covers.begin(), covers.end()));
}

Result<std::vector<std::string>> covers_from(const std::optional<std::string>& column,
                                             const Json& shown) {
  if (!column) return older::waiting(WaitKind::approval, shown).covers;
  const auto list = TRY(parse_json(*column));
  std::vector<std::string> covers;
  if (!list.is_array()) return fail(ErrorCode::invalid_json, "It covers what is no list");
  for (const Json& each : list.get_array()) {
    if (!each.is_string()) return fail(ErrorCode::invalid_json, "It covers what is no text");
    covers.emplace_back(each.get_string());
  }
  return covers;
}

Result<std::optional<std::string>> config_column(const Json& config) {
  if (config.is_null()) return std::nullopt;
  if (!config.is_object()) {
    return fail(ErrorCode::invalid_argument, "The config of a session must be an object or null");
  }
  return json_column(config);
}

Result<std::optional<std::string>> state_column(const Json& state) {
  if (state.is_null()) return std::nullopt;
  return json_column(state);
}

Result<Json> state_from(const std::optional<std::string>& column) {
  if (!column) return Json();
  return parse_json(*column);
}

}  // namespace wright::store
