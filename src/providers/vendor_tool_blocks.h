// The blocks of tools that ran at Anthropic, which go back as they came: a call, and its result
// after it. One without the other is refused there, so it is left out.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "providers/conversation.h"
#include "wright/json.h"

namespace wright::providers {

// The type of a block of our own: the id of the container that such tools have run in.
inline constexpr std::string_view kContainer = "container";

// "server_tool_use", "mcp_tool_use", "web_search_tool_result", …
bool is_of_vendors_tool(std::string_view type);

class VendorToolBlocks {
 public:
  // Of those parts of the conversation that came from this model.
  VendorToolBlocks(const Conversation& conversation, std::string_view model);

  // Whether a block may be sent. The result of a call may still be to come where the model waits
  // for the results of other calls (`is_waiting`).
  bool may_be_sent(const Json& block, bool is_waiting) const;

 private:
  std::set<std::string, std::less<>> called_;
  std::set<std::string, std::less<>> answered_;
};

}  // namespace wright::providers
