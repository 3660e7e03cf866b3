// What a database is made of, as sqlite_reader tells it, and how its rows are shown.
#pragma once

#include <array>
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
  std::string table = {};
};

// A column that is declared to refer to one of another table.
struct ForeignKey {
  std::string table;
  std::string column;
  std::string other_table;
  std::string other_column;
};

struct DatabaseTable {
  std::string name;
  bool is_view = false;
  std::optional<std::int64_t> rows = {};     // unknown for views
  std::vector<DatabaseColumn> columns = {};  // of views and virtual tables, none at first
};

struct DatabaseOutline {
  std::vector<DatabaseTable> tables;  // views, too; by name
  std::vector<ForeignKey> keys = {};  // of one column; longer ones are left out
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

// The texts in the first three columns of each row, for those that have them.
std::vector<std::array<std::string, 3>> texts_of(const Json& answer);

// Reading never fails: what is absent or of another type is left out.
DatabaseOutline read_outline(const Json& columns, const Json& stats, const Json& keys);

// An SQL identifier.
std::string quoted_name(std::string_view name);

// Rows in the shape of sqlite_reader as a Markdown table of at most `most` rows.
std::string markdown_table(const Json& answer, std::size_t most);

}  // namespace wright::offline
