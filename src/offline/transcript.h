// Reads a request: what the user said last, and which calls were made since, with their results.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/message.h"

namespace wright::offline {

// A call and what came of it. Views refer to the request's messages.
struct Exchange {
  std::string_view tool;
  Json arguments;  // null when they are not JSON
  std::string_view content;
  bool is_error = false;
};

struct Transcript {
  std::string prompt;                // the last user message
  std::vector<std::string> earlier;  // the user messages before it, newest first
  std::vector<Exchange> exchanges;   // since that message, answered calls only
  int rounds = 0;                    // turns with calls since that message

  // The answer to a call with equal arguments; null when there is none.
  const Exchange* find(std::string_view tool, const JsonObject& arguments) const;
};

Transcript read_transcript(const Request& request);

// JSON text as a tool returned it. Text that was cut in the middle gives what was whole before the
// cut; anything else that is not JSON gives nothing.
std::optional<Json> parse_leniently(std::string_view text);

}  // namespace wright::offline
