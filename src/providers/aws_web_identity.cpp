#include "providers/aws_web_identity.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "core/iso_time.h"
#include "core/percent.h"
#include "core/text.h"
#include "core/try.h"
#include "providers/printed_credential.h"
#include "providers/response_json.h"
#include "providers/vendor_error.h"

namespace wright::providers {
namespace {

constexpr std::size_t kLongestWebToken = 20'000;  // as AWS has it

// What stands between <name> and </name>; tags of XML that hold nothing but text have no attributes
// here. Empty: there is none.
std::string element_text(std::string_view xml, std::string_view name) {
  const std::string open = fmt::format("<{}>", name);
  const std::size_t begin = xml.find(open);
  if (begin == std::string_view::npos) return {};
  xml.remove_prefix(begin + open.size());
  const std::size_t end = xml.find(fmt::format("</{}>", name));
  if (end == std::string_view::npos) return {};
  std::string text(trimmed(xml.substr(0, end)));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEntities{
      {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}}};
  for (const auto& [entity, character] : kEntities) {
    for (std::size_t at = text.find(entity); at != std::string::npos;
         at = text.find(entity, at + character.size())) {
      text.replace(at, entity.size(), character);
    }
  }
  return text;
}

bool is_region(std::string_view region) {
  return std::ranges::all_of(
      region, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

Result<std::string> address_of(const WebIdentity& identity) {
  if (!identity.endpoint.empty()) {
    const bool is_safe = identity.endpoint.starts_with("https://") ||
                         identity.endpoint.starts_with("http://127.0.0.1:") ||
                         identity.endpoint.starts_with("http://localhost:");
    // What stands before an '@' is no host.
    if (is_safe && !identity.endpoint.contains('@')) return identity.endpoint;
    return fail(ErrorCode::authentication,
                "AWS_ENDPOINT_URL_STS must be https, or on this machine: a token is sent there");
  }
  if (identity.region.empty()) return "https://sts.amazonaws.com/";
  if (!is_region(identity.region)) {
    return fail(ErrorCode::authentication,
                fmt::format("'{}' is no region of AWS", valid_text(identity.region)));
  }
  const bool is_china = identity.region.starts_with("cn-");
  return fmt::format("https://sts.{}.amazonaws.com{}/", identity.region, is_china ? ".cn" : "");
}

// The Credentials of a response in JSON; its Expiration is a number of seconds.
Result<Json> keys_in_json(std::string_view body) {
  const Json document = TRY(parse_json(body));
  const Json* result = field(field(&document, "AssumeRoleWithWebIdentityResponse"),
                             "AssumeRoleWithWebIdentityResult");
  const Json* found = field(result, "Credentials");
  if (object_in(found) == nullptr) {
    return fail(ErrorCode::authentication, "the response holds no Credentials");
  }
  JsonObject keys = found->as_object();
  if (const Json* expiry = field(found, "Expiration"); expiry != nullptr && expiry->is_number()) {
    keys["Expiration"] = IsoTime(count_field(found, "Expiration") * 1000).text();
  }
  return keys;
}

}  // namespace

Result<HttpRequest> web_identity_request(const WebIdentity& identity, Moment now) {
  if (identity.token.empty() || identity.token.size() > kLongestWebToken) {
    return fail(ErrorCode::authentication, "the token is empty, or longer than AWS takes");
  }
  std::string url = TRY(address_of(identity));
  const std::string name = identity.session_name.empty()
                               ? fmt::format("wright-{}", now.time_since_epoch().count())
                               : identity.session_name;
  return HttpRequest{
      .url = std::move(url),
      .headers = {{"content-type", "application/x-www-form-urlencoded"},
                  {"accept", "application/json"}},
      .body = fmt::format("Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn={}"
                          "&RoleSessionName={}&WebIdentityToken={}",
                          percent_encoded(identity.role), percent_encoded(name),
                          percent_encoded(identity.token))};
}

Result<Credential> web_identity_keys(std::string_view body, Moment now) {
  body = trimmed(body);
  Json keys;
  if (body.starts_with('{')) {
    keys = TRY(keys_in_json(body));
  } else {
    keys = JsonObject{{"AccessKeyId", element_text(body, "AccessKeyId")},
                      {"SecretAccessKey", element_text(body, "SecretAccessKey")},
                      {"SessionToken", element_text(body, "SessionToken")},
                      {"Expiration", element_text(body, "Expiration")}};
  }
  auto credential = TRY(credential_from(to_text(keys), now));
  const auto* found = std::get_if<AwsKeys>(&credential.proof);
  if (found == nullptr || found->session_token.empty()) {
    return fail(ErrorCode::authentication, "the response holds no keys of a session");
  }
  // The least that AWS gives.
  if (!credential.expires) credential.expires = now + std::chrono::minutes(15);
  return credential;
}

std::string web_identity_refusal(std::string_view body) {
  std::string code = element_text(body, "Code");
  std::string words = element_text(body, "Message");
  if (trimmed(body).starts_with('{')) {
    if (const auto json = parse_json(body)) {
      const Json* error = field(&*json, "Error");
      code = text_field(error, "Code");
      words = text_field(error, "Message");
    }
  }
  constexpr std::size_t kLongest = 300;
  std::string all =
      one_line(valid_text(code + (code.empty() || words.empty() ? "" : ": ") + words));
  if (all.size() > kLongest) all = std::string(utf8_prefix(all, kLongest)) + "…";
  return all;
}

}  // namespace wright::providers
