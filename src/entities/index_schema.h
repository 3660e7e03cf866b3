// The tables of an index.
#pragma once

namespace wright::entities {

inline constexpr int kIndexVersion = 6;

inline constexpr const char* kIndexTables = R"sql(
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,  -- moves on when a copy keeps the time of its original
  number INTEGER NOT NULL,      -- of the file in its file system
  is_settled INTEGER NOT NULL,
  last_modified INTEGER NOT NULL, -- of its entities, milliseconds since 1970
  entities INTEGER NOT NULL       -- how many it has
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
  documentation TEXT,
  method_count INTEGER NOT NULL DEFAULT 0
);
-- How many entities there are of each kind, so that nobody has to count them.
CREATE TABLE tally (
  type TEXT NOT NULL,
  language TEXT,
  visibility TEXT,
  entities INTEGER NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5(
  name, signature, documentation, path, type, tokenize = 'porter unicode61', detail = column,
  content = ''
);
-- What texts mean to the model that the fact 'embeddings' names: the direction of a vector, a
-- signed byte for each dimension. Kept by the hash of the text, so that what moves is not asked for
-- again.
CREATE TABLE vector (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  direction BLOB NOT NULL
);
CREATE TABLE meaning (entity_id INTEGER PRIMARY KEY, vector_id INTEGER NOT NULL);
CREATE INDEX entity_by_file ON entity (file_id);
CREATE INDEX file_by_time ON file (last_modified, entities);
-- Another number after each change, and in each file that is made.
INSERT INTO fact (name, value) VALUES ('generation', abs(random() / 2));
)sql";

// Those with the place (file, start_line, name) answer in its order without sorting, and the last
// columns of entity_by_place are there to be looked at on the way.
inline constexpr const char* kIndexIndexes = R"sql(
CREATE INDEX IF NOT EXISTS entity_by_place
  ON entity (type, file, start_line, name, language, visibility);
CREATE INDEX IF NOT EXISTS entity_by_time
  ON entity (type, last_modified DESC, file, start_line, name);
CREATE INDEX IF NOT EXISTS entity_by_line_count
  ON entity (type, line_count DESC, file, start_line, name);
CREATE INDEX IF NOT EXISTS entity_by_name ON entity (name, type);
CREATE INDEX IF NOT EXISTS entity_by_parent
  ON entity (parent, type, name, parameters, file_id, parent_is_here);
)sql";

// Made when methods have been counted. By its last column, classes are found to count them again.
inline constexpr const char* kMethodCountIndex = R"sql(
CREATE INDEX IF NOT EXISTS entity_by_method_count
  ON entity (type, method_count DESC, file, start_line, name, qualified_name);
)sql";

// What ANALYZE would say about a large code base: many entities of a type, few of a name. Said once
// and for all, so that a query is planned alike whatever the code.
inline constexpr const char* kIndexStatistics = R"sql(
ANALYZE fact;
DELETE FROM sqlite_stat1;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('entity', 'entity_by_file', '200000 20'),
  ('entity', 'entity_by_place', '200000 20000 20 1 1 1 1'),
  ('entity', 'entity_by_time', '200000 20000 2000 20 1 1'),
  ('entity', 'entity_by_line_count', '200000 20000 500 10 1 1'),
  ('entity', 'entity_by_method_count', '200000 20000 5000 10 1 1 1'),
  ('entity', 'entity_by_name', '200000 3 2'),
  ('entity', 'entity_by_parent', '200000 10 8 1 1 1 1');
ANALYZE sqlite_schema;
)sql";

// Definitions in other files than the class (C++, Go, Rust) belong to every class of that name. A
// declaration and its definition count once, by name and number of parameters. The types are those
// of may_have_methods().
inline constexpr const char* kCountMethods = R"sql(
UPDATE entity SET method_count = (
  SELECT count(DISTINCT m.name || '/' || m.parameters) FROM entity m
  WHERE m.parent = entity.qualified_name AND m.type IN ('method', 'prototype')
    AND (m.file_id = entity.file_id OR m.parent_is_here = 0))
WHERE type IN ('class', 'struct', 'interface', 'trait', 'enum', 'union', 'object', 'module')
)sql";

inline constexpr const char* kDropIndexIndexes = R"sql(
DROP INDEX IF EXISTS entity_by_place;
DROP INDEX IF EXISTS entity_by_time;
DROP INDEX IF EXISTS entity_by_line_count;
DROP INDEX IF EXISTS entity_by_method_count;
DROP INDEX IF EXISTS entity_by_name;
DROP INDEX IF EXISTS entity_by_parent;
)sql";

}  // namespace wright::entities
