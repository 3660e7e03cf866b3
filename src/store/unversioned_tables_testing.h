// The agent tables as they were before they carried a version, for tests that upgrade them.
#pragma once

namespace wright::store {

inline constexpr const char* kUnversionedTables = R"sql(
CREATE TABLE IF NOT EXISTS agent_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_name TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    system_prompt TEXT,
    user_prompt TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'completed', 'failed')),
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    result TEXT,
    error TEXT
);
CREATE TABLE IF NOT EXISTS agent_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    FOREIGN KEY (session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE
);
CREATE TABLE IF NOT EXISTS agent_tool_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL,
    message_id INTEGER,
    tool_call_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    request TEXT NOT NULL,
    response TEXT,
    status TEXT NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'executing', 'completed', 'failed')),
    created_at INTEGER NOT NULL,
    completed_at INTEGER,
    execution_time_ms INTEGER,
    error_details TEXT,
    FOREIGN KEY (session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE,
    FOREIGN KEY (message_id) REFERENCES agent_messages (id) ON DELETE SET NULL
);
CREATE INDEX IF NOT EXISTS idx_agent_messages_session_created
    ON agent_messages(session_id, created_at);
CREATE INDEX IF NOT EXISTS idx_agent_tool_calls_session ON agent_tool_calls(session_id);
CREATE INDEX IF NOT EXISTS idx_agent_tool_calls_status ON agent_tool_calls(session_id, status);
)sql";

// Ids with gaps, times in seconds, and a highest session that was deleted.
inline constexpr const char* kUnversionedRows = R"sql(
INSERT INTO agent_sessions VALUES
    (3, 'codebase-analysis', 'zai', 'glm-4.6', 'Be brief', 'Where?', 'completed', 1700000000,
     1700000009, 'There', NULL),
    (7, 'codebase-analysis', 'zai', 'glm-4.6', NULL, 'And this?', 'running', 1700000100, NULL, NULL,
     NULL),
    (9, 'deleted', 'zai', 'glm-4.6', NULL, 'x', 'failed', 1700000100, NULL, NULL, 'broken');
DELETE FROM agent_sessions WHERE id = 9;
INSERT INTO agent_messages VALUES
    (11, 3, 'user', 'Where?', 1700000001),
    (12, 3, 'assistant', '[Using tools]', 1700000002),
    (15, 3, 'tool', 'Tool grep result:' || char(10) || '{}', 1700000003);
INSERT INTO agent_tool_calls VALUES
    (21, 3, 12, 'call_1', 'grep', '{"pattern":"x"}', '{"matches":[]}', 'completed', 1700000002,
     1700000003, 15, NULL),
    (22, 7, NULL, 'call_2', 'bash', '{"command":"ls"}', NULL, 'executing', 1700000102, NULL, NULL,
     NULL);
)sql";

}  // namespace wright::store
