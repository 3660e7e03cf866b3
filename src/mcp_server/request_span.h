// A request of a client, as whoever records traces sees it. Here it is only told of; who records
// it, and how, is the program's business.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "mcp/json_rpc.h"
#include "wright/message.h"

namespace wright::mcp_server {

struct TracedRequest {
  std::string method = {};
  std::string id = {};         // the client's
  std::string version = {};    // of the protocol
  std::string session = {};    // of the older revisions over HTTP; empty: none
  std::string tool = {};       // that is called; empty: none
  std::string prompt = {};     // likewise
  std::string uri = {};        // of a resource
  std::string arguments = {};  // of the tool, as JSON; content
  TraceContext asked_by = {};  // as the request itself says; unchecked
  // As what brought it says, such as the headers of HTTP; unchecked.
  TraceContext carried_by = {};
};

// Of what every transport knows: the method, the names and the trace in `_meta`.
TracedRequest traced_request(const mcp::Request& request);

// One that is under way; it ends with the object. Of one thread at a time.
class RequestSpan {
 public:
  virtual ~RequestSpan() = default;
  // For what is done for it. Fit to be passed on: it is a valid one, or none.
  virtual TraceContext context() const = 0;
  virtual void answered(const JsonObject& result) = 0;
  virtual void refused(std::int64_t code, std::string_view message) = 0;
};

using BeginSpan = std::function<std::unique_ptr<RequestSpan>(const TracedRequest&)>;

}  // namespace wright::mcp_server
