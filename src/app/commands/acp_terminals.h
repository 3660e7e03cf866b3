// The editor's terminals (terminal/create and its kin), where the setting acp.terminals wants them:
// a command that may run is seen there as it runs, and can be ended there. What the editor starts
// is `wright confined`, so the sandbox is the same as in processes of ours.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/commands/acp_peer.h"
#include "wright/agent.h"

namespace wright::app {

class AcpTerminals {
 public:
  struct Session {
    std::string id = {};
    // Whether the editor knows of the call: what a specialist calls is not told to it.
    std::function<bool(const std::string& call_id)> is_known = {};
    // Shows the terminal in the call, before anything can release it.
    std::function<void(const std::string& call_id, const std::string& terminal_id)> show = {};
  };

  // The peer outlives it.
  AcpTerminals(AcpPeer& peer, Session session)
      : peer_(peer), session_(std::make_shared<const Session>(std::move(session))) {}

  // To stand innermost. Commands find the terminal in their Context.
  void offer(Agent& agent) const;

 private:
  AcpPeer& peer_;
  std::shared_ptr<const Session> session_;
};

}  // namespace wright::app
