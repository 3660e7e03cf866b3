// Copies the rows of all agent tables from one database to another, whichever they are, with their
// numbers, and compares them. Who drives sessions is not copied.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/unfinished_copy.h"
#include "wright/store.h"

namespace wright::postgres {

struct CopiedTable {
  std::string_view name;
  std::string_view key;  // rows are read and compared in its order
  std::vector<std::string_view> columns;
};
bool gives_numbers(const CopiedTable& table);
// In an order in which every row comes after those that it refers to.
const std::vector<CopiedTable>& copied_tables();

using CopiedRow = std::vector<std::optional<std::string>>;  // by the table's columns

// One of the two databases.
class TableStore {
 public:
  virtual ~TableStore() = default;
  // In the order of the key, those behind `after`; all from the beginning without it.
  virtual Result<std::vector<CopiedRow>> read(const CopiedTable& table,
                                              const std::optional<std::string>& after,
                                              std::size_t most) = 0;
  // All of them, or none.
  virtual Result<void> write(const CopiedTable& table, const std::vector<CopiedRow>& rows) = 0;
  // The key of the last row.
  virtual Result<std::optional<std::string>> last_key(const CopiedTable& table) = 0;
  // The highest number that a row ever had, also one that is gone; 0: none had one. Only of tables
  // that give numbers to their rows.
  virtual Result<std::int64_t> last_number(const CopiedTable& table) = 0;
  // New rows get numbers behind this one, and behind all that were given before.
  virtual Result<void> go_on_behind(const CopiedTable& table, std::int64_t number) = 0;
  // As long as it is unfinished, nobody opens the store.
  virtual Result<void> mark(store::CopyState state) = 0;
};

// The tables must be there.
Result<std::unique_ptr<TableStore>> open_sqlite_tables(const std::filesystem::path& file);
Result<std::unique_ptr<TableStore>> open_postgres_tables(const std::string& place,
                                                         const std::string& schema);

// Whether a copy was begun there and not finished: open_sqlite_tables() and open_postgres_tables()
// open it all the same, and nobody else does.
Result<bool> is_unfinished_sqlite(const std::filesystem::path& file);
Result<bool> is_unfinished_postgres(const std::string& place, const std::string& schema);

// Whether both lead to the same database, by whatever names.
Result<bool> is_same_postgres(const std::string& one, const std::string& other);

struct CopyProgress {
  std::string_view table;
  std::int64_t rows = 0;  // copied now
};

// Goes on where an interrupted copy ended. Refuses (ErrorCode::already_exists) when what is in the
// target is not the beginning of what is in the source. From before the first row until all of them
// were compared, the target is an unfinished copy.
Result<std::vector<CopyProgress>> copy_tables(TableStore& from, TableStore& to,
                                              const std::function<void(const CopyProgress&)>& tell);

}  // namespace wright::postgres
