#include "server/problem.h"

#include <string>

namespace wright::server {
namespace {

std::string_view openai_type(int status) {
  if (status == 401) return "authentication_error";
  if (status == 403) return "permission_error";
  if (status == 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

std::string_view anthropic_type(int status) {
  switch (status) {
    case 401: return "authentication_error";
    case 403: return "permission_error";
    case 404: return "not_found_error";
    case 429: return "rate_limit_error";
    case 503: return "overloaded_error";
    default: return status < 500 ? "invalid_request_error" : "api_error";
  }
}

}  // namespace

int status_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::invalid_json:
    case ErrorCode::context_too_long:
    case ErrorCode::content_filtered: return 400;
    case ErrorCode::authentication: return 401;
    case ErrorCode::permission_denied: return 403;
    case ErrorCode::not_found: return 404;
    case ErrorCode::already_exists:
    case ErrorCode::cancelled: return 409;
    case ErrorCode::unsupported: return 422;
    case ErrorCode::rate_limited: return 429;
    case ErrorCode::unavailable:
    case ErrorCode::overloaded: return 503;
    case ErrorCode::timeout: return 504;
    default: return 500;
  }
}

http::Response json_text_response(std::string body) {
  return {.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
          .body = std::move(body)};
}

http::Response json_response(const Json& body, int status) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
          .body = to_text(body)};
}

Json openai_error(const Error& error) {
  const Json* param = error.find("param");
  return {{"error",
           {{"message", error.message},
            {"type", openai_type(status_of(error))},
            {"param", param == nullptr ? Json(nullptr) : *param},
            {"code", to_string(error.code)}}}};
}

Json anthropic_error(const Error& error) {
  return {{"type", "error"},
          {"error", {{"type", anthropic_type(status_of(error))}, {"message", error.message}}}};
}

http::Response error_response(std::string_view path, const Error& error) {
  const int status = status_of(error);
  http::Response response;
  if (path.starts_with("/v1/messages")) {
    response = json_response(anthropic_error(error), status);
  } else if (path.starts_with("/v1/")) {
    response = json_response(openai_error(error), status);
  } else {
    response = json_response({{"type", "about:blank"},
                              {"title", to_string(error.code)},
                              {"status", status},
                              {"detail", error.message},
                              {"code", to_string(error.code)}},
                             status);
    response.headers.front().value = "application/problem+json";
  }
  if (status == 401) response.headers.push_back({"WWW-Authenticate", "Bearer"});
  if (status == 503 || status == 429) response.headers.push_back({"Retry-After", "1"});
  return response;
}

}  // namespace wright::server
