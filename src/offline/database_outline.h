// What a database is made of, as sqlite_reader tells it, and how its rows are shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  std::vector<DatabaseColumn> columns = {};  // of views and virtual tables, none at first
};

struct DatabaseOutline {
  std::vector<DatabaseTable> tables;  // views, too; by name
  std::int64_t size_bytes = 0;
  bool is_truncated = false;
};

// The SELECT whose answer read_outline() takes: a row for each column of each table, and one for
// each view and each virtual table.
extern const std::string_view kColumnsQuery;

// Fills in the columns of one table or view, as `reflect` with `table_info` tells them.
void read_columns(DatabaseOutline& outline, std::string_view table, const Json& info);

// Whether an answer of sqlite_reader has rows, and whether it left some out.
bool has_rows(const Json& answer);
bool is_truncated(const Json& answer);

// The texts in the first two columns of the first row; empty when there is none.
std::pair<std::string, std::string> first_texts(const Json& answer);

// Reading never fails: what is absent or of another type is left out.
DatabaseOutline read_outline(const Json& columns, const Json& stats);

// An SQL identifier.
std::string quoted_name(std::string_view name);

// Rows in the shape of sqlite_reader as a Markdown table of at most `most` rows.
std::string markdown_table(const Json& answer, std::size_t most);

}  // namespace wright::offline
