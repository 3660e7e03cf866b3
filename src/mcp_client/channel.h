// The way to one server and back, as lines. What they mean is the business of the machine
// (mcp/client.h); who waits for them, of the connection.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "mcp/client.h"
#include "wright/error.h"

namespace wright::mcp_client {

// Whether a request may have reached the server, which may have acted on it then.
enum class Arrived : std::uint8_t { no, maybe };

// Called in threads of the channel, one call at a time, and never from within send().
class ChannelListener {
 public:
  virtual ~ChannelListener() = default;
  // `call` is the request that the line came for; 0 where the channel does not know.
  virtual void on_line(mcp::CallNumber call, std::string_view line) = 0;
  // The server has refused the request and has not acted on it.
  virtual void on_refused(mcp::CallNumber call, const mcp::Problem& problem) = 0;
  // The answer to this request will not come.
  virtual void on_unanswered(mcp::CallNumber call, const Error& why, Arrived arrived) = 0;
  // Nothing comes any more, from now on.
  virtual void on_lost(const Error& why) = 0;
};

class Channel {
 public:
  virtual ~Channel() = default;  // ends the listener's calls, too
  // From any thread. Does not wait for an answer.
  virtual Result<void> send(const mcp::SendFrame& frame) = 0;
  // What the handshake, or its absence, has settled.
  virtual void settle(const mcp::ServerView& /*server*/) {}
  // Gives up a request by closing what it would come through. False where that means nothing here,
  // and the server must be told.
  virtual bool close_call(mcp::CallNumber /*call*/) { return false; }
};

}  // namespace wright::mcp_client
