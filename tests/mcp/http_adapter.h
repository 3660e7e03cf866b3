// The endpoint behind our own HTTP server.
#pragma once

#include <memory>
#include <string>

#include "http_server/server.h"
#include "mcp_server/http_endpoint.h"

namespace wright::mcp_server {

// Hands a request of the HTTP server to the endpoint. `principal` is who has shown who they are.
void answer_over_http(HttpEndpoint& endpoint, http::Request request, http::Responder responder,
                      std::string principal = {});

// A handler of a whole server: /mcp, and nothing else.
http::Handler mcp_handler(std::shared_ptr<HttpEndpoint> endpoint);

}  // namespace wright::mcp_server
