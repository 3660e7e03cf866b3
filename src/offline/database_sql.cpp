#include "offline/database_sql.h"

#include <fmt/format.h>

#include <algorithm>

#include "offline/markdown.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

using Kind = DatabasePrompt::Kind;

std::string quoted_text(std::string_view text) {
  std::string made = "'";
  for (const char c : text) made.append(c == '\'' ? 2 : 1, c);
  return made + "'";
}

bool is_plain_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; }) &&
         std::ranges::count(text, '.') <= 1 && text != ".";
}

std::string is_no_number_sql(const DatabaseColumn& column) {
  return fmt::format(
      "{0} IS NOT NULL AND typeof({0}) NOT IN ('integer', 'real') AND (typeof({0}) = 'blob' OR "
      "ltrim(trim({0}), '-+') IN ('', '.') OR {0} LIKE '%.%.%' OR ltrim(trim({0}), '-+') GLOB "
      "'*[^0-9.]*')",
      quoted_name(column.name));
}

// A column, with its table where two are joined.
std::string column_sql(const DatabasePrompt& question, const DatabaseColumn& column) {
  if (question.join == nullptr) return quoted_name(column.name);
  return quoted_name(column.table) + "." + quoted_name(column.name);
}

// Likewise, as a number where it is one that is stored as text.
std::string compared_sql(const DatabasePrompt& question, const DatabaseColumn& column) {
  const std::string plain = column_sql(question, column);
  const bool is_number_in_text =
      std::ranges::find(question.numbers_in_text, &column) != question.numbers_in_text.end();
  return is_number_in_text ? fmt::format("CAST({} AS NUMERIC)", plain) : plain;
}

bool has_order(const DatabaseCondition& condition) {
  const std::string& sign = condition.comparison;
  return sign != "<>" && (sign.starts_with('<') || sign.starts_with('>'));
}

// How much of an ISO date makes the period.
int length_of_period(std::string_view period) {
  return period == "year" ? 4 : period == "month" ? 7 : 10;
}

std::string period_sql(const DatabasePrompt& question) {
  return fmt::format("substr({}, 1, {})", column_sql(question, *question.date),
                     length_of_period(question.period));
}

std::string value_sql(const DatabasePrompt& question, const DatabaseCondition& condition) {
  // A column without a type compares a number with a text by their kind, not by what they say.
  const bool is_known = std::ranges::find(question.numbers_in_text, condition.column) !=
                        question.numbers_in_text.end();
  const bool is_number =
      is_plain_number(condition.value) && (is_known || !is_text(*condition.column));
  return is_number ? condition.value : quoted_text(condition.value);
}

std::string condition_sql(const DatabasePrompt& question, const DatabaseCondition& condition) {
  const std::string column = column_sql(question, *condition.column);
  const std::string& sign = condition.comparison;
  const auto size = condition.value.size();
  if (sign == "IS NULL" || sign == "IS NOT NULL") return column + " " + sign;
  const bool is_pattern = sign == "starts" || sign == "ends" || sign == "contains";
  if (sign == "dated" || (condition.column == question.date && !is_pattern)) {
    return fmt::format("substr({}, 1, {}) {} {}", column, size, sign == "dated" ? "=" : sign,
                       quoted_text(condition.value));
  }
  if (sign == "starts") {
    return fmt::format("lower(substr({0}, 1, length({1}))) = lower({1})", column,
                       quoted_text(condition.value));
  }
  if (sign == "ends") {
    return fmt::format("lower(substr({0}, -length({1}))) = lower({1})", column,
                       quoted_text(condition.value));
  }
  if (sign == "contains") {
    return fmt::format("instr(lower({}), lower({})) > 0", column, quoted_text(condition.value));
  }
  const std::string value = value_sql(question, condition);
  return fmt::format("{} {} {}{}", compared_sql(question, *condition.column), sign, value,
                     value.starts_with('\'') ? " COLLATE NOCASE" : "");
}

std::string where(const DatabasePrompt& question) {
  std::string made;
  const auto& all = question.conditions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Two values of one column are alternatives: no row has both.
    const auto is_same = [&](const DatabaseCondition& other) {
      return other.column == all[i].column && other.comparison == "=" && all[i].comparison == "=";
    };
    if (std::ranges::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), is_same))
      continue;
    std::string alternatives;
    for (std::size_t k = i; k < all.size(); ++k) {
      if (k == i || is_same(all[k]))
        alternatives += (alternatives.empty() ? "" : " OR ") + condition_sql(question, all[k]);
    }
    const bool has_several = alternatives.contains(" OR ");
    made += fmt::format("{} {}{}{}", made.empty() ? " WHERE" : " AND", has_several ? "(" : "",
                        alternatives, has_several ? ")" : "");
  }
  return made;
}

std::string where_in_words(const DatabasePrompt& question) {
  std::string made;
  const DatabaseColumn* before = nullptr;
  for (const DatabaseCondition& condition : question.conditions) {
    const std::string& sign = condition.comparison;
    const std::string words = sign == "="             ? "is "
                              : sign == "IS NULL"     ? "is missing"
                              : sign == "IS NOT NULL" ? "is not missing"
                              : sign == "dated"       ? "is in "
                              : sign == "starts"      ? "starts with "
                              : sign == "ends"        ? "ends with "
                              : sign == "contains"    ? "contains "
                                                      : sign + " ";
    const DatabaseColumn& column = *condition.column;
    const bool is_alternative = !made.empty() && sign == "=" && before == &column;
    const std::string name =
        column.table == question.table->name ? column.name : column.table + "." + column.name;
    made += is_alternative
                ? fmt::format(" or {}", code_span(condition.value))
                : fmt::format("{} {} {}{}", made.empty() ? " whose" : " and", code_span(name),
                              words, sign.starts_with("IS") ? "" : code_span(condition.value));
    before = sign == "=" ? &column : nullptr;
  }
  return made;
}

// Where the rows come from: the table, what is joined to it, and the conditions.
std::string joined_sql(const DatabasePrompt& question) {
  std::string from = " FROM " + quoted_name(question.table->name);
  if (question.join != nullptr) {
    const ForeignKey& key = *question.join;
    from +=
        fmt::format(" JOIN {0} ON {1}.{2} = {0}.{3}", quoted_name(key.other_table),
                    quoted_name(key.table), quoted_name(key.column), quoted_name(key.other_column));
  }
  return from + where(question);
}

std::string source_sql(const DatabasePrompt& question) {
  const std::string from = joined_sql(question);
  if (!question.is_of_parents) return from;
  const ForeignKey& key = *question.join;
  return fmt::format(" FROM {0} WHERE {0}.{1} IN (SELECT {2}.{3}{4})", quoted_name(key.other_table),
                     quoted_name(key.other_column), quoted_name(key.table), quoted_name(key.column),
                     from);
}

// NULL is smaller than everything, and is not what anybody calls the smallest.
std::string known_source_sql(const DatabasePrompt& question) {
  return fmt::format("{}{}{} IS NOT NULL", source_sql(question),
                     question.conditions.empty() ? " WHERE " : " AND ",
                     compared_sql(question, *question.measure));
}

std::string best_source_sql(const DatabasePrompt& question) {
  const std::string known = known_source_sql(question);
  return fmt::format("{0} AND {1} {2} (SELECT {1}{0} ORDER BY {1} {3} LIMIT 1 OFFSET {4})", known,
                     compared_sql(question, *question.measure),
                     question.is_descending ? ">=" : "<=", question.is_descending ? "DESC" : "ASC",
                     question.limit.value_or(1) - 1);
}

}  // namespace

std::string sql_for(const DatabasePrompt& question) {
  const std::string from = source_sql(question);
  const std::string limit = question.limit ? fmt::format(" LIMIT {}", *question.limit) : "";
  const bool has_period = !question.period.empty() && question.date != nullptr;
  std::string group = question.group == nullptr ? "" : column_sql(question, *question.group);
  if (question.label != nullptr) group += ", " + column_sql(question, *question.label);
  if (has_period)
    group += (group.empty() ? "" : ", ") + period_sql(question) + " AS " + question.period;
  const int columns =
      1 + (question.label != nullptr ? 1 : 0) + (has_period && question.group != nullptr ? 1 : 0);
  std::string keys = "1";
  for (int i = 2; i <= columns; ++i) keys += fmt::format(", {}", i);
  const std::string order =
      has_period && question.group == nullptr ? "1" : fmt::format("{} DESC, 1", columns + 1);
  const std::string measure =
      question.measure == nullptr ? "" : compared_sql(question, *question.measure);
  const char* direction = question.is_descending ? "DESC" : "ASC";
  switch (question.kind) {
    case Kind::count: return "SELECT count(*)" + from;
    case Kind::distinct_count: return fmt::format("SELECT count(DISTINCT {}){}", group, from);
    case Kind::values:
      return fmt::format("SELECT {}, count(*) AS count{} GROUP BY {} ORDER BY {}{}", group, from,
                         keys, order, limit);
    case Kind::aggregate:
      if (group.empty()) return fmt::format("SELECT {}({}){}", question.function, measure, from);
      return fmt::format("SELECT {0}, {1}({2}) AS {1}{3} GROUP BY {4} ORDER BY {5}{6}", group,
                         question.function, measure, from, keys, order, limit);
    case Kind::extreme:
      return fmt::format("SELECT *{} ORDER BY {} {} LIMIT {}", known_source_sql(question), measure,
                         direction, question.limit.value_or(1));
    default: break;
  }
  std::string shown;
  for (const DatabaseColumn* column : question.shown)
    shown += (shown.empty() ? "" : ", ") + column_sql(question, *column);
  if (shown.empty() && question.join != nullptr) {
    shown =
        quoted_name(question.is_of_parents ? question.join->other_table : question.table->name) +
        ".*";
  }
  return fmt::format("SELECT {}{}{}", shown.empty() ? "*" : shown, from, limit);
}

bool may_hold_text(const DatabaseColumn& column) {
  return is_text(column) || column.type.empty();
}

std::vector<const DatabaseColumn*> to_check_for_numbers(const DatabasePrompt& question) {
  std::vector<const DatabaseColumn*> columns;
  const auto add = [&](const DatabaseColumn* column) {
    if (column != nullptr && column != question.date &&
        std::ranges::find(columns, column) == columns.end())
      columns.push_back(column);
  };
  if (question.kind == Kind::extreme || question.kind == Kind::aggregate) add(question.measure);
  for (const DatabaseCondition& condition : question.conditions) {
    if (has_order(condition)) add(condition.column);
  }
  return columns;
}

std::string sql_to_show_best(const DatabasePrompt& question) {
  return "SELECT *" + best_source_sql(question);
}

std::string sql_to_count_best(const DatabasePrompt& question) {
  return "SELECT count(*)" + best_source_sql(question);
}

std::vector<std::pair<const DatabaseColumn*, std::string>> sql_to_count_missing(
    const DatabasePrompt& question) {
  std::vector<std::pair<const DatabaseColumn*, std::string>> queries;
  for (const DatabaseCondition& condition : question.conditions) {
    if (condition.comparison != "<>") continue;
    DatabasePrompt missing = question;
    std::erase_if(missing.conditions, [&](const DatabaseCondition& each) {
      return each.comparison == "<>" && each.column == condition.column;
    });
    missing.conditions.push_back({condition.column, "IS NULL", {}});
    queries.emplace_back(condition.column, "SELECT count(*)" + source_sql(missing));
  }
  return queries;
}

std::string sql_to_count_fitting(const DatabaseCondition& condition) {
  DatabasePrompt one;
  DatabaseCondition wanted = condition;
  if (wanted.comparison == "<>" || wanted.comparison.starts_with("IS")) wanted.comparison = "=";
  return fmt::format("SELECT count(*) FROM {} WHERE {}", quoted_name(condition.column->table),
                     condition_sql(one, wanted));
}

std::string sql_to_check_years(const DatabaseColumn& column) {
  return fmt::format("SELECT count(*) FROM {} WHERE {} NOT BETWEEN 1000 AND 2999",
                     quoted_name(column.table), quoted_name(column.name));
}

std::string sql_to_count_empty(const DatabaseColumn& column) {
  return fmt::format("SELECT count(*) FROM {} WHERE trim({}) = ''", quoted_name(column.table),
                     quoted_name(column.name));
}

std::string sql_to_count_spellings(const DatabasePrompt& question) {
  return fmt::format("SELECT count(DISTINCT lower({})){}", column_sql(question, *question.group),
                     source_sql(question));
}

std::string sql_to_count_childless(const DatabasePrompt& question) {
  const bool is_asked = question.kind == Kind::values && question.join != nullptr &&
                        question.group != nullptr &&
                        question.group->table == question.join->other_table &&
                        question.group->name == question.join->other_column &&
                        question.conditions.empty() && !question.limit && !question.is_of_parents;
  if (!is_asked) return {};
  const ForeignKey& key = *question.join;
  return fmt::format(
      "SELECT count(*) FROM {0} WHERE NOT EXISTS (SELECT 1 FROM {1} AS other WHERE other.{2} = "
      "{0}.{3})",
      quoted_name(key.other_table), quoted_name(key.table), quoted_name(key.column),
      quoted_name(key.other_column));
}

std::string sql_to_check_numbers(const DatabaseColumn& column) {
  return fmt::format("SELECT count(*) FROM {} WHERE {}", quoted_name(column.table),
                     is_no_number_sql(column));
}

std::string sql_to_count_other_spellings(const DatabaseCondition& condition) {
  const DatabaseColumn& column = *condition.column;
  const bool is_equality = condition.comparison == "=" || condition.comparison == "<>";
  if (!is_equality || !may_hold_text(column) || !is_plain_number(condition.value)) return {};
  const std::string name = quoted_name(column.name);
  std::string sql = fmt::format(
      "SELECT count(*) FROM {0} WHERE typeof({1}) = 'text' AND CAST({1} AS NUMERIC) = {2} AND NOT "
      "({3})",
      quoted_name(column.table), name, condition.value, is_no_number_sql(column));
  // Without a type, a number is never equal to a text.
  if (is_text(column)) sql += fmt::format(" AND {} <> {}", name, quoted_text(condition.value));
  return sql;
}

std::string sql_to_count_unmatched(const DatabasePrompt& question) {
  const bool is_grouped = question.kind == Kind::values || question.kind == Kind::aggregate;
  const bool is_about_other =
      std::ranges::any_of(question.conditions, [&](const DatabaseCondition& condition) {
        return condition.column->table != question.table->name;
      });
  if (question.join == nullptr || question.is_of_parents || !is_grouped || is_about_other)
    return {};
  const ForeignKey& key = *question.join;
  const std::string conditions = where(question);
  return fmt::format(
      "SELECT count(*) FROM {0}{1}{2}NOT EXISTS (SELECT 1 FROM {3} AS other WHERE other.{4} = "
      "{0}.{5})",
      quoted_name(key.table), conditions, conditions.empty() ? " WHERE " : " AND ",
      quoted_name(key.other_table), quoted_name(key.other_column), quoted_name(key.column));
}

std::string sql_to_check_dates(const DatabasePrompt& question) {
  const std::string column = quoted_name(question.date->name);
  const bool is_compared =
      !question.period.empty() ||
      std::ranges::any_of(question.conditions, [&](const DatabaseCondition& each) {
        return each.column == question.date;
      });
  const std::string day = fmt::format("substr({}, 1, 10)", column);
  const std::string other_than_text = fmt::format(
      "count(*) FILTER (WHERE typeof({0}) <> 'text' OR {1} NOT GLOB "
      "'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' OR date({1}) IS NULL)",
      column, day);
  const std::string other_than_numbers =
      fmt::format("count(*) FILTER (WHERE typeof({}) NOT IN ('integer', 'real'))", column);
  return fmt::format("SELECT {} FROM {} WHERE {} IS NOT NULL",
                     is_compared ? other_than_text
                                 : fmt::format("min({}, {})", other_than_text, other_than_numbers),
                     quoted_name(question.date->table), column);
}

std::string lead_for(const DatabasePrompt& question) {
  const std::string table =
      (question.is_of_parents ? code_span(question.join->other_table) + " with " : std::string()) +
      code_span(question.table->name) + where_in_words(question);
  const std::string group = !question.period.empty()    ? question.period
                            : question.group == nullptr ? ""
                            : question.label != nullptr ? code_span(question.group->table)
                                                        : code_span(question.group->name);
  const std::string measure = question.measure == nullptr ? "" : code_span(question.measure->name);
  const std::string_view function = question.function == "avg"   ? "Average"
                                    : question.function == "sum" ? "Sum"
                                    : question.function == "max" ? "Maximum"
                                                                 : "Minimum";
  switch (question.kind) {
    case Kind::count: return fmt::format("Rows of {}", table);
    case Kind::distinct_count: return fmt::format("Different values of {} in {}", group, table);
    case Kind::values:
      return question.period.empty() && question.join == nullptr
                 ? fmt::format("The most frequent values of {} in {}", group, table)
                 : fmt::format("Rows of {} for each {}", table, group);
    case Kind::aggregate:
      return fmt::format("{} of {} in {}{}", function, measure, table,
                         group.empty() ? "" : fmt::format(" for each {}", group));
    case Kind::extreme:
      return fmt::format("The {} of {} with the {} {}",
                         question.limit.value_or(1) == 1 ? "row" : "rows", table,
                         question.is_descending ? "largest" : "smallest", measure);
    default: return fmt::format("Rows of {}", table);
  }
}

std::string sql_to_find(const std::vector<const DatabaseTable*>& tables,
                        const std::vector<std::string>& texts) {
  constexpr std::size_t kMostColumns = 40;
  std::string sql;
  for (const std::string& text : texts) {
    for (const DatabaseTable* table : tables) {
      for (std::size_t i = 0; i < std::min(table->columns.size(), kMostColumns); ++i) {
        const std::string& column = table->columns[i].name;
        sql += fmt::format(
            "{}SELECT {}, {}, {} WHERE EXISTS (SELECT 1 FROM {} WHERE {} = {} COLLATE NOCASE)",
            sql.empty() ? "" : " UNION ALL ", quoted_text(column), quoted_text(text),
            quoted_text(table->name), quoted_name(table->name), quoted_name(column),
            quoted_text(text));
      }
    }
  }
  return sql;
}

}  // namespace wright::offline
