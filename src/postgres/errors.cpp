#include "postgres/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wright::postgres {
namespace {

constexpr std::string_view kQueryCanceled = "57014";

ErrorCode code_of_state(std::string_view state) {
  if (state == kForeignKey) return ErrorCode::not_found;
  if (state == kUniqueViolation) return ErrorCode::already_exists;
  if (state == "42501") return ErrorCode::permission_denied;
  if (state.starts_with("28")) return ErrorCode::authentication;
  // Conflicts, too few resources, an operator's hand, a server that starts or stops, a lock.
  for (const std::string_view busy : {"40", "53", "57", "55", "25006"}) {
    if (state.starts_with(busy)) return ErrorCode::unavailable;
  }
  return ErrorCode::storage;
}

std::string_view advice_of(std::string_view state) {
  if (state == "42501") {
    return ". Let somebody who may run CREATE SCHEMA … AUTHORIZATION for this user";
  }
  if (state == kQueryCanceled) {
    return ". It took too long: look in pg_stat_activity for what holds a lock or keeps the server "
           "busy";
  }
  if (state == "53100") return ". The server's disk is full";
  if (state == "53300") return ". Raise max_connections, or use a pooler";
  if (state == "25006") return ". This server is a replica: give the primary's address";
  if (state == "3D000") return ". Create the database first, with createdb";
  return "";
}

}  // namespace

bool is_conflict(const Outcome& outcome) {
  // 25P02: what came before in the same transaction was one.
  return outcome.is_unprepared || outcome.has_state("40001") || outcome.has_state("40P01") ||
         outcome.has_state("25P02");
}

bool is_timeout(const Outcome& outcome) {
  return outcome.has_state(kQueryCanceled);
}

bool is_lock_not_available(const Outcome& outcome) {
  return outcome.has_state("55P03");
}

bool is_about_preparing(const Outcome& outcome) {
  // 0A000: the result of a kept statement has changed since a migration.
  return outcome.has_state("26000") || outcome.has_state("42P05") || outcome.has_state("0A000") ||
         outcome.has_state("08P01");
}

std::string why_not_connected(std::string_view said) {
  // What libpq says of an address may quote a password; these lines do not.
  constexpr std::array<std::string_view, 4> kHarmless{
      "connection to server ", "definition of service ", "service file ",
      "syntax error in service file "};
  std::string kept;
  bool is_kept = false;
  while (!said.empty()) {
    const std::string_view line = said.substr(0, said.find('\n'));
    said.remove_prefix(std::min(line.size() + 1, said.size()));
    // Further lines about the same begin with a tab.
    is_kept = std::ranges::any_of(kHarmless, [&](auto begin) { return line.starts_with(begin); }) ||
              (is_kept && line.starts_with('\t'));
    if (is_kept) kept.append(kept.empty() ? "" : "\n").append(line);
  }
  if (!kept.empty()) return to_valid_utf8(kept);
  return "its address cannot be read, or nobody knows its host. Write "
         "postgresql://USER@HOST:PORT/DATABASE and put the password into ~/.pgpass or PGPASSWORD; "
         "within the address, write % as %25, / as %2F, : as %3A and @ as %40";
}

Error error_of(const Outcome& outcome) {
  if (outcome.kind == Outcome::Kind::lost) {
    return {ErrorCode::storage,
            fmt::format("The connection to PostgreSQL was lost: {}", outcome.message),
            {}};
  }
  return {code_of_state(outcome.state),
          fmt::format("PostgreSQL refuses: {} ({}){}", outcome.message, outcome.state,
                      advice_of(outcome.state)),
          {}};
}

Result<void> all_done(const Outcome& outcome) {
  if (outcome.is_done()) return {};
  Error error = error_of(outcome);
  if (outcome.kind == Outcome::Kind::lost) error.code = ErrorCode::unavailable;
  return std::unexpected(std::move(error));
}

}  // namespace wright::postgres
