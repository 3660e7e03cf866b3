#include "wright/error.h"

#include <boost/json/object.hpp>

#include "core/enum_names.h"

namespace wright {

WRIGHT_ENUM(ErrorCode, invalid_argument, invalid_json, not_found, already_exists, permission_denied,
            unsupported, limit_reached, unavailable, timeout, cancelled, authentication,
            rate_limited, overloaded, context_too_long, content_filtered, answer_cut,
            answer_refused, network, storage, protocol, tool_failed, internal)
WRIGHT_ENUM(Limit, iterations, tool_calls, repeats, tokens, cost, time, depth, tools)

std::string_view to_string(ErrorCode code) {
  return enum_name(code);
}

const boost::json::value* Error::find(std::string_view key) const {
  const boost::json::object* object = detail.if_object();
  return object != nullptr ? object->if_contains(key) : nullptr;
}

Result<ErrorCode> error_code_from(std::string_view name) {
  if (const auto code = enum_named<ErrorCode>(name)) return *code;
  return fail(ErrorCode::invalid_argument, "Unknown error code '" + std::string(name) + "'");
}

std::string_view to_string(Limit limit) {
  return enum_name(limit);
}

Result<Limit> limit_from(std::string_view name) {
  if (const auto limit = enum_named<Limit>(name)) return *limit;
  return fail(ErrorCode::invalid_argument, "Unknown limit '" + std::string(name) + "'");
}

Error limit_error(Limit limit, std::string message, std::string answer) {
  return {ErrorCode::limit_reached, std::move(message),
          boost::json::object{{"limit", to_string(limit)}, {"answer", std::move(answer)}}};
}

std::optional<Limit> limit_of(const Error& error) {
  const boost::json::value* name =
      error.code == ErrorCode::limit_reached ? error.find("limit") : nullptr;
  if (name == nullptr || !name->is_string()) return std::nullopt;
  const auto limit = limit_from(name->get_string());
  return limit ? std::optional(*limit) : std::nullopt;
}

std::string answer_of(const Error& error) {
  const boost::json::value* answer = error.find("answer");
  return answer != nullptr && answer->is_string() ? std::string(answer->get_string()) : "";
}

}  // namespace wright
