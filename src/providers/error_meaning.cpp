#include "providers/error_meaning.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/text.h"
#include "providers/context_overflow.h"

namespace wright::providers {
namespace {

bool has_any(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.contains(word); });
}

struct Clue {
  Meaning meaning;
  std::span<const std::string_view> codes;
  std::span<const std::string_view> words;
};

constexpr std::array<std::string_view, 6> kFilterCodes{"content_filter",
                                                       "content_policy_violation",
                                                       "responsibleaipolicyviolation",
                                                       "data_inspection_failed",
                                                       "moderation",
                                                       "invalid_prompt"};
constexpr std::array<std::string_view, 9> kFilterWords{
    "content management policy", "usage policies",      "safety system",
    "flagged by moderation",     "requires moderation", "unsafe or sensitive content",
    "content filtering policy",  "input was flagged",   "content was flagged"};
constexpr std::array<std::string_view, 5> kCreditCodes{
    "insufficient_quota", "billing", "insufficient_balance", "payment_required", "credit_balance"};
constexpr std::array<std::string_view, 9> kCreditWords{
    "credit balance is too low",  "insufficient balance",
    "insufficient credit",        "insufficient funds",
    "used all available credits", "spending limit",
    "requires more credits",      "please recharge",
    "billing hard limit"};
constexpr std::array<std::string_view, 5> kKeyCodes{"invalid_api_key", "authentication_error",
                                                    "api_key_invalid", "unauthenticated",
                                                    "invalid_authentication"};
constexpr std::array<std::string_view, 5> kKeyWords{"api key not valid", "incorrect api key",
                                                    "invalid api key", "no auth credentials",
                                                    "api key not found"};
constexpr std::array<std::string_view, 3> kModelCodes{"model_not_found", "model_not_exist",
                                                      "deploymentnotfound"};
constexpr std::array<std::string_view, 5> kModelWords{"is not a valid model", "model not found",
                                                      "model not exist", "no endpoints found",
                                                      "invalid model"};
constexpr std::array<std::string_view, 3> kRateCodes{"rate_limit", "too_many_requests",
                                                     "resource_exhausted"};
constexpr std::array<std::string_view, 1> kRateWords{"rate limit"};
constexpr std::array<std::string_view, 6> kRoomCodes{"overloaded",        "over_capacity",
                                                     "engine_overloaded", "slow_down",
                                                     "capacity_exceeded", "service_unavailable"};
constexpr std::array<std::string_view, 1> kLargeCodes{"request_too_large"};
constexpr std::array<std::string_view, 1> kLargeWords{"request too large"};
constexpr std::array<std::string_view, 2> kPlaceWords{"user location is not supported",
                                                      "not available in your country"};
constexpr std::array<std::string_view, 3> kRoomWords{"overloaded", "over capacity", "at capacity"};
constexpr std::array<std::string_view, 1> kBrokenCallCodes{"tool_use_failed"};
constexpr std::array<std::string_view, 5> kServerCodes{
    "server_error", "internal_error", "api_error", "internal_server_error", "vector_store_timeout"};

// In this order: the narrower meaning first.
constexpr std::array<Clue, 9> kClues{
    // A request that is larger than what is allowed in a minute is never answered.
    Clue{Meaning::too_large, kLargeCodes, kLargeWords},
    Clue{Meaning::content_filtered, kFilterCodes, kFilterWords},
    Clue{Meaning::permission, {}, kPlaceWords},
    Clue{Meaning::no_credit, kCreditCodes, kCreditWords},
    Clue{Meaning::authentication, kKeyCodes, kKeyWords},
    Clue{Meaning::model_not_found, kModelCodes, kModelWords},
    Clue{Meaning::overloaded, kRoomCodes, kRoomWords},
    Clue{Meaning::rate_limited, kRateCodes, kRateWords},
    Clue{Meaning::unavailable, kServerCodes, {}},
};

// What codes mean where no status does: in the middle of a response.
constexpr std::array<std::string_view, 3> kDeniedCodes{"permission_error", "permission_denied",
                                                       "forbidden"};
constexpr std::array<std::string_view, 2> kAbsentCodes{"not_found_error", "not_found"};
constexpr std::array<std::string_view, 5> kInvalidCodes{
    "invalid_request", "invalid_argument", "bad_request", "failed_precondition", "unsupported_"};

Meaning by_code(std::string_view code) {
  if (has_any(code, kDeniedCodes)) return Meaning::permission;
  if (has_any(code, kAbsentCodes)) return Meaning::not_found;
  return has_any(code, kInvalidCodes) ? Meaning::invalid_request : Meaning::unknown;
}

Meaning by_status(int status, std::string_view words) {
  switch (status) {
    case 401: return Meaning::authentication;
    case 402: return Meaning::no_credit;
    case 403: return Meaning::permission;
    case 404: return words.contains("model") ? Meaning::model_not_found : Meaning::not_found;
    case 413: return Meaning::too_large;
    case 429: return Meaning::rate_limited;
    case 498:  // Groq's, for a tier without room
    case 503:
    case 529: return Meaning::overloaded;
    case 408:
    case 409:
    case 425: return Meaning::unavailable;
    default: break;
  }
  if (status >= 500) return Meaning::unavailable;
  if (status >= 400) return Meaning::invalid_request;
  if (status >= 300) return Meaning::moved;
  return Meaning::unknown;
}

// Words do not decide against the status: they may quote a tool's name or a file's text. Codes are
// believed whatever the status.
bool may_mean(Meaning meaning, int status) {
  const bool is_refusal = status >= 400 && status < 500;
  switch (meaning) {
    case Meaning::overloaded: return !is_refusal || status == 429;
    case Meaning::rate_limited: return status == 429 || status < 400;
    case Meaning::authentication: return status == 400 || status == 401 || status == 403;
    case Meaning::model_not_found: return is_refusal;
    default: return status < 400 || is_refusal || status == 500;
  }
}

}  // namespace

Meaning meaning_of(int status, const VendorError& error) {
  const std::string code = lower(error.code);
  const std::string words = lower(error.message);
  if (status == 401) return Meaning::authentication;
  if (has_any(code, kBrokenCallCodes)) return Meaning::broken_call;
  const bool is_overflow = is_overflow_code(code) || (may_mean(Meaning::context_too_long, status) &&
                                                      is_overflow_in_words(words));
  if (is_overflow) return Meaning::context_too_long;
  if (status == 413) return Meaning::too_large;
  // What else is flagged is an account.
  if (status == 403 && words.contains("flagged") && !words.contains("account")) {
    return Meaning::content_filtered;
  }
  for (const Clue& clue : kClues) {
    if (has_any(code, clue.codes)) return clue.meaning;
    if (may_mean(clue.meaning, status) && has_any(words, clue.words)) return clue.meaning;
  }
  return status == 0 ? by_code(code) : by_status(status, words);
}

ErrorCode code_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::authentication: return ErrorCode::authentication;
    case Meaning::permission:
    case Meaning::no_credit: return ErrorCode::permission_denied;
    case Meaning::model_not_found:
    case Meaning::not_found: return ErrorCode::not_found;
    case Meaning::rate_limited: return ErrorCode::rate_limited;
    case Meaning::overloaded: return ErrorCode::overloaded;
    case Meaning::context_too_long:
    case Meaning::too_large: return ErrorCode::context_too_long;
    case Meaning::content_filtered: return ErrorCode::content_filtered;
    case Meaning::broken_call: return ErrorCode::answer_cut;
    case Meaning::invalid_request: return ErrorCode::invalid_argument;
    case Meaning::moved: return ErrorCode::protocol;
    case Meaning::unavailable:
    case Meaning::unknown: return ErrorCode::unavailable;
  }
  return ErrorCode::unavailable;
}

}  // namespace wright::providers
