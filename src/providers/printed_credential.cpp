#include "providers/printed_credential.h"

#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base64.h"
#include "core/text.h"
#include "providers/digest.h"
#include "providers/response_json.h"

namespace wright::providers {
namespace {

constexpr std::size_t kLongestToken = 16 << 10;

// The first of these fields that holds text.
std::string_view first_text(const Json& object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const std::string_view text = text_field(&object, key); !text.empty()) return text;
  }
  return {};
}

bool is_header_text(std::string_view text) {
  return !text.empty() && text.size() <= kLongestToken &&
         std::ranges::all_of(text, [](unsigned char c) { return c > ' ' && c < 0x7F; });
}

// A number of `count` digits at the front, taken off.
std::optional<int> digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return {};
  int number = 0;
  const char* const end = text.data() + count;
  const auto [stopped, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stopped != end || text[0] == '-') return {};
  text.remove_prefix(count);
  return number;
}

bool take_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || !characters.contains(text.front())) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<Moment> expiry_of_jwt(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos) return {};
  const auto claims = from_base64url(token.substr(first + 1, second - first - 1));
  const auto json = claims ? parse_json(*claims) : parse_json("");
  if (!json || !json->is_object()) return {};
  const std::int64_t seconds = count_field(&*json, "exp");
  if (seconds == 0) return {};
  return Moment(std::chrono::seconds(seconds));
}

std::optional<Moment> expiry_in(const Json& object, Moment now) {
  constexpr std::int64_t kLongest = 366 * 24 * 3600;
  if (const std::int64_t seconds = count_field(&object, "expires_in"); seconds > 0) {
    return now + std::chrono::seconds(std::min(seconds, kLongest));
  }
  if (const std::int64_t seconds = count_field(&object, "expires_on"); seconds > 0) {
    return Moment(std::chrono::seconds(seconds));
  }
  return moment_from_iso(first_text(object, {"Expiration", "expiration", "expires_at", "expiry",
                                             "expirationTimestamp", "expireTime"}));
}

Result<Credential> with_token(std::string_view token, std::optional<Moment> expires) {
  if (!is_header_text(token)) {
    return fail(ErrorCode::authentication,
                "the token is empty, too long, or holds characters that no token has");
  }
  if (!expires) expires = expiry_of_jwt(token);
  return Credential{.proof = Token{std::string(token)}, .expires = expires};
}

}  // namespace

std::optional<Moment> moment_from_iso(std::string_view text) {
  const auto year = digits(text, 4);
  const bool has_month = take_one_of(text, "-");
  const auto month = digits(text, 2);
  const bool has_day = take_one_of(text, "-");
  const auto day = digits(text, 2);
  const bool has_time = take_one_of(text, "T ");
  const auto hour = digits(text, 2);
  const bool has_minute = take_one_of(text, ":");
  const auto minute = digits(text, 2);
  const bool has_second = take_one_of(text, ":");
  const auto second = digits(text, 2);
  if (!year || !month || !day || !hour || !minute || !second || !has_month || !has_day ||
      !has_time || !has_minute || !has_second) {
    return {};
  }
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return {};
  if (take_one_of(text, ".,")) {
    while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
  }
  std::chrono::minutes offset{0};
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    const int sign = text.front() == '+' ? 1 : -1;
    text.remove_prefix(1);
    const auto hours = digits(text, 2);
    take_one_of(text, ":");
    const auto minutes = digits(text, 2);
    if (!hours || !minutes) return {};
    offset = sign * (std::chrono::hours(*hours) + std::chrono::minutes(*minutes));
  } else if (!take_one_of(text, "Zz")) {
    return {};  // a local time of we do not know where
  }
  if (!text.empty()) return {};
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second) - offset;
}

Result<Credential> credential_from(std::string_view printed, Moment now) {
  printed = trimmed(printed);
  if (printed.empty()) return fail(ErrorCode::authentication, "nothing was printed");
  if (!printed.starts_with('{')) {
    if (printed.find_first_of("\r\n") != std::string_view::npos) {
      return fail(ErrorCode::authentication,
                  "several lines were printed; a token is one line, or JSON");
    }
    return with_token(printed, {});
  }
  const auto json = parse_json(printed);
  if (!json || !json->is_object()) return fail(ErrorCode::authentication, "not valid JSON");
  const Json& object = *json;
  const std::string_view id = text_field(&object, "AccessKeyId");
  if (!id.empty()) {
    const std::string_view secret = text_field(&object, "SecretAccessKey");
    const std::string_view session = first_text(object, {"SessionToken", "Token"});
    if (!is_header_text(id) || !is_header_text(secret) ||
        (!session.empty() && !is_header_text(session))) {
      return fail(ErrorCode::authentication, "AccessKeyId without a proper SecretAccessKey");
    }
    return Credential{.proof = AwsKeys{std::string(id), std::string(secret), std::string(session)},
                      .expires = expiry_in(object, now)};
  }
  if (const Json* status = field(&object, "status"); object_in(status) != nullptr) {
    return with_token(text_field(status, "token"), expiry_in(*status, now));
  }
  const std::string_view token = first_text(object, {"access_token", "accessToken", "token"});
  if (token.empty()) {
    return fail(ErrorCode::authentication,
                "JSON without access_token, token or AccessKeyId was printed");
  }
  return with_token(token, expiry_in(object, now));
}

}  // namespace wright::providers
