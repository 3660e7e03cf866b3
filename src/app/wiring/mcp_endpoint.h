// /mcp of `wright serve`: what `wright mcp serve` offers, over HTTP and behind the server's guard.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "app/wiring/mcp_offering.h"
#include "mcp_server/http_endpoint.h"
#include "server/service.h"

namespace wright::app {

class McpEndpoint {
 public:
  // The key signs what clients carry; instances that share it are one server to them.
  McpEndpoint(mcp_server::Offering offering, std::string key, mcp_server::BeginSpan begin_span);

  // They refer to it. A token with the scope `read` may look, `run` call, `answer` answer.
  std::vector<server::Route> routes();
  // Ends what has no end of its own; calls may still end by themselves.
  void end_listening() { endpoint_.end_listening(); }

 private:
  const mcp_server::Host host_;
  mcp_server::HttpEndpoint endpoint_;
};

// The key in that file, which is made, for its owner alone, where it is not there yet. Whoever
// shares the tokens beside it shares it, too.
Result<std::string> shared_key(const std::filesystem::path& file);
// Of this process alone.
std::string random_key();

}  // namespace wright::app
