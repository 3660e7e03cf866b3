#include "store/readable_waits.h"

#include <utility>

#include "core/try.h"
#include "store/readable_rows.h"

namespace wright::store {

Result<ReadableWaits> readable_waits(Store& store, const WaitFilter& filter) {
  auto found = TRY(readable_rows<StoredWait>(
      filter.page, "wait_id", [&](const Page& page) -> Result<std::vector<StoredWait>> {
        // Beside the one that is asked for there is no other.
        if (filter.id && (page.after || page.before)) return std::vector<StoredWait>();
        WaitFilter part = filter;
        part.page = page;
        return store.get_waits(part);
      }));
  ReadableWaits waits{.waits = std::move(found.rows)};
  for (DamagedRow& each : found.damaged) {
    const Json* session = each.error.find("session_id");
    if (session == nullptr || !session->is_int64()) return std::unexpected(std::move(each.error));
    waits.damaged.push_back({each.id, session->get_int64(), std::move(each.error)});
  }
  return waits;
}

}  // namespace wright::store
