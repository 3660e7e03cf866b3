#include "wright/error.h"

#include <boost/json/object.hpp>

#include <array>

namespace wright {
namespace {

constexpr std::array kNames{
    std::pair{ErrorCode::invalid_argument, std::string_view("invalid_argument")},
    std::pair{ErrorCode::invalid_json, std::string_view("invalid_json")},
    std::pair{ErrorCode::not_found, std::string_view("not_found")},
    std::pair{ErrorCode::already_exists, std::string_view("already_exists")},
    std::pair{ErrorCode::permission_denied, std::string_view("permission_denied")},
    std::pair{ErrorCode::unsupported, std::string_view("unsupported")},
    std::pair{ErrorCode::limit_reached, std::string_view("limit_reached")},
    std::pair{ErrorCode::unavailable, std::string_view("unavailable")},
    std::pair{ErrorCode::timeout, std::string_view("timeout")},
    std::pair{ErrorCode::cancelled, std::string_view("cancelled")},
    std::pair{ErrorCode::authentication, std::string_view("authentication")},
    std::pair{ErrorCode::rate_limited, std::string_view("rate_limited")},
    std::pair{ErrorCode::overloaded, std::string_view("overloaded")},
    std::pair{ErrorCode::context_too_long, std::string_view("context_too_long")},
    std::pair{ErrorCode::content_filtered, std::string_view("content_filtered")},
    std::pair{ErrorCode::answer_cut, std::string_view("answer_cut")},
    std::pair{ErrorCode::answer_refused, std::string_view("answer_refused")},
    std::pair{ErrorCode::network, std::string_view("network")},
    std::pair{ErrorCode::storage, std::string_view("storage")},
    std::pair{ErrorCode::protocol, std::string_view("protocol")},
    std::pair{ErrorCode::tool_failed, std::string_view("tool_failed")},
    std::pair{ErrorCode::internal, std::string_view("internal")},
};

}  // namespace

std::string_view to_string(ErrorCode code) {
  for (const auto& [value, name] : kNames) {
    if (value == code) return name;
  }
  return "internal";
}

const boost::json::value* Error::find(std::string_view key) const {
  const boost::json::object* object = detail.if_object();
  return object != nullptr ? object->if_contains(key) : nullptr;
}

Result<ErrorCode> error_code_from(std::string_view text) {
  for (const auto& [value, name] : kNames) {
    if (name == text) return value;
  }
  return fail(ErrorCode::invalid_argument, "Unknown error code '" + std::string(text) + "'");
}

std::string_view to_string(Limit limit) {
  switch (limit) {
    case Limit::iterations: return "iterations";
    case Limit::tool_calls: return "tool_calls";
    case Limit::repeats: return "repeats";
    case Limit::tokens: return "tokens";
    case Limit::cost: return "cost";
    case Limit::time: return "time";
    case Limit::depth: return "depth";
    case Limit::tools: return "tools";
  }
  return "iterations";
}

Result<Limit> limit_from(std::string_view name) {
  for (const Limit limit : {Limit::iterations, Limit::tool_calls, Limit::repeats, Limit::tokens,
                            Limit::cost, Limit::time, Limit::depth, Limit::tools}) {
    if (to_string(limit) == name) return limit;
  }
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
