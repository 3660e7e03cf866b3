#include "store/sqlite_fork.h"

#include <sqlite3.h>

#include <unordered_map>
#include <vector>

#include "core/try.h"
#include "store/fork.h"
#include "store/sqlite_rows.h"
#include "store/status.h"

namespace wright::store {
namespace {

using NewIds = std::unordered_map<MessageId, MessageId>;  // by the original's

struct Originals {
  std::vector<StoredMessage> messages;
  MessageId last = 0;  // of the session, whether it can be read or not
};

// A message behind `wanted` that cannot be read only ends the list: it is not copied.
Result<Originals> read_originals(Queries& queries, SessionId id, MessageId wanted) {
  Originals originals;
  bool is_readable = true;
  const auto read = queries.each(
      Query::messages,
      [&](const Row& row) -> Result<void> {
        originals.last = row.integer(0);
        if (!is_readable) return {};
        auto message = message_from(row);
        is_readable = message.has_value();
        if (message) {
          originals.messages.push_back(std::move(*message));
        } else if (originals.last <= wanted) {
          return std::unexpected(std::move(message).error());
        }
        return {};
      },
      id, kFirstId, kLastId, kAllRows);
  TRY(read);
  return originals;
}

Result<void> copy_calls(Queries& queries, SessionId from, SessionId to, const NewIds& new_ids) {
  std::vector<std::pair<CallId, MessageId>> calls;
  const auto read = queries.each(
      Query::calls,
      [&](const Row& row) -> Result<void> {
        const auto message_id = row.optional_integer(2);
        if (!message_id) return {};
        const auto copied = new_ids.find(*message_id);
        if (copied != new_ids.end()) calls.emplace_back(row.integer(0), copied->second);
        return {};
      },
      from, kFirstId, kLastId, kAllRows);
  TRY(read);
  for (const auto& [call_id, message_id] : calls) {
    TRY(queries.run(Query::fork_call, call_id, to, message_id));
  }
  return {};
}

}  // namespace

Result<SessionId> fork_session(sqlite3* connection, Queries& queries, SessionId id, MessageId last,
                               std::int64_t now) {
  const auto originals = TRY(read_originals(queries, id, last));
  const std::int64_t is_whole = originals.last == last ? 1 : 0;
  TRY(queries.run(Query::fork_session, id, now, is_whole));
  if (sqlite3_changes(connection) == 0) return std::unexpected(no_session(id));
  const SessionId fork = sqlite3_last_insert_rowid(connection);

  const auto count = TRY(messages_to_fork(id, originals.messages, last));
  NewIds new_ids;
  for (std::size_t i = 0; i < count; ++i) {
    const MessageId message_id = originals.messages[i].id;
    TRY(queries.run(Query::fork_message, message_id, fork));
    new_ids.emplace(message_id, sqlite3_last_insert_rowid(connection));
  }
  TRY(copy_calls(queries, id, fork, new_ids));
  return fork;
}

}  // namespace wright::store
