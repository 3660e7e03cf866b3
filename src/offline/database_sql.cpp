#include "offline/database_sql.h"

#include <fmt/format.h>

#include <algorithm>

#include "offline/markdown.h"

namespace wright::offline {
namespace {

using Kind = DatabaseQuestion::Kind;

std::string quoted_text(std::string_view text) {
  std::string made = "'";
  for (const char c : text) made.append(c == '\'' ? 2 : 1, c);
  return made + "'";
}

bool is_plain_number(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; }) &&
         std::ranges::count(text, '.') <= 1 && text != ".";
}

std::string condition_sql(const DatabaseCondition& condition) {
  const std::string column = quoted_name(condition.column->name);
  if (condition.comparison == "IS") return column + " IS NULL";
  // A column without a type compares a number with a text by their kind, not by what they say.
  const bool is_number = is_plain_number(condition.value) && !is_text(*condition.column);
  return fmt::format("{} {} {}{}", column, condition.comparison,
                     is_number ? condition.value : quoted_text(condition.value),
                     is_number ? "" : " COLLATE NOCASE");
}

std::string where(const DatabaseQuestion& question) {
  std::string made;
  for (const DatabaseCondition& condition : question.conditions) {
    made += fmt::format("{} {}", made.empty() ? " WHERE" : " AND", condition_sql(condition));
  }
  return made;
}

std::string where_in_words(const DatabaseQuestion& question) {
  std::string made;
  for (const DatabaseCondition& condition : question.conditions) {
    const bool is_plain = condition.comparison == "=" || condition.comparison == "IS";
    made += fmt::format("{} {} {} {}", made.empty() ? " whose" : " and",
                        code_span(condition.column->name), is_plain ? "is" : condition.comparison,
                        code_span(condition.value));
  }
  return made;
}

}  // namespace

std::string sql_for(const DatabaseQuestion& question) {
  const std::string table = quoted_name(question.table->name);
  const std::string from = " FROM " + table + where(question);
  const std::string limit = question.limit ? fmt::format(" LIMIT {}", *question.limit) : "";
  const std::string group = question.group == nullptr ? "" : quoted_name(question.group->name);
  const std::string measure =
      question.measure == nullptr ? "" : quoted_name(question.measure->name);
  const char* direction = question.is_descending ? "DESC" : "ASC";
  switch (question.kind) {
    case Kind::count: return "SELECT count(*)" + from;
    case Kind::distinct_count: return fmt::format("SELECT count(DISTINCT {}){}", group, from);
    case Kind::values:
      return fmt::format("SELECT {}, count(*) AS count{} GROUP BY 1 ORDER BY 2 DESC, 1{}", group,
                         from, limit);
    case Kind::aggregate:
      if (question.group == nullptr) {
        return fmt::format("SELECT {}({}){}", question.function, measure, from);
      }
      return fmt::format("SELECT {0}, {1}({2}) AS {1}{3} GROUP BY 1 ORDER BY 2 DESC, 1{4}", group,
                         question.function, measure, from, limit);
    case Kind::extreme: {
      // NULL is smaller than everything, and is not what anybody calls the smallest.
      const std::string known = fmt::format(
          "{}{} IS NOT NULL", question.conditions.empty() ? " WHERE " : " AND ", measure);
      return fmt::format("SELECT *{}{} ORDER BY {} {} LIMIT {}", from, known, measure, direction,
                         question.limit.value_or(1));
    }
    default: return fmt::format("SELECT *{}{}", from, limit);
  }
}

std::string lead_for(const DatabaseQuestion& question) {
  const std::string table = code_span(question.table->name) + where_in_words(question);
  const std::string group = question.group == nullptr ? "" : code_span(question.group->name);
  const std::string measure = question.measure == nullptr ? "" : code_span(question.measure->name);
  const std::string_view function = question.function == "avg"   ? "Average"
                                    : question.function == "sum" ? "Sum"
                                    : question.function == "max" ? "Maximum"
                                                                 : "Minimum";
  switch (question.kind) {
    case Kind::count: return fmt::format("Rows of {}", table);
    case Kind::distinct_count: return fmt::format("Different values of {} in {}", group, table);
    case Kind::values: return fmt::format("The most frequent values of {} in {}", group, table);
    case Kind::aggregate:
      return fmt::format(
          "{} of {} in {}{}", function, measure, table,
          group.empty() ? "" : fmt::format(" for each {}, the largest first", group));
    case Kind::extreme:
      return fmt::format("The {} of {} with the {} {}",
                         question.limit.value_or(1) == 1 ? "row" : "rows", table,
                         question.is_descending ? "largest" : "smallest", measure);
    default: return fmt::format("Rows of {}", table);
  }
}

std::string sql_to_find(const DatabaseTable& table, const std::vector<std::string>& texts) {
  constexpr std::size_t kMostColumns = 40;
  std::string sql;
  for (const std::string& text : texts) {
    for (std::size_t i = 0; i < std::min(table.columns.size(), kMostColumns); ++i) {
      const std::string& column = table.columns[i].name;
      sql += fmt::format(
          "{}SELECT {}, {} WHERE EXISTS (SELECT 1 FROM {} WHERE {} = {} COLLATE NOCASE)",
          sql.empty() ? "" : " UNION ALL ", quoted_text(column), quoted_text(text),
          quoted_name(table.name), quoted_name(column), quoted_text(text));
    }
  }
  return sql;
}

}  // namespace wright::offline
