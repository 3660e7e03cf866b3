// Errors that may not recur when the same is tried again.
#pragma once

#include "wright/error.h"

namespace wright {

constexpr bool may_pass(ErrorCode code) {
  switch (code) {
    case ErrorCode::rate_limited:
    case ErrorCode::overloaded:
    case ErrorCode::unavailable:
    case ErrorCode::network:
    case ErrorCode::timeout:
    case ErrorCode::answer_cut:
    case ErrorCode::protocol: return true;
    default: return false;
  }
}

}  // namespace wright
