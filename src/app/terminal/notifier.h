// The person's own command that tells them that they are waited for. Nobody waits for it, and what
// it prints is not seen.
#pragma once

#include <string>

namespace wright::app {

// Runs `command` by the shell, with the words in $WRIGHT_NOTICE.
void start_notifier(const std::string& command, const std::string& words);

}  // namespace wright::app
