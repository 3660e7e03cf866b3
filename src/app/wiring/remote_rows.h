// What a server's API says of its rows, as the rows that a store gives. Pure.
#pragma once

#include <string_view>

#include "wright/store.h"

namespace wright::app {

// Each refuses what is no such row (ErrorCode::protocol).
Result<Session> session_from(const Json& json);
Result<StoredMessage> stored_message_from(const Json& json);
Result<StoredCall> call_from(const Json& json);
Result<StoredWait> wait_from(const Json& json);
Result<Runner> runner_from(const Json& json);
Result<StoreStats> samples_from(const Json& json);
Result<Usage> usage_from(const Json& json);
// The data of a server-sent event.
Result<StoredEvent> event_from(std::string_view text);
Result<StoredEvent> event_from(const Json& json);

}  // namespace wright::app
