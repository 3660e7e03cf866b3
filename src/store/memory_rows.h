// Rows of the tables in memory as the values of store.h.
#pragma once

#include <vector>

#include "store/memory_tables.h"

namespace wright::store {

Result<Session> read(const SessionRow& row);
Result<StoredCall> read(const CallRow& row);
Result<StoredWait> read(const WaitRow& row);
Result<StoredEvent> read(const EventRow& row);
Result<StoredMessage> read(const MessageRow& row, SessionId session_id);

}  // namespace wright::store
