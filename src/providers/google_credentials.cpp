#include "providers/google_credentials.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include "core/base64.h"
#include "core/percent.h"
#include "core/try.h"
#include "providers/digest.h"
#include "providers/response_json.h"

namespace wright::providers {
namespace {

constexpr std::string_view kScope = "https://www.googleapis.com/auth/cloud-platform";
constexpr std::string_view kTokenUrl = "https://oauth2.googleapis.com/token";
constexpr std::string_view kJwtGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
constexpr std::int64_t kLifetime = 3600;  // the longest that Google allows

std::string text_of_field(const Json& json, std::string_view key) {
  return std::string(text_field(&json, key));
}

HttpRequest form(std::string url, std::string body) {
  return {.url = std::move(url),
          .headers = {{"content-type", "application/x-www-form-urlencoded"},
                      {"accept", "application/json"}},
          .body = std::move(body)};
}

}  // namespace

Result<GoogleCredentials> google_credentials_from(std::string_view text) {
  const auto json = parse_json(text);
  if (!json || !json->is_object()) {
    return fail(ErrorCode::authentication, "is not JSON, so it is not a credential file of Google");
  }
  const std::string_view type = text_field(&*json, "type");
  GoogleCredentials read{.project = text_of_field(*json, "project_id"),
                         .token_url = text_of_field(*json, "token_uri"),
                         .email = text_of_field(*json, "client_email"),
                         .private_key = text_of_field(*json, "private_key"),
                         .private_key_id = text_of_field(*json, "private_key_id"),
                         .client_id = text_of_field(*json, "client_id"),
                         .client_secret = text_of_field(*json, "client_secret"),
                         .refresh_token = text_of_field(*json, "refresh_token")};
  if (read.project.empty()) read.project = text_of_field(*json, "quota_project_id");
  if (read.token_url.empty()) read.token_url = kTokenUrl;
  if (!read.token_url.starts_with("https://") && !read.token_url.starts_with("http://127.0.0.1")) {
    return fail(ErrorCode::authentication, "has a token_uri that is not https");
  }
  if (type == "service_account") {
    if (read.email.empty() || read.private_key.empty()) {
      return fail(
          ErrorCode::authentication,
          "is a service account without client_email or private_key; make a new key for it");
    }
    return read;
  }
  if (type == "authorized_user") {
    read.kind = GoogleCredentials::Kind::authorized_user;
    if (read.client_id.empty() || read.refresh_token.empty()) {
      return fail(ErrorCode::authentication,
                  "has no refresh_token; run `gcloud auth application-default login` again");
    }
    return read;
  }
  return fail(ErrorCode::unsupported,
              fmt::format("holds credentials of the kind '{}', which are not exchanged here; set "
                          "key_command = [\"gcloud\", \"auth\", \"print-access-token\"] for the "
                          "vendor in the configuration",
                          valid_text(type.substr(0, 60))));
}

Result<std::string> signed_jwt(const JsonObject& header, const JsonObject& claims,
                               std::string_view private_key_pem) {
  const std::string signing_input =
      base64url_of(to_text(header)) + '.' + base64url_of(to_text(claims));
  const std::string signature = TRY(rs256(private_key_pem, signing_input));
  return signing_input + '.' + base64url_of(signature);
}

Result<HttpRequest> google_token_request(const GoogleCredentials& credentials, Moment now) {
  if (credentials.kind == GoogleCredentials::Kind::authorized_user) {
    return form(credentials.token_url,
                fmt::format("grant_type=refresh_token&client_id={}&client_secret={}"
                            "&refresh_token={}",
                            percent_encoded(credentials.client_id),
                            percent_encoded(credentials.client_secret),
                            percent_encoded(credentials.refresh_token)));
  }
  const std::int64_t issued = now.time_since_epoch().count();
  JsonObject header{{"alg", "RS256"}, {"typ", "JWT"}};
  if (!credentials.private_key_id.empty()) header["kid"] = credentials.private_key_id;
  const JsonObject claims{{"iss", credentials.email},
                          {"scope", kScope},
                          {"aud", credentials.token_url},
                          {"iat", issued},
                          {"exp", issued + kLifetime}};
  auto jwt = signed_jwt(header, claims, credentials.private_key);
  if (!jwt) {
    return fail(ErrorCode::authentication,
                fmt::format("the private_key of {} is {}; make a new key for the service account",
                            valid_text(credentials.email), jwt.error().message));
  }
  return form(credentials.token_url,
              fmt::format("grant_type={}&assertion={}", percent_encoded(kJwtGrant), *jwt));
}

}  // namespace wright::providers
