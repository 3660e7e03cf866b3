#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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

constexpr std::chrono::milliseconds kWaitForWriters{2'000};
constexpr std::chrono::milliseconds kShortestPause{1};
constexpr std::chrono::milliseconds kLongestPause{50};

using Writers = std::set<std::string>;  // transactions that have written events

// Whoever writes events takes a lock before it takes numbers, and keeps it until it has committed.
// So the highest number is read first, and those who hold the lock afterwards.
struct Horizon {
  EventSequence last = 0;
  Writers writers = {};
};

// The connection is given back after every look: others need it more than one who waits.
Result<Horizon> look(Pool& pool) {
  Horizon horizon;
  TRY(pool.read([&] {
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
  const auto first = TRY(look(pool));
  const auto until = std::chrono::steady_clock::now() + kWaitForWriters;
  for (auto pause = kShortestPause; !first.writers.empty();) {
    if (std::chrono::steady_clock::now() >= until) {
      return fail(ErrorCode::unavailable,
                  "Somebody has been writing events to PostgreSQL for seconds and has not "
                  "committed: read them again later");
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
    const auto again = TRY(look(pool));
    if (!is_any_left(first.writers, again.writers)) break;
  }
  const Sql sql = pool.statements().make(fmt::format(
      "SELECT {} FROM @agent_events WHERE sequence > $2::bigint AND sequence <= $4::bigint "
      "AND {}{} ORDER BY sequence LIMIT $3::bigint",
      store::kEventColumns,
      filter.session_id
          ? "session_id IN (WITH RECURSIVE family (id) AS (SELECT $1::bigint UNION "
            "SELECT child.id FROM @agent_sessions child "
            "JOIN family ON child.parent_session_id = family.id) SELECT id FROM family)"
          : "$1::bigint IS NULL",
      filter.tenant ? " AND EXISTS (SELECT 1 FROM @agent_sessions AS session "
                      "WHERE session.id = session_id AND session.tenant = $5::text)"
                    : " AND $5::text IS NULL"));
  std::vector<StoredEvent> events;
  TRY(pool.read([&] {
    events.clear();
    return std::vector{Request{&sql,
                               values_of(filter.session_id, filter.after, row_limit(filter.limit),
                                         first.last, filter.tenant),
                               [&](const Row& row) -> Result<void> {
                                 auto event = TRY(store::event_of(row));
                                 events.push_back(std::move(event));
                                 return {};
                               }}};
  }));
  if (events.empty() && filter.session_id) {
    TRY(read_session(pool, *filter.session_id));
  }
  return events;
}

}  // namespace wright::postgres
