// Events of a session that a server drives, told as if it were driven here.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "wright/events.h"
#include "wright/session.h"

namespace wright::app {

// Remembers what later events do not repeat: the arguments of calls.
class RemoteEvents {
 public:
  using Tell = std::function<void(const Event&)>;

  // What it does not know, or cannot read, is left out.
  void tell(const StoredEvent& event, const Tell& tell);

 private:
  ToolCall call_in(const JsonObject& data);

  std::map<std::string, ToolCall, std::less<>> calls_;
};

}  // namespace wright::app
