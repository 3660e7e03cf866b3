// The tables as programs of version 8 wrote them, before there were tenants and paces.
#pragma once

namespace wright::store {

inline constexpr const char* kTablesOfVersion8 = R"sql(
CREATE TABLE agent_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_name TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    system_prompt TEXT,
    user_prompt TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'running'
        CHECK (status IN ('running', 'completed', 'failed', 'waiting', 'cancelled', 'queued')),
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
    parent_call_id INTEGER,
    forked_from INTEGER,
    runner_id INTEGER,
    lease_epoch INTEGER NOT NULL DEFAULT 0,
    feedback TEXT,
    context TEXT,
    error_code TEXT,
    limit_reached TEXT,
    worked_ms INTEGER,
    turn_worked_ms INTEGER,
    cancel_reason TEXT,
    priority INTEGER NOT NULL DEFAULT 0,
    ready_at INTEGER, labels TEXT,
    FOREIGN KEY (parent_session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE
);
CREATE INDEX idx_agent_sessions_parent ON agent_sessions (parent_session_id);
CREATE INDEX idx_agent_sessions_running ON agent_sessions (runner_id)
    WHERE status = 'running';
CREATE INDEX idx_agent_sessions_queued ON agent_sessions (agent_name, priority DESC, id)
    WHERE status = 'queued';
CREATE INDEX idx_agent_sessions_cancel ON agent_sessions (id) WHERE cancel_reason IS NOT NULL;
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
    result TEXT,
    has_news INTEGER NOT NULL DEFAULT 0,
    FOREIGN KEY (session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE,
    FOREIGN KEY (message_id) REFERENCES agent_messages (id) ON DELETE SET NULL
);
CREATE INDEX idx_agent_messages_session_created ON agent_messages (session_id, created_at);
CREATE INDEX idx_agent_tool_calls_session ON agent_tool_calls (session_id);
CREATE INDEX idx_agent_tool_calls_status ON agent_tool_calls (session_id, status);
CREATE INDEX idx_agent_tool_calls_message ON agent_tool_calls (message_id);
CREATE INDEX idx_agent_tool_calls_news ON agent_tool_calls (session_id) WHERE has_news = 1;
CREATE TABLE agent_schema (version INTEGER NOT NULL);
CREATE TABLE agent_waits (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL,
    call_id INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('question', 'approval', 'result')),
    shown TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'open'
        CHECK (status IN ('open', 'answered', 'expired', 'cancelled')),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    answered_at INTEGER,
    answered_by TEXT,
    answer TEXT, covers TEXT,
    FOREIGN KEY (session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE
);
CREATE TABLE agent_runners (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    expires_at INTEGER NOT NULL
, boot_id TEXT, boot_expires_at INTEGER);
CREATE INDEX idx_agent_waits_session ON agent_waits (session_id);
CREATE UNIQUE INDEX idx_agent_waits_open ON agent_waits (call_id) WHERE status = 'open';
CREATE INDEX idx_agent_waits_call ON agent_waits (call_id);
CREATE INDEX idx_agent_waits_due ON agent_waits (expires_at) WHERE status = 'open';
CREATE TABLE agent_queues (
    agent_name TEXT NOT NULL PRIMARY KEY,
    served INTEGER NOT NULL
);
CREATE TABLE agent_events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    at INTEGER NOT NULL,
    FOREIGN KEY (session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE
);
CREATE INDEX idx_agent_events_session ON agent_events (session_id);
CREATE TABLE agent_records (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    UNIQUE (kind, key)
);
CREATE INDEX idx_agent_records_due ON agent_records (kind, due_at);
INSERT INTO agent_schema (version) VALUES (8);
)sql";

}  // namespace wright::store
