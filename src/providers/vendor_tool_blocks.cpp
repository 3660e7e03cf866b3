#include "providers/vendor_tool_blocks.h"

#include "providers/opaque_block.h"
#include "providers/response_json.h"

namespace wright::providers {

bool is_of_vendors_tool(std::string_view type) {
  return type == "server_tool_use" || type == "mcp_tool_use" || type.ends_with("_tool_result");
}

VendorToolBlocks::VendorToolBlocks(const Conversation& conversation, std::string_view model) {
  for (const Turn& turn : conversation.turns()) {
    for (const Part* part : turn.parts) {
      const auto* reasoning = std::get_if<Reasoning>(part);
      // Most are thoughts, and long; they are not read twice.
      if (reasoning == nullptr || !reasoning->opaque.contains("_tool_")) continue;
      const auto block = opaque_block(*reasoning, Protocol::anthropic_messages, model);
      if (!block || !is_of_vendors_tool(text_field(&*block, "type"))) continue;
      called_.emplace(text_field(&*block, "id"));
      answered_.emplace(text_field(&*block, "tool_use_id"));
    }
  }
}

bool VendorToolBlocks::may_be_sent(const Json& block, bool is_waiting) const {
  if (!is_of_vendors_tool(text_field(&block, "type"))) return true;
  if (const auto call = text_field(&block, "tool_use_id"); !call.empty()) {
    return called_.contains(call);
  }
  return is_waiting || answered_.contains(text_field(&block, "id"));
}

}  // namespace wright::providers
