// The tables of an index.
#pragma once

namespace wright::entities {

inline constexpr int kIndexVersion = 2;

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
-- Another number after each change, and in each file that is made.
INSERT INTO fact (name, value) VALUES ('generation', abs(random() / 2));
)sql";

// Those with the place answer in the order of files and lines without sorting, and the last columns
// of entity_by_place are there to be looked at on the way.
inline constexpr const char* kIndexIndexes = R"sql(
CREATE INDEX IF NOT EXISTS entity_by_place
  ON entity (type, file, start_line, name, language, visibility);
CREATE INDEX IF NOT EXISTS entity_by_time
  ON entity (type, last_modified DESC, file, start_line, name);
CREATE INDEX IF NOT EXISTS entity_by_line_count ON entity (type, line_count);
CREATE INDEX IF NOT EXISTS entity_by_method_count ON entity (type, method_count);
CREATE INDEX IF NOT EXISTS entity_by_name ON entity (name, type);
CREATE INDEX IF NOT EXISTS entity_by_type_and_name ON entity (type, name);
CREATE INDEX IF NOT EXISTS entity_by_parent
  ON entity (parent, type, name, parameters, file_id, parent_is_here);
CREATE INDEX IF NOT EXISTS entity_with_methods ON entity (qualified_name)
  WHERE type IN ('class', 'struct', 'interface', 'trait', 'enum', 'union', 'object', 'module');
)sql";

// Definitions in other files than the class (C++, Go, Rust) belong to every class of that name. A
// declaration and its definition count once, by name and number of parameters. The types are those
// of entity_with_methods and of may_have_methods().
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
DROP INDEX IF EXISTS entity_by_type_and_name;
DROP INDEX IF EXISTS entity_by_parent;
DROP INDEX IF EXISTS entity_with_methods;
)sql";

}  // namespace wright::entities
