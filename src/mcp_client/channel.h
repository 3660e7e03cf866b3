// The way to one server and back, as lines. What they mean is the business of the machine
// (mcp/client.h); who waits for them, of the connection.
#pragma once

#include <memory>
#include <string_view>

#include "mcp/client.h"
#include "wright/error.h"

namespace wright::mcp_client {

// Called in threads of the channel, one call at a time.
class ChannelListener {
 public:
  virtual ~ChannelListener() = default;
  virtual void on_line(std::string_view line) = 0;
  // The answer to this request will not come.
  virtual void on_failed(mcp::CallNumber call, const mcp::Problem& problem) = 0;
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
