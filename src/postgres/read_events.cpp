#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "core/try.h"
#include "postgres/reads.h"
#include "store/columns.h"
#include "store/row_values.h"

namespace wright::postgres {
namespace {

using Writers = std::set<std::string>;  // transactions that have written events

// Whoever writes events takes a lock before it takes numbers, and keeps it until it has committed.
// So the highest number is read first, and those who hold the lock afterwards.
struct Horizon {
  EventSequence last = 0;
  Writers writers = {};
};

Result<Horizon> look(Pool& pool, Slot& slot) {
  Horizon horizon;
  TRY(pool.read(slot, [&] {
    horizon = {};
    const auto note_last = [&](const Row& row) -> Result<void> {
      horizon.last = row.integer(0);
      return {};
    };
    const auto note_writer = [&](const Row& row) -> Result<void> {
      horizon.writers.insert(row.text(0));
      return {};
    };
    return std::vector{Request{&pool.statements()[Query::last_event], {}, note_last},
                       Request{&pool.statements()[Query::event_writers], {}, note_writer}};
  }));
  return horizon;
}

bool is_any_left(const Writers& before, const Writers& now) {
  return std::ranges::any_of(before, [&](const std::string& one) { return now.contains(one); });
}

}  // namespace

Result<std::vector<StoredEvent>> read_events(Pool& pool, const EventFilter& filter) {
  std::vector<StoredEvent> events;
  {
    Pool::Lease slot = pool.take();
    const auto first = TRY(look(pool, *slot));
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    for (Writers left = first.writers; !left.empty();) {
      if (std::chrono::steady_clock::now() >= until) return events;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const auto again = TRY(look(pool, *slot));
      if (!is_any_left(left, again.writers)) break;
    }
    const Sql sql = pool.statements().make(fmt::format(
        "SELECT {} FROM @agent_events WHERE sequence > $2::bigint AND sequence <= $4::bigint "
        "AND {} ORDER BY sequence LIMIT $3::bigint",
        store::kEventColumns,
        filter.session_id
            ? "session_id IN (WITH RECURSIVE family (id) AS (SELECT $1::bigint UNION "
              "SELECT child.id FROM @agent_sessions child "
              "JOIN family ON child.parent_session_id = family.id) SELECT id FROM family)"
            : "$1::bigint IS NULL"));
    TRY(pool.read(*slot, [&] {
      events.clear();
      return std::vector{Request{
          &sql, values_of(filter.session_id, filter.after, row_limit(filter.limit), first.last),
          [&](const Row& row) -> Result<void> {
            auto event = TRY(store::event_of(row));
            events.push_back(std::move(event));
            return {};
          }}};
    }));
  }
  if (events.empty() && filter.session_id) {
    TRY(read_session(pool, *filter.session_id));
  }
  return events;
}

}  // namespace wright::postgres
