// What PostgreSQL says, as errors of Wright.
#pragma once

#include <chrono>

#include "postgres/connection.h"
#include "wright/error.h"

namespace wright::postgres {

// How long a call goes on trying while the server is busy or away.
inline constexpr std::chrono::seconds kPatience{15};

// States that are decided upon; PostgreSQL's manual has the list.
inline constexpr std::string_view kDivisionByZero = "22012";  // how our statements refuse
inline constexpr std::string_view kForeignKey = "23503";
inline constexpr std::string_view kUniqueViolation = "23505";

// The whole transaction may be tried again at once.
bool is_conflict(const Outcome& outcome);
// The server has given up because of the time.
bool is_timeout(const Outcome& outcome);
// A table is in use for longer than `lock_timeout` says.
bool is_lock_not_available(const Outcome& outcome);
// The server does not have a statement under that name, or has it already: see Preparing.
bool is_about_preparing(const Outcome& outcome);

// What libpq says about a connection that could not be opened, as far as it is about the server.
// What it says about the connection string is not passed on: it repeats parts of it, and a '/', '@'
// or '%' in a password makes another part of that. Says how to write it instead.
std::string why_not_connected(std::string_view said);

// For an outcome that is not `done`. One that is `failed` has certainly changed nothing; one that
// is `lost` becomes ErrorCode::storage.
Error error_of(const Outcome& outcome);
// For reads, and for what is sent before anything counts: `lost` is ErrorCode::unavailable.
Result<void> all_done(const Outcome& outcome);

}  // namespace wright::postgres
