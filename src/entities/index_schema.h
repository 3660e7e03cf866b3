// The tables of an index.
#pragma once

namespace wright::entities {

inline constexpr int kIndexVersion = 1;

inline constexpr const char* kIndexTables = R"sql(
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  is_settled INTEGER NOT NULL,
  last_modified INTEGER NOT NULL  -- of its entities, milliseconds since 1970
);
CREATE TABLE committed (
  key TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  committed_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE entity (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  qualified_name TEXT NOT NULL,
  file TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  line_count INTEGER NOT NULL,
  language TEXT,
  signature TEXT,
  last_modified INTEGER NOT NULL DEFAULT 0,
  visibility TEXT,
  parent TEXT,
  parent_is_here INTEGER NOT NULL,
  kind TEXT NOT NULL,
  parameters INTEGER NOT NULL,
  documentation TEXT
);
CREATE VIRTUAL TABLE words USING fts5(
  name, signature, documentation, path, tokenize = 'porter unicode61', detail = column,
  content = ''
);
CREATE INDEX entity_by_file ON entity (file_id);
)sql";

inline constexpr const char* kIndexIndexes = R"sql(
CREATE INDEX IF NOT EXISTS entity_by_line_count ON entity (type, line_count);
CREATE INDEX IF NOT EXISTS entity_by_name ON entity (name, type);
CREATE INDEX IF NOT EXISTS entity_by_type_and_name ON entity (type, name);
CREATE INDEX IF NOT EXISTS entity_by_time ON entity (type, last_modified);
CREATE INDEX IF NOT EXISTS entity_by_language ON entity (type, language);
CREATE INDEX IF NOT EXISTS entity_by_parent ON entity (parent, type, name, parameters);
)sql";

inline constexpr const char* kDropIndexIndexes = R"sql(
DROP INDEX IF EXISTS entity_by_line_count;
DROP INDEX IF EXISTS entity_by_name;
DROP INDEX IF EXISTS entity_by_type_and_name;
DROP INDEX IF EXISTS entity_by_time;
DROP INDEX IF EXISTS entity_by_language;
DROP INDEX IF EXISTS entity_by_parent;
)sql";

}  // namespace wright::entities
