// The endpoint behind our own HTTP server.
#pragma once

#include <memory>
#include <string>

#include "http_server/server.h"
#include "mcp_server/http_endpoint.h"

namespace wright::mcp_server {

// Whoever sends a request, as far as the server has found out.
struct HttpCaller {
  std::string principal = {};
  Rights rights = {};
  std::function<bool()> is_admitted = {};
};

// Hands a request of the HTTP server, with its body, to the endpoint.
void answer_over_http(HttpEndpoint& endpoint, http::Request request, http::Responder responder,
                      HttpCaller caller = {});

// A handler of a whole server: /mcp, and nothing else.
http::Handler mcp_handler(std::shared_ptr<HttpEndpoint> endpoint);

}  // namespace wright::mcp_server
