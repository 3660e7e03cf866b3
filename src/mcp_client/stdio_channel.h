// A server that is a program: started by us, spoken to over its standard streams, and gone with us.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "mcp_client/channel.h"
#include "wright/sandbox.h"

namespace wright::mcp_client {

struct ServerProgram {
  std::vector<std::string> command = {};  // the program first
  std::filesystem::path working_directory = "/";
  // Where and with what it runs; SandboxMode::off confines nothing.
  SandboxPolicy policy = {};
  Variables environment = {};  // on top of the policy's, HOME among them
};

// Refused where it cannot be started at all. One that starts and ends at once is lost later.
Result<std::unique_ptr<Channel>> start_program(const ServerProgram& program,
                                               std::shared_ptr<ChannelListener> listener);

}  // namespace wright::mcp_client
