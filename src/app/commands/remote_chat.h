// A conversation with an agent of a server.
#pragma once

#include "app/commands/commands.h"
#include "app/wiring/remote_api.h"

namespace wright::app {

ExitCode chat_at(RemoteApi& api, const ChatCommand& command, const Settings& settings,
                 CommandContext context);

}  // namespace wright::app
