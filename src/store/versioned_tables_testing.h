// The agent tables as earlier versions made them, for tests that upgrade them.
#pragma once

#include <string>
#include <string_view>

#include "store/agent_schema.h"

namespace wright::store {

inline constexpr std::string_view kTablesOfVersion2 = R"sql(
CREATE TABLE agent_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_name TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    system_prompt TEXT,
    user_prompt TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'running'
        CHECK (status IN ('running', 'completed', 'failed', 'waiting', 'cancelled')),
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    result TEXT,
    error TEXT,
    parent_session_id INTEGER,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cached_tokens INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL NOT NULL DEFAULT 0,
    iterations INTEGER NOT NULL DEFAULT 0,
    config TEXT,
    format_version INTEGER NOT NULL DEFAULT 1,
    FOREIGN KEY (parent_session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE
);
CREATE TABLE agent_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    parts TEXT,
    tool_call_id TEXT,
    FOREIGN KEY (session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE
);
CREATE TABLE agent_tool_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL,
    message_id INTEGER,
    tool_call_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    request TEXT NOT NULL,
    response TEXT,
    status TEXT NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'executing', 'completed', 'failed', 'waiting', 'cancelled',
                          'unknown')),
    created_at INTEGER NOT NULL,
    completed_at INTEGER,
    execution_time_ms INTEGER,
    error_details TEXT,
    FOREIGN KEY (session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE,
    FOREIGN KEY (message_id) REFERENCES agent_messages (id) ON DELETE SET NULL
);
CREATE INDEX idx_agent_sessions_parent ON agent_sessions (parent_session_id);
CREATE INDEX idx_agent_messages_session_created ON agent_messages (session_id, created_at);
CREATE INDEX idx_agent_tool_calls_session ON agent_tool_calls (session_id);
CREATE INDEX idx_agent_tool_calls_status ON agent_tool_calls (session_id, status);
CREATE INDEX idx_agent_tool_calls_message ON agent_tool_calls (message_id);
CREATE TABLE agent_schema (version INTEGER NOT NULL);
INSERT INTO agent_schema (version) VALUES (2);
)sql";

// The first version did not count what a session cost.
inline std::string tables_of_version_1() {
  std::string tables(kTablesOfVersion2);
  for (const std::string_view line : {"    cache_write_tokens INTEGER NOT NULL DEFAULT 0,\n",
                                      "    cost_usd REAL NOT NULL DEFAULT 0,\n"}) {
    tables.erase(tables.find(line), line.size());
  }
  const std::string_view version = "VALUES (2)";
  return tables.replace(tables.find(version), version.size(), "VALUES (1)");
}

// The second did not know who drives a session, what it waits for and what it came from.
inline std::string tables_of_version_3() {
  std::string tables(kTablesOfVersion2);
  const auto insert_behind = [&](std::string_view line, std::string_view more) {
    tables.insert(tables.find(line) + line.size(), more);
  };
  insert_behind("    format_version INTEGER NOT NULL DEFAULT 1,\n",
                "    parent_call_id INTEGER,\n    forked_from INTEGER,\n    runner_id INTEGER,\n"
                "    lease_epoch INTEGER NOT NULL DEFAULT 0,\n    feedback TEXT,\n");
  insert_behind("    error_details TEXT,\n", "    result TEXT,\n");
  const std::string_view version = "VALUES (2)";
  tables.replace(tables.find(version), version.size(), "VALUES (3)");
  return tables + kCreateWaitTables;
}

// The fourth kept what requests leave out, the fifth why a session ended.
inline std::string tables_of_version_5() {
  return tables_of_version_3() + R"sql(
ALTER TABLE agent_sessions ADD COLUMN context TEXT;
ALTER TABLE agent_sessions ADD COLUMN error_code TEXT;
ALTER TABLE agent_sessions ADD COLUMN limit_reached TEXT;
ALTER TABLE agent_waits ADD COLUMN covers TEXT;
UPDATE agent_schema SET version = 5;
)sql";
}

// One session that has asked for a tool, with the columns that every version has.
inline constexpr const char* kVersionedRows = R"sql(
INSERT INTO agent_sessions (id, agent_name, provider, model, user_prompt, started_at,
                            reasoning_tokens, config)
    VALUES (5, 'a', 'p', 'm', 'hi', 1700000000000, 7, '{"limit":3}');
INSERT INTO agent_messages (id, session_id, role, content, created_at, parts)
    VALUES (8, 5, 'assistant', '[Using tools]', 1700000000001,
            '[{"type":"tool_call","id":"c","name":"grep","arguments":"{}"}]');
INSERT INTO agent_tool_calls (id, session_id, message_id, tool_call_id, tool_name, request, status,
                              created_at)
    VALUES (9, 5, 8, 'c', 'grep', '{}', 'waiting', 1700000000001);
)sql";

}  // namespace wright::store
