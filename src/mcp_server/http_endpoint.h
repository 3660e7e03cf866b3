// MCP over HTTP (Streamable HTTP), as a function from a request to an answer or a stream. It knows
// no HTTP server: whoever has one hands requests in and moves what comes out.
//
// Nothing is kept between two requests but what is under way: the newest revision needs nothing,
// and what the older ones call a session is a signed note that the client carries, so that any
// instance with the same key reads it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mcp/http_headers.h"
#include "mcp_server/host.h"
#include "mcp_server/request_span.h"
#include "wright/model.h"

namespace wright::mcp_server {

// What whoever calls may do beyond looking at what there is.
struct Rights {
  bool may_call = true;    // tools, agents among them
  bool may_answer = true;  // what a person is asked; else they are not asked through this client
};

struct HttpCall {
  std::string method = {};  // "POST"
  std::vector<HttpHeader> headers = {};
  std::string body = {};
  std::string principal = {};  // who has shown who they are; empty: nobody had to
  Rights rights = {};
  // For answers that go on for long: whether the caller would still be let in. Empty: always.
  std::function<bool()> is_admitted = {};
};

// Where the answer goes: once send(), or begin_stream() and then pieces. From any thread.
class HttpReply {
 public:
  virtual ~HttpReply() = default;
  virtual void send(int status, std::vector<HttpHeader> headers, std::string body) = 0;
  virtual void begin_stream(std::vector<HttpHeader> headers) = 0;
  // False when nobody reads any more.
  virtual bool write(std::string bytes) = 0;
  virtual void end() = 0;
  // Called once when the client goes away before the end.
  virtual void when_closed(std::function<void()> then) = 0;
};

struct EndpointOptions {
  std::shared_ptr<const mcp::ServerOffer> offer = {};
  std::function<mcp::WorkOutcome(const mcp::Work&, const WorkControls&)> perform = {};
  // Which parameters of a tool are repeated in headers. May be empty.
  std::function<std::vector<mcp::HeaderParameter>(std::string_view tool)> header_parameters = {};
  // Whether the work may take long, so that its answer is a stream from the first moment.
  std::function<bool(const mcp::Work&)> is_slow = {};
  // Whether it is done in no time, and needs no thread of its own.
  std::function<bool(const mcp::Work&)> is_quick = {};
  // Whose names may stand in Host and Origin; empty: anybody's. A page of another name in a browser
  // on this machine could otherwise speak to us.
  std::vector<std::string> hosts = {"localhost", "127.0.0.1", "[::1]"};
  std::size_t most_calls = 256;  // at once; more are told to come back
  // Of every request that is understood; may be empty.
  BeginSpan begin_span = {};
};

class HttpEndpoint {
 public:
  explicit HttpEndpoint(EndpointOptions options);
  ~HttpEndpoint();  // stops what is under way, and waits for it
  HttpEndpoint(const HttpEndpoint&) = delete;
  HttpEndpoint& operator=(const HttpEndpoint&) = delete;

  // Does not block.
  void handle(HttpCall call, std::shared_ptr<HttpReply> reply);
  // Ends what only listens. Calls go on.
  void end_listening();
  // For those who listen.
  void announce(mcp::Change change);

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace wright::mcp_server
