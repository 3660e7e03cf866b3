// How a message is kept in the columns of agent_messages, and a call's result in agent_tool_calls,
// and how they come back unchanged.
//
//   message                                   content          parts       tool_call_id
//   one text without a phase, any role        the text         NULL        NULL
//   role tool, one result                     display_text()   JSON array  the call's id
//   anything else                             display_text()   JSON array  NULL
//
// `parts` are the message's parts. In the second form the text of the result is not among them: the
// part says with `content_at` and `content_bytes` where it stands in `content`, so that a large
// output is stored once. Both stores keep messages in this form. Rows of earlier versions have no
// parts in the second form; their result is read from the text.
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
