#include "tools/sqlite/reader_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/try.h"
#include "tools/output/output_budget.h"

namespace wright::tools {
namespace {

constexpr std::size_t kShownBlobBytes = 32;

std::string blob_text(std::span<const unsigned char> bytes) {
  const auto shown = bytes.first(std::min(bytes.size(), kShownBlobBytes));
  return fmt::format("x'{:02x}{}' ({} {})", fmt::join(shown, ""),
                     shown.size() < bytes.size() ? "…" : "", bytes.size(),
                     bytes.size() == 1 ? "byte" : "bytes");
}

std::string cut_text(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return to_valid_utf8(std::string(text));
  return fmt::format("{}… ({} bytes in all)",
                     to_valid_utf8(std::string(utf8_prefix(text, longest))), text.size());
}

Json real(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

// The bytes that a cell takes in JSON text, with the comma behind it.
std::size_t size_of(const Json& value) {
  constexpr std::size_t kLongestNumber = 24;
  return value.is_string() ? json_size(value.get_string()) + 1 : kLongestNumber;
}

}  // namespace

Json cell(const sqlite::Row& row, int column, std::size_t longest) {
  sqlite3_stmt* statement = row.statement();
  const auto length = [&] {
    return static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
  };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT: return real(sqlite3_column_double(statement, column));
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      if (text == nullptr) return nullptr;  // no memory to convert it from UTF-16
      return Json(cut_text({text, length()}, longest));
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, column));
      return Json(blob_text({bytes, bytes == nullptr ? 0 : length()}));
    }
    default: return nullptr;
  }
}

Result<JsonObject> read_rows(ReadOnlyDatabase& database, sqlite3_stmt* statement,
                             const RowLimits& limits) {
  const int count = sqlite3_column_count(statement);
  OutputBudget budget;
  JsonArray columns;
  for (int i = 0; i < count; ++i) {
    const char* name = sqlite3_column_name(statement, i);
    columns.emplace_back(cut_text(name == nullptr ? "" : name, limits.cell_bytes));
    if (budget.take(size_of(columns.back()))) continue;
    return fail(ErrorCode::limit_reached,
                fmt::format("The names of the {} columns are more than a model can read; name the "
                            "columns that matter",
                            count));
  }
  JsonArray rows;
  std::string note;
  while (true) {
    const auto stepped = TRY(database.step(statement));
    if (stepped == ReadOnlyDatabase::Stepped::done) break;
    if (rows.size() == limits.rows) {
      note = fmt::format("Only the first {} rows are shown; raise limit, or use LIMIT and OFFSET",
                         rows.size());
      break;
    }
    JsonArray row;
    std::size_t bytes = 3;
    for (int i = 0; i < count; ++i) {
      row.push_back(cell(sqlite::Row(statement), i, limits.cell_bytes));
      bytes += size_of(row.back());
    }
    if (!budget.take(bytes)) {
      note = fmt::format(
          "Only {} rows fit into the answer; select fewer columns, or use LIMIT and OFFSET",
          rows.size());
      break;
    }
    rows.push_back(std::move(row));
  }
  JsonObject made{{"columns", std::move(columns)},
                  {"rows", std::move(rows)},
                  {"row_count", 0},
                  {"truncated", !note.empty()}};
  made["row_count"] = made["rows"].get_array().size();
  if (!note.empty()) made["note"] = note;
  return made;
}

}  // namespace wright::tools
