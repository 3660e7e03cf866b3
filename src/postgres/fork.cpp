// Copies a session up to one of its messages, inside of an open transaction.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/try.h"
#include "postgres/questions.h"
#include "store/fork.h"
#include "store/row_values.h"
#include "store/status.h"

namespace wright::postgres {
namespace {

std::string array_of(const std::vector<std::int64_t>& ids) {
  return fmt::format("{{{}}}", fmt::join(ids, ","));
}

}  // namespace

Result<SessionId> Questions::fork(SessionId id, MessageId last) {
  std::vector<StoredMessage> originals;
  MessageId last_of_all = 0;
  bool is_readable = true;
  // A message behind `last` that cannot be read only ends the list: it is not copied.
  TRY(ask(Query::messages, values_of(id, kFirstId, last, kLastId),
          [&](const Row& row) -> Result<void> {
            auto message = TRY(store::message_of(row));
            originals.push_back(std::move(message));
            return {};
          }));
  TRY(ask(Query::messages, values_of(id, std::max(last, kFirstId + 1) - 1, kLastId, kLastId),
          [&](const Row& row) -> Result<void> {
            last_of_all = row.integer(0);
            if (!is_readable) return {};
            auto message = store::message_of(row);
            is_readable = message.has_value();
            if (message) {
              originals.push_back(std::move(*message));
            } else if (last_of_all <= last) {
              return std::unexpected(std::move(message).error());
            }
            return {};
          }));
  const int is_whole = last_of_all == last ? 1 : 0;
  TRY(check_session(id));
  SessionId fork = 0;
  TRY(ask(Query::fork_session, values_of(id, moment_.wall, is_whole),
          [&](const Row& row) -> Result<void> {
            fork = row.integer(0);
            return {};
          }));
  const auto count = TRY(store::messages_to_fork(id, originals, last));
  std::vector<std::int64_t> old_ids;
  for (std::size_t i = 0; i < count; ++i) old_ids.push_back(originals[i].id);
  std::vector<std::int64_t> new_ids;
  TRY(ask(Query::fork_messages, values_of(id, fork, last), [&](const Row& row) -> Result<void> {
    new_ids.push_back(row.integer(0));
    return {};
  }));
  if (new_ids.size() != old_ids.size()) {
    return fail(ErrorCode::unavailable,
                fmt::format("Session {} was written to while it was forked; try again", id));
  }
  TRY(ask(Query::fork_calls, values_of(id, fork, array_of(old_ids), array_of(new_ids))));
  return fork;
}

}  // namespace wright::postgres
