// MCP over two descriptors, a message a line: what `wright mcp serve` is.
//
// One thread reads and does what it reads by itself: a call costs no change of threads. Where that
// takes longer than a moment, another thread takes over the reading, so that cancellations, answers
// and further calls are heard.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "mcp_server/host.h"

namespace wright::mcp_server {

struct StdioOptions {
  int input = 0;
  int output = 1;
  mcp::Peer self = {};
  std::string state_key = {};
  std::size_t most_calls = 64;  // at once; beyond that nothing is read
  // After the input has ended: for calls to end by themselves, and then for cancelled ones.
  std::chrono::milliseconds patience{2'000};
  std::chrono::milliseconds grace{5'000};
};

// Until the input has ended, or nobody reads the output any more.
void serve_stdio(const std::shared_ptr<const Host>& host, const StdioOptions& options);

}  // namespace wright::mcp_server
