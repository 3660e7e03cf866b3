// For tests: how programs of version 10 claim, which may run beside those of today.
#pragma once

#include <fmt/format.h>

#include <string>

#include "postgres/statements.h"

namespace wright::postgres {

inline std::string claim_of_version_10() {
  return fmt::format(
      "WITH RECURSIVE lines (tenant, name) AS ("
      "(SELECT tenant, agent_name FROM @agent_sessions WHERE status = 'queued' "
      "ORDER BY tenant, agent_name LIMIT 1) UNION ALL "
      "SELECT next.tenant, next.agent_name FROM lines CROSS JOIN LATERAL ("
      "SELECT tenant, agent_name FROM @agent_sessions WHERE status = 'queued' "
      "AND (tenant, agent_name) > (lines.tenant, lines.name) "
      "ORDER BY tenant, agent_name LIMIT 1) AS next), "
      "found AS MATERIALIZED (SELECT lines.tenant, lines.name, coalesce(served, 0) AS served, "
      "line.id, line.priority FROM lines LEFT JOIN @agent_lines AS known "
      "ON known.tenant = lines.tenant AND known.agent_name = lines.name "
      "CROSS JOIN LATERAL (SELECT id, priority FROM @agent_sessions AS queued "
      "WHERE status = 'queued' AND queued.tenant = lines.tenant AND agent_name = lines.name "
      "AND parent_session_id IS NULL "
      "AND (ready_at IS NULL OR ready_at <= $4::bigint) AND NOT {} "
      "AND (labels IS NULL OR NOT EXISTS (SELECT 1 FROM unnest(string_to_array(labels, ',')) "
      "AS label WHERE NOT (label = ANY ($7::text[])))) "
      "AND NOT (id = ANY ($8::bigint[])) AND NOT (provider = ANY ($9::text[])) "
      "AND NOT (provider || ':' || model = ANY ($9::text[])) "
      "ORDER BY priority DESC, id LIMIT $2::bigint FOR NO KEY UPDATE SKIP LOCKED) AS line "
      "WHERE $3::text[] IS NULL OR lines.name = ANY ($3)), "
      "placed AS (SELECT *, row_number() OVER (PARTITION BY tenant, name "
      "ORDER BY priority DESC, id) AS place FROM found), "
      "turns AS (SELECT tenant, name, row_number() OVER (PARTITION BY tenant "
      "ORDER BY served, priority DESC, id) AS turn FROM placed WHERE place = 1), "
      "rounds AS (SELECT id, tenant, name, priority, row_number() OVER (PARTITION BY tenant "
      "ORDER BY place, turn) AS round FROM placed JOIN turns USING (tenant, name)), "
      "tenants AS (SELECT tenant, row_number() OVER (ORDER BY (SELECT coalesce(max(served), 0) "
      "FROM @agent_lines AS any_line WHERE any_line.tenant = rounds.tenant), priority DESC, id) "
      "AS tenant_turn FROM rounds WHERE round = 1), "
      "chosen AS (SELECT id, tenant, name, row_number() OVER (ORDER BY round, tenant_turn) "
      "AS position FROM rounds JOIN tenants USING (tenant) ORDER BY round, tenant_turn LIMIT $2), "
      "claimed AS (UPDATE @agent_sessions AS session SET status = 'running', "
      "runner_id = $1::bigint, lease_epoch = lease_epoch + 1 FROM chosen "
      "WHERE session.id = chosen.id AND session.status = 'queued' "
      "RETURNING session.id, lease_epoch, cancel_reason, position), "
      "served AS (SELECT tenant, name, (SELECT coalesce(max(served), 0) FROM @agent_lines) "
      "+ max(position) AS served FROM chosen GROUP BY tenant, name), "
      "first_time AS (INSERT INTO @agent_lines (tenant, agent_name, served) "
      "SELECT tenant, name, served FROM served ORDER BY tenant, name ON CONFLICT DO NOTHING), "
      // Whoever serves the same line at this moment says so for both.
      "again AS (UPDATE @agent_lines AS line SET served = served.served FROM served, "
      "(SELECT tenant, agent_name FROM @agent_lines WHERE (tenant, agent_name) IN "
      "(SELECT tenant, name FROM served) FOR UPDATE SKIP LOCKED) AS free "
      "WHERE line.tenant = served.tenant AND line.agent_name = served.name "
      "AND free.tenant = served.tenant AND free.agent_name = served.name) "
      "SELECT id, lease_epoch, cancel_reason FROM claimed ORDER BY position",
      is_alive_sql("queued.runner_id", 4));
}

}  // namespace wright::postgres
