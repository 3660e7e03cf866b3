#include "providers/google_credentials.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/base64.h"
#include "core/percent.h"
#include "core/text.h"
#include "core/try.h"
#include "providers/digest.h"
#include "providers/response_json.h"

namespace wright::providers {
namespace {

constexpr std::string_view kScope = "https://www.googleapis.com/auth/cloud-platform";
constexpr std::string_view kTokenUrl = "https://oauth2.googleapis.com/token";
constexpr std::string_view kJwtGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
constexpr std::string_view kExchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange";
constexpr std::string_view kAccessToken = "urn:ietf:params:oauth:token-type:access_token";
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

// Nobody else hears what is sent there. What stands before an '@' is no host.
bool is_safe_address(std::string_view url) {
  const bool is_safe = url.starts_with("https://") || url.starts_with("http://127.0.0.1:");
  return is_safe && !url.contains('@');
}

// What a file of workload identity federation says. Tokens come from a file here: that is how
// Kubernetes and most others hand them over.
Result<GoogleCredentials> external_account(const Json& json, GoogleCredentials read) {
  read.kind = GoogleCredentials::Kind::external_account;
  read.token_url = text_of_field(json, "token_url");
  read.audience = text_of_field(json, "audience");
  read.subject_token_type = text_of_field(json, "subject_token_type");
  read.impersonation_url = text_of_field(json, "service_account_impersonation_url");
  const Json* source = field(&json, "credential_source");
  read.subject_token_file = std::string(text_field(source, "file"));
  const Json* format = field(source, "format");
  if (text_field(format, "type") == "json") {
    read.subject_token_field = std::string(text_field(format, "subject_token_field_name"));
  }
  if (read.subject_token_file.empty()) {
    std::string_view kind = "something else";
    if (field(source, "environment_id") != nullptr) kind = "AWS";
    if (field(source, "executable") != nullptr) kind = "an executable";
    if (field(source, "url") != nullptr && kind == "something else") kind = "a URL";
    return fail(ErrorCode::unsupported,
                fmt::format("exchanges a token of {} (external_account), and only tokens in files "
                            "are exchanged here; set key_command = [\"gcloud\", \"auth\", "
                            "\"print-access-token\"] for the vendor in the configuration",
                            kind));
  }
  if (read.audience.empty() || read.subject_token_type.empty() || read.token_url.empty()) {
    return fail(ErrorCode::authentication,
                "is an external_account without audience, subject_token_type or token_url; make it "
                "again with `gcloud iam workload-identity-pools create-cred-config`");
  }
  if (!is_safe_address(read.token_url) ||
      (!read.impersonation_url.empty() && !is_safe_address(read.impersonation_url))) {
    return fail(ErrorCode::authentication,
                "has a token_url or service_account_impersonation_url that is not https");
  }
  return read;
}

// The token in the file that an external_account names.
Result<std::string> subject_token(const GoogleCredentials& credentials, std::string_view text) {
  std::string token(trimmed(text));
  if (!credentials.subject_token_field.empty()) {
    const auto json = parse_json(text);
    token = json ? text_of_field(*json, credentials.subject_token_field) : std::string();
  }
  if (!token.empty()) return token;
  return fail(ErrorCode::authentication,
              fmt::format("{} holds no token", credentials.subject_token_file));
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
  if (type == "external_account") return external_account(*json, std::move(read));
  if (read.token_url.empty()) read.token_url = kTokenUrl;
  if (!is_safe_address(read.token_url)) {
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

Result<HttpRequest> google_token_request(const GoogleCredentials& credentials, Moment now,
                                         std::string_view subject) {
  if (credentials.kind == GoogleCredentials::Kind::external_account) {
    const std::string token = TRY(subject_token(credentials, subject));
    return form(
        credentials.token_url,
        fmt::format("grant_type={}&audience={}&scope={}&requested_token_type={}"
                    "&subject_token={}&subject_token_type={}",
                    percent_encoded(kExchangeGrant), percent_encoded(credentials.audience),
                    percent_encoded(kScope), percent_encoded(kAccessToken), percent_encoded(token),
                    percent_encoded(credentials.subject_token_type)));
  }
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

HttpRequest impersonation_request(const GoogleCredentials& credentials, std::string_view token) {
  return {.url = credentials.impersonation_url,
          .headers = {{"content-type", "application/json"},
                      {"authorization", fmt::format("Bearer {}", token), true}},
          .body = to_text(JsonObject{{"scope", JsonArray{kScope}},
                                     {"lifetime", fmt::format("{}s", kLifetime)}})};
}

}  // namespace wright::providers
