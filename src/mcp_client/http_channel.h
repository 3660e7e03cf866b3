// A server behind an address (Streamable HTTP). Every message is a POST of its own; answers come as
// JSON or as a stream of events, which is taken up again where it broke, if the server can.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "mcp_client/authorizer.h"
#include "mcp_client/channel.h"
#include "net/http_client.h"
#include "wright/model.h"

namespace wright::mcp_client {

struct ServerAddress {
  std::string url = {};
  std::vector<HttpHeader> headers = {};  // with every request
  std::chrono::milliseconds timeout{300'000};
  // Where tokens come from, when the server wants one. May be null.
  std::shared_ptr<Authorizer> authorizer = {};
};

// The client must outlive the channel.
std::unique_ptr<Channel> open_address(const ServerAddress& address,
                                      std::shared_ptr<net::HttpClient> client,
                                      std::shared_ptr<ChannelListener> listener);

}  // namespace wright::mcp_client
