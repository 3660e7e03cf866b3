// Questions about a SQLite database: what is in it, how many, the schema, the most frequent values.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>

#include "offline/database_checks.h"
#include "offline/database_outline.h"
#include "offline/database_prompt.h"
#include "offline/database_query.h"
#include "offline/database_sql.h"
#include "offline/database_words.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr std::size_t kMostTables = 40;
constexpr std::size_t kMostRows = 20;

Json reflect(Investigation& look, std::string_view target) {
  return look.call(database_reader(look), {{"mode", "reflect"}, {"target", target}});
}

bool says(const std::string& prompt, const char* pattern) {
  return RE2::PartialMatch(prompt, RE2(fmt::format("(?i){}", pattern)));
}

std::string sql_block(std::string_view sql) {
  return fmt::format("```sql\n{}\n```", sql);
}

// The SQL in the prompt itself: all of it, or what stands in a code block or in backticks.
std::string sql_in(const std::string& prompt) {
  static const RE2 kFenced(R"((?is)```(?:sql)?\s*((?:select|with|values|explain|pragma)\b.*?)```)");
  static const RE2 kSpan(R"((?is)`((?:select|with|values|explain)\s[^`]+)`)");
  static const RE2 kWhole(
      R"((?is)^\s*(?:run|execute|query)?:?\s*((?:select\s.*|with\s.*\bas\s*\(.*|values\s*\(.*|explain\s.*|pragma\s.*))$)");
  std::string sql;
  if (RE2::PartialMatch(prompt, kFenced, &sql) || RE2::PartialMatch(prompt, kSpan, &sql) ||
      RE2::PartialMatch(prompt, kWhole, &sql)) {
    return std::string(trim(sql));
  }
  return {};
}

std::string rows_text(const DatabaseTable& table) {
  if (table.is_view) return "view";
  return table.rows ? counted(*table.rows, "row", "rows") : "rows not counted";
}

std::string columns_text(const DatabaseTable& table) {
  std::string text;
  for (const DatabaseColumn& column : table.columns) {
    text +=
        fmt::format("{}{}{}{}", text.empty() ? "" : ", ", code_span(column.name),
                    column.type.empty() ? "" : " " + column.type, column.is_key ? " (key)" : "");
  }
  return text;
}

std::string nothing_in_it() {
  return "The database is empty: it has no tables and no views.";
}

// What the answers of several plans end with.
std::string with_sql(std::string_view text, std::string_view table, std::string_view sql) {
  AnswerText answer;
  answer.paragraph(text);
  if (!table.empty()) answer.block(table);
  return answer.block(sql_block(sql)).text();
}

std::string show_rows(Investigation& look, const std::string& sql, std::string_view lead,
                      int limit) {
  const Json found = query_database(look, sql, limit);
  if (look.is_waiting()) return "Running a query.";
  if (look.has_failed()) return "The query could not be answered.";
  if (!has_rows(found)) return with_sql(fmt::format("{} none.", lead), "", sql);
  std::string table = markdown_table(found, kMostRows);
  if (is_truncated(found)) table += "\n\nThere are more rows than these.";
  return with_sql(lead, table, sql);
}

// The one value that a query gives.
std::string show_value(Investigation& look, const std::string& sql, std::string_view what) {
  const Json found = query_database(look, sql, 1);
  if (look.is_waiting()) return "Running a query.";
  const Json* rows = found.is_object() ? found.get_object().if_contains("rows") : nullptr;
  const bool has_value = rows != nullptr && rows->is_array() && !rows->get_array().empty() &&
                         rows->get_array()[0].is_array() &&
                         !rows->get_array()[0].get_array().empty();
  if (!has_value) return "The query could not be answered.";
  const Json& value = rows->get_array()[0].get_array()[0];
  const std::string shown = value.is_int64()    ? with_separators(value.get_int64())
                            : value.is_double() ? fmt::format("{:.10g}", value.get_double())
                            : value.is_string() ? shortened(value.get_string(), 200)
                                                : std::string("nothing (NULL)");
  return with_sql(fmt::format("{}: {}.", what, shown), "", sql);
}

std::string overview(const DatabaseOutline& outline) {
  if (outline.tables.empty()) return nothing_in_it();
  const auto views = std::ranges::count_if(outline.tables, &DatabaseTable::is_view);
  const auto tables = static_cast<std::int64_t>(outline.tables.size()) - views;
  std::int64_t rows = 0;
  for (const DatabaseTable& table : outline.tables) rows += table.rows.value_or(0);
  AnswerText answer;
  answer.paragraph(fmt::format("The database has {}{} with {} in all ({}).",
                               counted(tables, "table", "tables"),
                               views == 0 ? "" : " and " + counted(views, "view", "views"),
                               counted(rows, "row", "rows"), human_size(outline.size_bytes)));
  std::vector<std::string> items;
  items.reserve(outline.tables.size());
  for (const DatabaseTable& table : outline.tables) {
    items.push_back(fmt::format("{} ({}){}{}", code_span(table.name), rows_text(table),
                                table.columns.empty() ? "" : ": ",
                                shortened(columns_text(table), 300)));
  }
  answer.items(items, kMostTables, "tables");
  if (outline.is_truncated) answer.paragraph("There is more: sqlite_reader cut its answer.");
  return answer.text();
}

std::string describe(const DatabaseTable& table, Investigation& look) {
  AnswerText answer;
  answer.paragraph(table.is_view
                       ? fmt::format("{} is a view with {}.", code_span(table.name),
                                     counted(std::ssize(table.columns), "column", "columns"))
                       : fmt::format("{} is a table with {} and {}.", code_span(table.name),
                                     counted(std::ssize(table.columns), "column", "columns"),
                                     rows_text(table)));
  for (const DatabaseColumn& column : table.columns) {
    answer.item(fmt::format("{}{}{}", code_span(column.name),
                            column.type.empty() ? "" : ": " + column.type,
                            column.is_key ? ", part of the primary key" : ""));
  }
  const std::string sql = fmt::format("SELECT * FROM {} LIMIT 5", quoted_name(table.name));
  const Json sample = query_database(look, sql, 5);
  if (look.is_waiting()) return fmt::format("Looking at some rows of {}.", code_span(table.name));
  if (!look.has_failed()) answer.paragraph("Some of its rows:").block(markdown_table(sample, 5));
  return answer.text();
}

// Of views the columns are not known here.
std::string columns_in_all(const DatabaseOutline& outline) {
  std::int64_t columns = 0;
  std::int64_t tables = 0;
  const DatabaseTable* widest = nullptr;
  std::int64_t as_wide = 0;
  for (const DatabaseTable& table : outline.tables) {
    if (table.columns.empty()) continue;
    ++tables;
    columns += std::ssize(table.columns);
    const auto most = widest == nullptr ? 0 : widest->columns.size();
    as_wide = table.columns.size() == most  ? as_wide + 1
              : table.columns.size() > most ? 1
                                            : as_wide;
    if (table.columns.size() > most) widest = &table;
  }
  if (tables < 2) return {};
  return fmt::format(" {} have {}; {}{} most, {}.", counted(tables, "table", "tables"),
                     counted(columns, "column", "columns"), code_span(widest->name),
                     as_wide == 1
                         ? " has the"
                         : fmt::format(" and {} more have the", with_separators(as_wide - 1)),
                     widest->columns.size());
}

std::string schema(const DatabaseOutline& outline, Investigation& look) {
  if (outline.tables.empty()) return nothing_in_it();
  const Json found = reflect(look, "foreign_keys");
  if (look.is_waiting()) return "Reading how the tables refer to each other.";
  AnswerText answer;
  answer.paragraph(fmt::format(
      "The schema: {}.{}", counted(std::ssize(outline.tables), "table or view", "tables and views"),
      columns_in_all(outline)));
  std::vector<std::string> items;
  items.reserve(outline.tables.size());
  for (const DatabaseTable& table : outline.tables) {
    items.push_back(fmt::format("{}{}{}", code_span(table.name), table.is_view ? " (view)" : ": ",
                                columns_text(table)));
  }
  answer.items(items, kMostTables, "tables");
  const Json* keys = found.is_object() ? found.get_object().if_contains("rows") : nullptr;
  if (keys != nullptr && keys->is_array() && !keys->get_array().empty()) {
    answer.paragraph("How they refer to each other:").block(markdown_table(found, kMostRows));
  }
  return answer.text();
}

std::string reflected(Investigation& look, std::string_view target, std::string_view noun) {
  const Json found = reflect(look, target);
  if (look.is_waiting()) return fmt::format("Reading the {}.", noun);
  const Json* rows = found.is_object() ? found.get_object().if_contains("rows") : nullptr;
  if (rows == nullptr || !rows->is_array()) return fmt::format("The {} could not be read.", noun);
  if (rows->get_array().empty()) return fmt::format("The database has no {}.", noun);
  return AnswerText()
      .paragraph(fmt::format("The {} of the database:", noun))
      .block(markdown_table(found, kMostRows))
      .text();
}

std::string count_tables(const DatabaseOutline& outline) {
  const auto views = std::ranges::count_if(outline.tables, &DatabaseTable::is_view);
  return fmt::format("The database has {} and {}.",
                     counted(std::ssize(outline.tables) - views, "table", "tables"),
                     counted(views, "view", "views"));
}

// "The largest table is `a`", "The smallest tables are `b` and `c`".
std::string extreme_tables(const std::vector<DatabaseTable>& sorted, bool is_largest) {
  std::vector<const DatabaseTable*> known;
  for (const DatabaseTable& table : sorted) {
    if (table.rows) known.push_back(&table);
  }
  if (known.empty()) return {};
  const DatabaseTable& best = is_largest ? *known.front() : *known.back();
  std::vector<std::string> names;
  for (const DatabaseTable* table : known) {
    if (table->rows == best.rows) names.push_back(code_span(table->name));
  }
  constexpr std::size_t kMostNames = 8;
  const std::size_t more = names.size() > kMostNames ? names.size() - kMostNames : 0;
  names.resize(names.size() - more);
  return fmt::format(" The {} {} {}{} with {}{}.", is_largest ? "largest" : "smallest",
                     names.size() == 1 ? "table is" : "tables are", fmt::join(names, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more), rows_text(best),
                     names.size() == 1 ? "" : " each");
}

std::string empty_tables(const DatabaseOutline& outline) {
  std::vector<std::string> items;
  std::int64_t unknown = 0;
  for (const DatabaseTable& table : outline.tables) {
    if (!table.rows) ++unknown;
    if (table.rows == 0) items.push_back(code_span(table.name));
  }
  return AnswerText()
      .paragraph(fmt::format(
          "{} no rows{}{}",
          items.empty() ? "No table has" : counted(std::ssize(items), "table has", "tables have"),
          unknown == 0 ? ""
                       : fmt::format("; the rows of {} were not counted",
                                     counted(unknown, "view or table", "views and tables")),
          items.empty() ? "." : ":"))
      .items(items, kMostTables, "tables")
      .text();
}

std::string table_sizes(const DatabaseOutline& outline, bool is_largest) {
  std::vector<DatabaseTable> sorted = outline.tables;
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const DatabaseTable& table) { return table.rows.value_or(-1); });
  std::int64_t rows = 0;
  std::vector<std::string> items;
  for (const DatabaseTable& table : sorted) {
    rows += table.rows.value_or(0);
    items.push_back(fmt::format("{}: {}", code_span(table.name), rows_text(table)));
  }
  return AnswerText()
      .paragraph(fmt::format("There are {} in all.{}", counted(rows, "row", "rows"),
                             extreme_tables(sorted, is_largest)))
      .items(items, kMostTables, "tables")
      .text();
}

std::string tables_with(const DatabaseOutline& outline, const DatabaseColumn& wanted) {
  std::vector<std::string> items;
  for (const DatabaseTable& table : outline.tables) {
    const bool has = std::ranges::any_of(table.columns, [&](const DatabaseColumn& column) {
      return lower(column.name) == lower(wanted.name);
    });
    if (has) items.push_back(code_span(table.name));
  }
  return AnswerText()
      .paragraph(fmt::format("{} {} a column {}:", counted(std::ssize(items), "table", "tables"),
                             items.size() == 1 ? "has" : "have", code_span(wanted.name)))
      .items(items, kMostTables, "tables")
      .text();
}

std::string refusal(const DatabasePrompt& question, std::string_view why) {
  std::vector<std::string> columns;
  columns.reserve(question.table->columns.size());
  for (const DatabaseColumn& column : question.table->columns) {
    columns.push_back(code_span(column.name));
  }
  AnswerText answer;
  answer.paragraph(fmt::format("I cannot answer this without a language model: {}.", why));
  if (!columns.empty()) {
    answer.paragraph(fmt::format("The columns of {} are {}.", code_span(question.table->name),
                                 shortened(fmt::format("{}", fmt::join(columns, ", ")), 500)));
  }
  return answer
      .paragraph(
          "What works: how many, the schema, the top values of a column, averages, sums, the "
          "highest "
          "and the newest, each also per month or where a column is a value; and any SELECT as it "
          "is.")
      .text();
}

// The rows with the largest or smallest of something. Where it asks for one and several are as
// good, all are shown; where it asks for some, the answer says how many more could stand there.
std::string show_extreme(const DatabasePrompt& question, Investigation& look) {
  constexpr int kMost = static_cast<int>(kMostRows);
  const int limit = question.limit.value_or(1);
  const std::int64_t count =
      count_in(query_database(look, sql_to_count_best(question), 1)).value_or(0);
  std::string rows = show_rows(look, sql_for(question), lead_for(question) + ":", kMost);
  DatabasePrompt several = question;
  several.limit = static_cast<int>(count);
  std::string all =
      show_rows(look, sql_to_show_best(question),
                fmt::format("{}, {} of them:", lead_for(several), with_separators(count)), kMost);
  if (look.is_waiting() || look.has_failed()) return rows;
  if (count <= limit) return rows;
  if (limit == 1) return all;
  return rows + fmt::format("\n\nAs good as the last of these: {} more.",
                            counted(count - limit, "row", "rows"));
}

std::string about_table(DatabasePrompt question, const DatabaseOutline& outline,
                        Investigation& look) {
  using Kind = DatabasePrompt::Kind;
  if (!question.problem.empty()) return refusal(question, question.problem);
  if (!question.unexplained.empty()) {
    find_values(question, outline, look);
    if (look.is_waiting()) return "Looking for the words of the question in the data.";
  }
  if (!question.unexplained.empty()) {
    return refusal(question, fmt::format("{} is neither a column of {} nor a value in one",
                                         code_span(question.unexplained.front()),
                                         code_span(question.table->name)));
  }
  if (!question.problem.empty()) return refusal(question, question.problem);
  if (question.kind == Kind::describe && question.conditions.empty())
    return describe(*question.table, look);
  if (question.kind == Kind::describe) question.kind = Kind::rows;
  const bool is_value =
      question.kind == Kind::count || question.kind == Kind::distinct_count ||
      (question.kind == Kind::aggregate && question.group == nullptr && question.period.empty());
  const DataChecks checks = check_data(question, look);
  if (look.is_waiting()) return "Looking at what the columns hold.";
  if (!checks.problem.empty()) return refusal(question, checks.problem);
  const std::string sql = sql_for(question);
  if (question.kind == Kind::count && question.conditions.empty() && question.table->rows &&
      !question.is_of_parents) {
    return with_sql(fmt::format("{} has {}.", code_span(question.table->name),
                                counted(*question.table->rows, "row", "rows")),
                    "", sql);
  }
  if (is_value) return show_value(look, sql, lead_for(question)) + checks.notes;
  if (question.kind == Kind::extreme) return show_extreme(question, look) + checks.notes;
  return show_rows(look, sql, lead_for(question) + ":", static_cast<int>(kMostRows)) + checks.notes;
}

// Why a question without a table is not understood. What several tables have is not unknown.
std::string unknown_word(const DatabaseOutline& outline, const DatabasePrompt& question) {
  const auto is_column = [&](const std::string& word) {
    return std::ranges::any_of(outline.tables, [&](const DatabaseTable& table) {
      return std::ranges::any_of(table.columns, [&](const DatabaseColumn& column) {
        return singular(column.name) == singular(word);
      });
    });
  };
  const auto unknown = std::ranges::find_if_not(question.unexplained, is_column);
  return unknown == question.unexplained.end()
             ? fmt::format("it does not say of which table {} is meant",
                           code_span(question.unexplained.front()))
             : fmt::format("nothing in the database is called {}", code_span(*unknown));
}

// Of views and virtual tables the outline knows no columns, since one that is broken would spoil
// the answer about all.
void learn_columns(DatabaseOutline& outline, const DatabaseTable& table, Investigation& look) {
  const Json info =
      look.call(database_reader(look),
                {{"mode", "reflect"}, {"target", "table_info"}, {"table_name", table.name}});
  if (!look.is_waiting()) read_columns(outline, table.name, info);
}

std::string answer_from(DatabaseOutline outline, const std::string& prompt, Investigation& look) {
  using Kind = DatabasePrompt::Kind;
  if (outline.tables.empty()) return nothing_in_it();
  DatabasePrompt question = understand_database(outline, prompt);
  if (question.table != nullptr && question.table->columns.empty()) {
    learn_columns(outline, *question.table, look);
    if (look.is_waiting()) return "Reading the columns.";
    question = understand_database(outline, prompt);
  }
  const bool is_understood = question.table != nullptr || question.unexplained.empty();
  switch (is_understood ? question.kind : Kind::overview) {
    case Kind::change:
      return "I only read: sqlite_reader cannot change a database, and I have no other tool.";
    case Kind::foreign_keys: return reflected(look, "foreign_keys", "foreign keys");
    case Kind::indexes: return reflected(look, "indexes", "indexes");
    case Kind::table_count: return count_tables(outline);
    case Kind::empty_tables: return empty_tables(outline);
    case Kind::column_search: return tables_with(outline, *question.measure);
    case Kind::schema: return schema(outline, look);
    case Kind::views: return reflected(look, "views", "views");
    default: break;
  }
  if (question.table != nullptr) return about_table(std::move(question), outline, look);
  if (question.unexplained.empty()) {
    return question.kind == Kind::table_sizes ? table_sizes(outline, question.is_descending)
                                              : overview(outline);
  }
  return AnswerText()
      .paragraph(
          fmt::format("I cannot answer this without a language model: {}. This is what is in it.",
                      unknown_word(outline, question)))
      .block(overview(outline))
      .text();
}

}  // namespace

bool is_about_database(std::string_view prompt, const Investigation& look) {
  if (database_reader(look).empty()) return false;
  if (!look.offers_file_tools()) return true;
  return says(std::string(prompt), R"(\b(database|sqlite|tables?|rows?|columns?|sql)\b)");
}

std::string plan_database(const std::string& prompt, Investigation& look) {
  if (const std::string sql = sql_in(prompt); !sql.empty()) {
    return show_rows(look, sql, "The rows:", 100);
  }
  constexpr int kMostColumns = 1000;
  const Json columns = query_database(look, kColumnsQuery, kMostColumns);
  const Json stats = reflect(look, "stats");
  const Json keys = reflect(look, "foreign_keys");
  if (look.is_waiting()) return "Looking at what the database is made of.";
  if (look.has_failed()) return "The database could not be read.";
  return answer_from(read_outline(columns, stats, keys), prompt, look);
}

}  // namespace wright::offline
