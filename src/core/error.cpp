#include "wright/error.h"

namespace wright {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::invalid_json: return "invalid_json";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::already_exists: return "already_exists";
    case ErrorCode::permission_denied: return "permission_denied";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::limit_reached: return "limit_reached";
    case ErrorCode::unavailable: return "unavailable";
    case ErrorCode::timeout: return "timeout";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::storage: return "storage";
    case ErrorCode::protocol: return "protocol";
    case ErrorCode::tool_failed: return "tool_failed";
    case ErrorCode::waiting: return "waiting";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

}  // namespace wright
