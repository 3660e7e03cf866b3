#include "store/sqlite_rows.h"

#include "core/try.h"
#include "store/row_values.h"

namespace wright::store {

Result<Session> session_from(const Row& row) {
  return session_of(row);
}

Result<StoredMessage> message_from(const Row& row) {
  return message_of(row);
}

Result<StoredCall> call_from(const Row& row) {
  return call_of(row);
}

Result<StoredWait> wait_from(const Row& row) {
  return wait_of(row);
}

Result<StoredEvent> event_from(const Row& row) {
  return event_of(row);
}

Runner runner_from(const Row& row) {
  return runner_of(row);
}

Result<std::vector<Runner>> read_runners(Queries& queries) {
  std::vector<Runner> runners;
  TRY(queries.each(Query::runners, [&](const Row& row) -> Result<void> {
    runners.push_back(runner_from(row));
    return {};
  }));
  return runners;
}

}  // namespace wright::store
