#include "session/call_notes.h"

#include <string>

#include "core/try.h"

namespace wright::session {
namespace {

constexpr std::string_view kCallNotes = "call_note";

}  // namespace

std::vector<Write> writes_of_note(const HoldLease& lease, CallId row, const Json& note) {
  const std::string key = std::to_string(row);
  return {lease, RemoveRecords{.kind = std::string(kCallNotes), .key = key},
          PutRecord{.kind = std::string(kCallNotes),
                    .key = key,
                    .value = note,
                    .session_id = lease.session_id}};
}

Result<std::optional<Json>> note_of(Store& store, CallId row) {
  auto found = TRY(
      store.get_records({.kind = std::string(kCallNotes), .key = std::to_string(row), .limit = 1}));
  if (found.empty()) return std::nullopt;
  return std::move(found.front().value);
}

}  // namespace wright::session
