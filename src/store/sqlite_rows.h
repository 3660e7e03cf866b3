// Rows of the agent tables as the values of store.h. A row that cannot be read (broken JSON, an
// unknown status) is an error that names it.
#pragma once

#include <vector>

#include "store/sqlite_queries.h"
#include "wright/store.h"

namespace wright::store {

Result<Session> session_from(const Row& row);        // columns: kSessionColumns
Result<StoredMessage> message_from(const Row& row);  // columns: kMessageColumns
Result<StoredCall> call_from(const Row& row);        // columns: kCallColumns
Result<StoredWait> wait_from(const Row& row);        // columns: kWaitColumns
Result<StoredEvent> event_from(const Row& row);      // columns: kEventColumns

Runner runner_from(const Row& row);  // columns: Query::runner

Result<std::vector<Runner>> read_runners(Queries& queries);

}  // namespace wright::store
