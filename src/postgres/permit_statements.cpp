// The statements of TakePermits; the rules are those of store/permits.h.
#include <fmt/format.h>

#include "postgres/session_statements.h"
#include "store/permits.h"

namespace wright::postgres {
namespace {

// What a bucket that is full until `until` gives of `wanted`; `first` is given whole when it is not
// empty. Nothing but what comes back during a pause.
std::string given(std::string_view until, std::string_view per_minute, std::string_view wanted,
                  std::string_view first) {
  return fmt::format(
      "CASE WHEN {2} <= 0 THEN {2} WHEN is_paused THEN 0 WHEN {1} = 0 THEN {2} "
      "WHEN {0} > now THEN 0 "
      "ELSE least({2}, greatest({3}, (now - greatest({0}, now - {4})) * {1} / {5})) END",
      until, per_minute, wanted, first, store::kBurstUs, store::kMinuteUs);
}

std::string used_up(std::string_view until, std::string_view per_minute, std::string_view amount) {
  return fmt::format(
      "CASE WHEN {1} = 0 THEN {0} ELSE greatest({0}, now - {3}) + {2} * {4} / {1} END", until,
      per_minute, amount, store::kBurstUs, store::kMinuteUs);
}

std::string take_permits_sql() {
  return fmt::format(
      "WITH asked AS (SELECT $3::bigint AS rpm, $4::bigint AS tpm, $5::bigint AS most, "
      "$6::bigint AS want_requests, $7::bigint AS want_tokens, $8::bigint AS first_tokens, "
      "$9::bigint AS want_slots, $10::bigint AS used, $12::bigint * 1000 AS now), "
      "standing AS (SELECT *, paused > now AS is_paused FROM (SELECT asked.*, requests_until, "
      "tokens_until, greatest(paused_until, now + $11::bigint * 1000) AS paused "
      "FROM asked, @agent_paces WHERE name = $2::text) AS found), "
      "taken AS (SELECT *, {0} AS requests, {1} AS tokens FROM standing), "
      "after AS (SELECT *, {2} AS requests_then, {3} AS tokens_then FROM taken), "
      "others AS (SELECT slots, wanted FROM @agent_slots WHERE name = $2 "
      "AND runner_id <> $1::bigint), "
      "share AS (SELECT greatest(1, most / (1 + (SELECT count(*) FROM others WHERE wanted > 0))) "
      "AS share, greatest(0, most - (SELECT coalesce(sum(slots), 0) FROM others)::bigint) AS free "
      "FROM asked), "
      "slots AS (SELECT CASE WHEN most = 0 THEN want_slots ELSE greatest(used, least(free, "
      "CASE WHEN EXISTS (SELECT 1 FROM others WHERE others.slots < least(wanted, share)) "
      "THEN least(want_slots, share) ELSE want_slots END)) END AS slots FROM asked, share), "
      "kept AS (UPDATE @agent_paces SET requests_until = requests_then, "
      "tokens_until = tokens_then, paused_until = paused FROM after WHERE name = $2), "
      "own AS (INSERT INTO @agent_slots (name, runner_id, slots, wanted) "
      "SELECT $2, $1, slots, want_slots FROM slots, asked ON CONFLICT (name, runner_id) "
      "DO UPDATE SET slots = excluded.slots, wanted = excluded.wanted) "
      "SELECT requests, tokens, slots, greatest(0, (greatest(paused, "
      "CASE WHEN requests < want_requests THEN requests_then ELSE 0 END, "
      "CASE WHEN tokens < want_tokens THEN tokens_then ELSE 0 END) - now + 999) / 1000) "
      "FROM after, slots",
      given("requests_until", "rpm", "want_requests", "1"),
      given("tokens_until", "tpm", "want_tokens", "first_tokens"),
      used_up("requests_until", "rpm", "requests"), used_up("tokens_until", "tpm", "tokens"));
}

}  // namespace

std::string permit_sql_of(Query query) {
  switch (query) {
    case Query::make_pace:
      return "INSERT INTO @agent_paces (name) VALUES ($1::text) ON CONFLICT DO NOTHING";
    case Query::lock_pace: return "SELECT 1 FROM @agent_paces WHERE name = $1::text FOR UPDATE";
    case Query::forget_slots:
      return fmt::format("DELETE FROM @agent_slots AS slot WHERE name = $1::text AND NOT {}",
                         is_alive_sql("slot.runner_id", 2));
    case Query::take_permits: return take_permits_sql();
    default: return {};
  }
}

}  // namespace wright::postgres
