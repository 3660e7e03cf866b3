#include "providers/error_meaning.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/text.h"

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

constexpr std::array<std::string_view, 5> kContextCodes{
    "context_length_exceeded", "exceed_context_size", "context_window_exceeded",
    "model_context_window", "too_many_prompt_tokens"};
constexpr std::array<std::string_view, 13> kContextWords{"maximum context length",
                                                         "context length exceeded",
                                                         "context window",
                                                         "context size",
                                                         "prompt is too long",
                                                         "prompt too long",
                                                         "input is too long",
                                                         "too many input tokens",
                                                         "input token count",
                                                         "maximum prompt length",
                                                         "exceeds the maximum number of tokens",
                                                         "longer than the model's context",
                                                         "reduce the length of the messages"};
constexpr std::array<std::string_view, 6> kFilterCodes{"content_filter",
                                                       "content_policy_violation",
                                                       "responsibleaipolicyviolation",
                                                       "data_inspection_failed",
                                                       "moderation",
                                                       "invalid_prompt"};
constexpr std::array<std::string_view, 6> kFilterWords{
    "content management policy", "usage policies",      "safety system",
    "flagged by moderation",     "requires moderation", "unsafe or sensitive content"};
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
constexpr std::array<std::string_view, 5> kRoomCodes{
    "overloaded", "over_capacity", "engine_overloaded", "slow_down", "service_unavailable"};
constexpr std::array<std::string_view, 3> kRoomWords{"overloaded", "over capacity", "at capacity"};
constexpr std::array<std::string_view, 1> kBrokenCallCodes{"tool_use_failed"};
constexpr std::array<std::string_view, 5> kServerCodes{
    "server_error", "internal_error", "api_error", "internal_server_error", "vector_store_timeout"};

// In this order: the narrower meaning first.
constexpr std::array<Clue, 9> kClues{
    Clue{Meaning::broken_call, kBrokenCallCodes, {}},
    Clue{Meaning::context_too_long, kContextCodes, kContextWords},
    Clue{Meaning::content_filtered, kFilterCodes, kFilterWords},
    Clue{Meaning::no_credit, kCreditCodes, kCreditWords},
    Clue{Meaning::authentication, kKeyCodes, kKeyWords},
    Clue{Meaning::model_not_found, kModelCodes, kModelWords},
    Clue{Meaning::overloaded, kRoomCodes, kRoomWords},
    Clue{Meaning::rate_limited, kRateCodes, kRateWords},
    Clue{Meaning::unavailable, kServerCodes, {}},
};

Meaning by_status(int status, std::string_view words) {
  switch (status) {
    case 401: return Meaning::authentication;
    case 402: return Meaning::no_credit;
    case 403: return Meaning::permission;
    case 404: return words.contains("model") ? Meaning::model_not_found : Meaning::not_found;
    case 413: return Meaning::too_large;
    case 429: return Meaning::rate_limited;
    case 503:
    case 529: return Meaning::overloaded;
    case 408: return Meaning::unavailable;
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
  if (status == 413 && !has_any(words, kContextWords)) return Meaning::too_large;
  for (const Clue& clue : kClues) {
    if (has_any(code, clue.codes)) return clue.meaning;
    if (may_mean(clue.meaning, status) && has_any(words, clue.words)) return clue.meaning;
  }
  return by_status(status, words);
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
