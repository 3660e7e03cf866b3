// How a message is kept in the columns of agent_messages, and a call's result in agent_tool_calls,
// and how they come back unchanged.
//
//   message                                   content          parts       tool_call_id
//   one text, any role                        the text         NULL        NULL
//   role tool, one result                     display_text()   NULL        the call's id
//   anything else                             display_text()   JSON array  NULL
//
// A result is rebuilt from its display text, so that a large output is stored once. Where the text
// would not give the same result back (a tool whose name contains " failed: "), the third form is
// used. Both stores keep messages in this form.
#pragma once

#include <optional>
#include <string>

#include "wright/message.h"

namespace wright::store {

struct MessageColumns {
  std::string content;
  std::optional<std::string> parts;
  std::optional<std::string> tool_call_id;
};

MessageColumns to_columns(const Message& message);

// Fails when `parts` is not what to_columns() writes.
Result<Message> message_from(Role role, const MessageColumns& columns);

// A result as JSON text, in the form of a message's part.
std::optional<std::string> result_column(const std::optional<ToolResult>& result);
Result<std::optional<ToolResult>> result_from(const std::optional<std::string>& column);

}  // namespace wright::store
