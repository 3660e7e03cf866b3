// Exchanges that broke, or took too long, when there was a connection: nobody knows whether the server has
// acted on the request. An error of the network, or of time, without that mark was found before anything was
// sent.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <utility>

#include "wright/error.h"

namespace wright::net {

inline constexpr std::string_view kMayHaveArrived = "may_have_arrived";

inline std::unexpected<Error> connection_broke(std::string message) {
  return fail(ErrorCode::network, std::move(message), boost::json::object{{kMayHaveArrived, true}});
}

inline Error took_too_long(std::string message) {
  return {ErrorCode::timeout, std::move(message), boost::json::object{{kMayHaveArrived, true}}};
}

inline bool may_have_arrived(const Error& error) {
  const boost::json::value* mark = error.find(kMayHaveArrived);
  return mark != nullptr && mark->is_bool() && mark->get_bool();
}

}  // namespace wright::net
