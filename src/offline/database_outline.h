// What a database is made of, as sqlite_reader tells it, and which of its names a prompt mentions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/json.h"

namespace wright::offline {

struct DatabaseColumn {
  std::string name;
  std::string type;
  bool is_key = false;
};

struct DatabaseTable {
  std::string name;
  bool is_view = false;
  std::optional<std::int64_t> rows = {};     // unknown for views
  std::vector<DatabaseColumn> columns = {};  // of views, none
};

struct DatabaseOutline {
  std::vector<DatabaseTable> tables;  // views, too; by name
  std::int64_t size_bytes = 0;
  bool is_truncated = false;
};

// The SELECT whose answer read_outline() takes: a row for each column of each table, and for each
// view.
extern const std::string_view kColumnsQuery;

// Reading never fails: what is absent or of another type is left out.
DatabaseOutline read_outline(const Json& columns, const Json& stats);

// An SQL identifier.
std::string quoted_name(std::string_view name);

// The table, or the column, that the prompt speaks of; null when it names none. The longest name
// wins, one in quotes before all others.
const DatabaseTable* mentioned_table(const DatabaseOutline& outline, std::string_view prompt);
const DatabaseColumn* mentioned_column(const DatabaseTable& table, std::string_view prompt);

// Rows in the shape of sqlite_reader as a Markdown table of at most `most` rows.
std::string markdown_table(const Json& answer, std::size_t most);

}  // namespace wright::offline
