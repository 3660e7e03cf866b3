#include "providers/provider_errors.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/said_nothing.h"
#include "providers/error_meaning.h"
#include "providers/response_json.h"
#include "providers/retry_after.h"

namespace wright {
namespace providers {
namespace {

constexpr std::size_t kLongestMessage = 600;
constexpr std::size_t kLongestCode = 80;

// --- Secrets --------------------------------------------------------------------------------

// Masks `secret` and every long part of it: vendors echo keys whole or cut.
std::string masked(std::string_view text, std::string_view secret) {
  constexpr std::size_t kShortestSecret = 4;
  constexpr std::size_t kTellingPart = 12;
  if (secret.size() < kShortestSecret) return std::string(text);
  const std::size_t telling = std::min(secret.size(), kTellingPart);
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = telling;
    if (at + length > text.size() || !secret.contains(text.substr(at, length))) {
      clean += text[at++];
      continue;
    }
    while (at + length < text.size() && secret.contains(text.substr(at, length + 1))) ++length;
    clean += "[secret]";
    at += length;
  }
  return clean;
}

std::string without_secrets(const Endpoint& endpoint, std::string_view text) {
  std::string clean = masked(text, endpoint.key);
  for (const HttpHeader& header : endpoint.vendor.headers) {
    if (header.is_secret) clean = masked(clean, header.value);
  }
  return clean;
}

// --- What to say ----------------------------------------------------------------------------

std::string_view title(const Endpoint& endpoint) {
  return endpoint.vendor.title.empty() ? std::string_view(endpoint.vendor.name)
                                       : std::string_view(endpoint.vendor.title);
}

std::string what_happened(const Endpoint& endpoint, Meaning meaning) {
  const auto about = [&](std::string_view words) {
    return fmt::format("{} {}", title(endpoint), words);
  };
  switch (meaning) {
    case Meaning::authentication:
      if (!endpoint.key.empty()) return about("does not accept the key");
      return about(endpoint.vendor.needs_key ? "asks for a key" : "asks to sign in");
    case Meaning::permission: return about("does not allow this");
    case Meaning::no_credit: return about("has no credit or quota left for this key");
    case Meaning::model_not_found:
      return fmt::format("{} has no model '{}'", title(endpoint), endpoint.model.name);
    case Meaning::not_found: return about("has nothing at this address");
    case Meaning::rate_limited: return about("got too many requests");
    case Meaning::overloaded: return about("is overloaded");
    case Meaning::context_too_long:
      return fmt::format("The conversation is longer than {} can read", endpoint.model.name);
    case Meaning::too_large: return about("takes no request that large");
    case Meaning::content_filtered: return about("refused the content");
    case Meaning::broken_call: return about("could not read a call that the model wrote");
    case Meaning::invalid_request: return about("refused the request");
    case Meaning::moved: return about("sent the request elsewhere");
    case Meaning::unavailable: return about("is not available");
    case Meaning::unknown: return about("failed");
  }
  return about("failed");
}

std::string how_to_give_a_key(const VendorInfo& vendor) {
  std::string places;
  if (!vendor.key_variables.empty()) places = vendor.key_variables.front();
  if (!vendor.key_setting.empty()) {
    places += fmt::format("{}{} in [api_keys] of the configuration", places.empty() ? "" : " or ",
                          vendor.key_setting);
  }
  std::string advice;
  if (!places.empty()) advice = fmt::format("Set {}.", places);
  if (!vendor.key_page.empty()) {
    // A server of one's own makes no keys at the page where it comes from.
    advice += fmt::format("{}{} {}", advice.empty() ? "" : " ",
                          vendor.needs_key ? "Keys are made at" : "See", vendor.key_page);
  }
  return advice;
}

std::string what_to_do(const Endpoint& endpoint, Meaning meaning,
                       std::optional<std::int64_t> retry_after) {
  switch (meaning) {
    case Meaning::authentication: return how_to_give_a_key(endpoint.vendor);
    case Meaning::permission: return "Check what the key and the account may use";
    case Meaning::no_credit: return "Add credit at the vendor, or choose another model";
    case Meaning::model_not_found: return "`wright models` lists the models";
    case Meaning::not_found:
    case Meaning::moved:
      return fmt::format("Check the model's name (`wright models`) and base_url ({})",
                         endpoint.vendor.base_url);
    case Meaning::rate_limited:
      if (!retry_after) return "Try again later";
      return fmt::format("Try again in {} s", (*retry_after + 999) / 1000);
    case Meaning::overloaded:
    case Meaning::broken_call:
    case Meaning::unavailable:
    case Meaning::unknown: return "Trying again may help";
    case Meaning::context_too_long:
    case Meaning::too_large:
      return "Start a new session, send less, or choose a model that reads more";
    case Meaning::content_filtered: return "Say it differently, or choose another model";
    case Meaning::invalid_request: return {};
  }
  return {};
}

std::string shortened(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  return std::string(utf8_prefix(text, longest)) + "…";
}

std::string message_of(const Endpoint& endpoint, Meaning meaning, int status,
                       std::string_view words, std::optional<std::int64_t> retry_after) {
  std::string message = what_happened(endpoint, meaning);
  if (status != 0) message += fmt::format(" (HTTP {})", status);
  if (!words.empty()) message += fmt::format(": {}", words);
  const std::string advice = what_to_do(endpoint, meaning, retry_after);
  const bool says_so_itself = meaning == Meaning::rate_limited && words.contains("try again");
  if (advice.empty() || says_so_itself) return message;
  if (!message.ends_with('.') && !message.ends_with('!') && !message.ends_with('?')) message += '.';
  return message + ' ' + advice;
}

struct VendorFailure {
  VendorError error;
  int status = 0;  // of the response; 0 for a failure inside a response
  std::string request_id = {};
  std::optional<std::int64_t> retry_after_ms = {};
  bool is_final = false;  // the vendor says that trying again does not help
};

Error error_of(const Endpoint& endpoint, const VendorFailure& failure, Meaning meaning) {
  const std::string words =
      shortened(without_secrets(endpoint, failure.error.message), kLongestMessage);
  JsonObject detail{{"vendor", endpoint.vendor.name}, {"status", failure.status}};
  if (!failure.error.code.empty()) {
    detail["code"] = shortened(without_secrets(endpoint, failure.error.code), kLongestCode);
  }
  if (!failure.request_id.empty()) {
    detail["request_id"] = shortened(without_secrets(endpoint, failure.request_id), kLongestCode);
  }
  if (failure.retry_after_ms) detail["retry_after_ms"] = *failure.retry_after_ms;
  if (failure.is_final || meaning == Meaning::moved) detail["is_final"] = true;
  return {code_of(meaning),
          message_of(endpoint, meaning, failure.status, words, failure.retry_after_ms),
          std::move(detail)};
}

std::string request_id_of(const HttpResponseHead& head) {
  for (const std::string_view name :
       {"x-request-id", "request-id", "x-goog-request-id", "cf-ray", "x-groq-request-id"}) {
    const std::string_view value = find_header(head.headers, name);
    if (!value.empty()) return valid_text(value);
  }
  return {};
}

}  // namespace

Error error_in_answer(const Endpoint& endpoint, const VendorError& error) {
  const Meaning meaning = meaning_of(error.status, error);
  return error_of(endpoint,
                  {.error = error,
                   .status = error.status,
                   .retry_after_ms = error.retry_after_ms ? error.retry_after_ms
                                                          : retry_after_in_words(error.message)},
                  meaning);
}

Error as_final(Error error) {
  if (!error.detail.is_object()) error.detail = JsonObject();
  error.detail.get_object()["is_final"] = true;
  return error;
}

Error not_an_answer(const Endpoint& endpoint, std::string_view what, std::string_view words) {
  constexpr std::size_t kLongestQuote = 120;
  const std::string quoted =
      shortened(without_secrets(endpoint, one_line(valid_text(words))), kLongestQuote);
  return {ErrorCode::protocol,
          fmt::format("{} answered with {} instead of a model's answer{}{}. Check that base_url "
                      "({}) is the address of the API",
                      title(endpoint), what, quoted.empty() ? "" : ": ", quoted,
                      endpoint.vendor.base_url),
          JsonObject{{"vendor", endpoint.vendor.name}}};
}

Error endless_answer(const Endpoint& endpoint, std::size_t limit) {
  return as_final({ErrorCode::protocol,
                   fmt::format("{} sent more than {} MB for one answer, which is more than any "
                               "model says; the rest was not read. Set a limit of tokens, or "
                               "choose another model",
                               title(endpoint), limit >> 20),
                   JsonObject{{"vendor", endpoint.vendor.name}}});
}

Error empty_answer(const Endpoint& endpoint) {
  return {ErrorCode::answer_cut,
          fmt::format("{} {}. Say it differently, or choose another model", title(endpoint),
                      kSaidNothing),
          JsonObject{{"vendor", endpoint.vendor.name}}};
}

Error cut_answer(const Endpoint& endpoint, std::string_view what) {
  return {ErrorCode::answer_cut,
          fmt::format("The answer of {} ended {}. Trying again may help", title(endpoint), what),
          JsonObject{{"vendor", endpoint.vendor.name}}};
}

Error malformed_answer(const Endpoint& endpoint, std::string_view problem) {
  return {ErrorCode::protocol,
          fmt::format("{} sent an answer that cannot be read: {}", title(endpoint),
                      shortened(without_secrets(endpoint, valid_text(problem)), kLongestMessage)),
          JsonObject{{"vendor", endpoint.vendor.name}}};
}

}  // namespace providers

Error error_from(const Endpoint& endpoint, const HttpResponseHead& head, std::string_view body) {
  using namespace providers;
  VendorFailure failure{.error = read_vendor_error(body),
                        .status = head.status,
                        .request_id = request_id_of(head),
                        .retry_after_ms = retry_after_ms(head)};
  const Meaning meaning = meaning_of(head.status, failure.error);
  const bool is_passing = meaning == Meaning::rate_limited || meaning == Meaning::overloaded;
  // Never earlier than any of its words.
  failure.retry_after_ms = later_of(failure.retry_after_ms, failure.error.retry_after_ms);
  if (is_passing) {
    failure.retry_after_ms =
        later_of(failure.retry_after_ms, retry_after_in_words(failure.error.message));
  }
  failure.is_final = find_header(head.headers, "x-should-retry") == "false";
  if (meaning == Meaning::moved) {
    const std::string there = one_line(valid_text(find_header(head.headers, "location")));
    failure.error.message = there.empty() ? "to nowhere" : fmt::format("to {}", there);
  }
  if (!failure.retry_after_ms && meaning == Meaning::rate_limited) {
    failure.retry_after_ms = limit_reset_ms(head);
  }
  return error_of(endpoint, failure, meaning);
}

}  // namespace wright
