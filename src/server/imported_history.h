// What a caller says was said and done before, and nobody here has seen. It is kept as what was
// told: no call of it is a call that ran.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/agent.h"
#include "wright/store.h"

namespace wright::server {

// As a session keeps it: calls that belong together in one message, each with its result behind it,
// in their order. Refuses (ErrorCode::invalid_argument) what a session could not go on with.
Result<std::vector<Message>> as_conversation(std::vector<Message> told);

// A session that has ended and holds nothing but these. Its calls have no rows.
Result<SessionId> store_imported(Store& store, const Agent& agent, Json config,
                             std::vector<Message> told, const std::string& prompt,
                             const std::string& tenant);

// How many messages of a session were told when it began, as its config says.
inline constexpr std::string_view kImportedMessagesKey = "told_messages";
std::size_t imported_messages_of(const Json& config);

// The last of them; nothing in a session that began here.
Result<std::optional<MessageId>> last_imported(Store& store, const Session& session);

}  // namespace wright::server
