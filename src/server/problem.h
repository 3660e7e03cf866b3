// Errors over HTTP: RFC 9457 for our own routes, the vendors' own shapes for theirs.
#pragma once

#include <string_view>

#include "http_server/server.h"
#include "wright/error.h"
#include "wright/json.h"

namespace wright::server {

int status_of(const Error& error);

// For a text that is JSON already.
http::Response json_text_response(std::string body);
http::Response json_response(const Json& body, int status = 200);

// As whoever asks for that path expects it.
http::Response error_response(std::string_view path, const Error& error);

Json openai_error(const Error& error);
Json anthropic_error(const Error& error);

}  // namespace wright::server
