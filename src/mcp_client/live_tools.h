// The tools of one server as they are now. They are listed again when the server says that they
// have changed, when it was started again, and when the time is over for which it said that they
// hold.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mcp_client/connection.h"
#include "mcp_client/server_tools.h"
#include "wright/tool.h"

namespace wright::mcp_client {

// Thread-safe. Its tools work without it, as they were.
class LiveTools {
 public:
  LiveTools(std::shared_ptr<Connection> connection, ServerToolsOptions options);
  ~LiveTools();
  LiveTools(const LiveTools&) = delete;
  LiveTools& operator=(const LiveTools&) = delete;

  // Connects and asks for the first time; from now on it listens. A call of a tool that has gone,
  // or is not any more what it was when it was offered, is refused before the server hears of it.
  Result<ServerTools> open(const std::stop_token& stop = {});

  // As they were listed last: quick. Nothing while they are those of open(). Where the time is over
  // for which they hold, they are asked for, and here when that is done.
  std::shared_ptr<const std::vector<Tool>> now();

  // The name of a tool that was there before.
  bool has_gone(std::string_view tool) const;
  const std::string& server() const;
  // Since open().
  bool was_always_there(std::string_view tool) const;

 private:
  class State;
  std::shared_ptr<State> state_;
  std::jthread worker_;
};

// The tools that a session has, with those of the servers as they are now: what has gone is gone,
// what has changed has changed where it stood, and what is new comes last. Those that a server
// always had and the session has not are left out. Nothing: there is no difference.
std::optional<std::vector<Tool>> tools_of_now(std::span<const Tool> had,
                                              std::span<const std::shared_ptr<LiveTools>> servers);

// Calls of tools that have gone are answered with that, instead of what is said of any unknown
// name.
Interceptor telling_what_has_gone(std::vector<std::shared_ptr<LiveTools>> servers);

}  // namespace wright::mcp_client
