#include "tools/sqlite/reader_suggestions.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>

#include "core/nearest.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::size_t kMostTables = 1000;
constexpr std::size_t kMostColumns = 2000;
constexpr std::size_t kMostNamed = 20;

// The texts of the first column, as far as they can be read.
std::vector<std::string> texts(ReadOnlyDatabase& database,
                               Result<sqlite::StatementHandle> statement, std::size_t most) {
  std::vector<std::string> found;
  if (!statement) return found;
  while (found.size() < most) {
    const auto stepped = database.step(statement->get());
    if (!stepped || *stepped == ReadOnlyDatabase::Stepped::done) break;
    const auto text = sqlite::Row(statement->get()).optional_text(0);
    if (text) found.push_back(to_valid_utf8(*text));
  }
  return found;
}

std::vector<std::string> column_names(ReadOnlyDatabase& database, const std::string& table) {
  auto statement =
      database.prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid");
  if (statement) sqlite::bind_copy(statement->get(), 1, table);
  return texts(database, std::move(statement), kMostColumns);
}

std::string listed(const std::vector<std::string>& names) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(kMostNamed, names.size()));
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "),
                     names.size() > kMostNamed ? ", …" : "");
}

// "; did you mean 'a'?", "; there is a, b", or nothing.
std::string instead_of(const std::string& typed, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  std::string suggestion = did_you_mean(typed, candidates);
  if (suggestion.empty() && !names.empty()) suggestion = "; there is " + listed(names);
  return suggestion;
}

std::optional<std::string> behind(const std::string& message, std::string_view words) {
  const std::size_t at = message.find(words);
  if (at == std::string::npos) return std::nullopt;
  return message.substr(at + words.size());
}

std::string behind_last_dot(const std::string& name) {
  return name.substr(name.rfind('.') + 1);  // npos + 1 is the beginning
}

bool mentions(const std::string& sql, const std::string& table) {
  return RE2::PartialMatch(
      sql, RE2(fmt::format(R"((?i)(^|[^\w.]){}($|\W))", RE2::QuoteMeta(table)), RE2::Quiet));
}

// "; did you mean 'Name'?", or the columns of the tables that the query mentions.
std::string columns_instead(const std::string& typed, ReadOnlyDatabase& database,
                            const std::string& sql) {
  constexpr std::size_t kMostMentioned = 5;
  std::vector<std::string> all;
  std::string told;
  std::size_t mentioned = 0;
  for (const std::string& table : table_names(database)) {
    if (mentioned == kMostMentioned || !mentions(sql, table)) continue;
    ++mentioned;
    const std::vector<std::string> columns = column_names(database, table);
    if (columns.empty()) continue;
    told += fmt::format("; {} has {}", table, listed(columns));
    all.insert(all.end(), columns.begin(), columns.end());
  }
  const std::vector<std::string_view> candidates(all.begin(), all.end());
  const std::string near = did_you_mean(behind_last_dot(typed), candidates);
  return near.empty() ? told : near;
}

bool is_other_dialect(const std::string& sql) {
  static const RE2 kOther(R"((?i)^\s*(show|describe|desc|use|help)\b|^\s*[.\\]\w)");
  return RE2::PartialMatch(sql, kOther);
}

}  // namespace

std::vector<std::string> table_names(ReadOnlyDatabase& database) {
  return texts(
      database,
      database.prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND "
                       "substr(name, 1, 7) <> 'sqlite_'"),
      kMostTables);
}

Error unknown_table(ReadOnlyDatabase& database, const std::string& table) {
  return {ErrorCode::not_found,
          to_valid_utf8(fmt::format("There is no table or view '{}'{}", table,
                                    instead_of(table, table_names(database)))),
          {}};
}

Error with_suggestion(Error error, ReadOnlyDatabase& database, const std::string& sql) {
  if (const auto table = behind(error.message, "no such table: ")) {
    error.message += instead_of(behind_last_dot(*table), table_names(database));
  } else if (const auto column = behind(error.message, "no such column: ")) {
    error.message += columns_instead(*column, database, sql);
  } else if (is_other_dialect(sql) && error.message.ends_with("syntax error")) {
    error.message += "; mode reflect tells the tables, their columns and more";
  }
  return error;
}

}  // namespace wright::tools
