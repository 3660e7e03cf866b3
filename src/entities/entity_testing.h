// For tests of this folder: a tree of files with its index, and ways to ask about it as a model
// does.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

#include "entities/code_index.h"
#include "tools/temporary_folder_testing.h"
#include "wright/tools.h"

namespace wright::entities {

// 2025-06-15T12:00:00Z
inline constexpr std::int64_t kNoon = 1'749'988'800'000;

// Answers as a model reads them, or "code: message".
inline Json asked(const std::vector<Tool>& tools, std::string_view name,
                  std::string_view arguments) {
  const auto answer = tools::call(tools, name, arguments);
  if (answer) return *answer;
  return Json(fmt::format("{}: {}", to_string(answer.error().code), answer.error().message));
}

// One field of each entity of an answer.
inline std::vector<std::string> each(const Json& answer, std::string_view field) {
  std::vector<std::string> made;
  if (!answer.is_object()) return {std::string(answer.as_string())};
  for (const Json& entity : answer.at("entities").as_array()) {
    const Json* value = entity.as_object().if_contains(field);
    made.push_back(value == nullptr     ? "(none)"
                   : value->is_string() ? std::string(value->get_string())
                                        : to_text(*value));
  }
  return made;
}

class CodeTree {
 public:
  CodeTree() : CodeTree(kNoon) {}
  explicit CodeTree(std::int64_t now) : now_(now) {}

  const TemporaryFolder& files() const { return files_; }
  const std::filesystem::path& index_folder() const { return index_.path(); }

  CodeIndexOptions options() const {
    CodeIndexOptions made;
    made.base = files_.path();
    made.folder = index_.path();
    made.clock = [now = now_] { return now; };
    made.recheck_after = std::chrono::milliseconds(0);
    return made;
  }

  const std::vector<Tool>& tools() {
    if (tools_.empty()) tools_ = code_entity_tools(options()).value();
    return tools_;
  }

  Json ask(std::string_view name, std::string_view arguments) {
    return asked(tools(), name, arguments);
  }

 private:
  TemporaryFolder files_;
  TemporaryFolder index_;
  std::int64_t now_;
  std::vector<Tool> tools_;
};

// The rows that a query gives, a text for each.
inline std::vector<std::string> rows_of(sqlite3* database, const char* sql) {
  std::vector<std::string> rows;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(database, sql, -1, &statement, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    std::string row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
      row += fmt::format("{}|", text == nullptr ? "" : text);
    }
    rows.push_back(std::move(row));
  }
  sqlite3_finalize(statement);
  return rows;
}

// Everything that an index knows about entities, but for the numbers that it gave them. What it
// counted is checked on the way.
inline std::vector<std::string> contents_of(const std::filesystem::path& index) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open_v2(index.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  EXPECT_EQ(
      rows_of(database, "SELECT type, language, visibility, entities FROM tally ORDER BY 1, 2, 3"),
      rows_of(database,
              "SELECT type, language, visibility, count(*) FROM entity GROUP BY 1, 2, 3 "
              "ORDER BY 1, 2, 3"));
  EXPECT_EQ(rows_of(database,
                    "SELECT id, last_modified, entities FROM file WHERE entities > 0 "
                    "ORDER BY 1"),
            rows_of(database,
                    "SELECT file_id, last_modified, count(*) FROM entity "
                    "GROUP BY 1, 2 ORDER BY 1"));
  std::vector<std::string> rows =
      rows_of(database,
              "SELECT f.key, f.hash, f.last_modified, e.type, e.name, e.qualified_name, e.file, "
              "e.start_line, e.end_line, e.line_count, e.language, e.signature, e.last_modified, "
              "e.visibility, e.parent, e.parent_is_here, e.kind, e.documentation, e.method_count, "
              "(SELECT count(*) FROM words WHERE words.rowid = e.id) "
              "FROM entity e JOIN file f ON f.id = e.file_id ORDER BY 1, 8, 9, 5, 4, 12");
  sqlite3_close(database);
  return rows;
}

}  // namespace wright::entities
