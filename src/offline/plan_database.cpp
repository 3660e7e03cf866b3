// Questions about a SQLite database: what is in it, how many, the schema, the most frequent values.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>

#include "offline/database_outline.h"
#include "offline/database_prompt.h"
#include "offline/database_sql.h"
#include "offline/database_words.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr auto kReaders = std::to_array<std::string_view>({"sqlite_reader", "sqlite3_reader"});
constexpr std::size_t kMostTables = 40;
constexpr std::size_t kMostRows = 20;

std::string_view reader_of(const Investigation& look) {
  const auto found =
      std::ranges::find_if(kReaders, [&](std::string_view name) { return look.offers(name); });
  return found == kReaders.end() ? std::string_view() : *found;
}

Json query(Investigation& look, std::string_view sql, int limit = 100) {
  return look.call(reader_of(look), {{"query", sql}, {"limit", limit}});
}

Json reflect(Investigation& look, std::string_view target) {
  return look.call(reader_of(look), {{"mode", "reflect"}, {"target", target}});
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
  const Json found = query(look, sql, limit);
  if (look.is_waiting()) return "Running a query.";
  if (look.has_failed()) return "The query could not be answered.";
  if (!has_rows(found)) return with_sql(fmt::format("{} none.", lead), "", sql);
  std::string table = markdown_table(found, kMostRows);
  if (is_truncated(found)) table += "\n\nThere are more rows than these.";
  return with_sql(lead, table, sql);
}

// The one value that a query gives.
std::string show_value(Investigation& look, const std::string& sql, std::string_view what) {
  const Json found = query(look, sql, 1);
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

// The count that a query gives; nothing when it gives something else.
std::optional<std::int64_t> count_in(const Json& found) {
  const Json* rows = found.is_object() ? found.get_object().if_contains("rows") : nullptr;
  if (rows == nullptr || !rows->is_array() || rows->get_array().size() != 1) return std::nullopt;
  const Json& row = rows->get_array()[0];
  if (!row.is_array() || row.get_array().size() != 1) return std::nullopt;
  const Json& value = row.get_array()[0];
  return value.is_int64() ? std::optional(value.get_int64()) : std::nullopt;
}

bool is_zero(const Json& found) {
  return count_in(found) == 0;
}

// Finds out what figures alone do not tell: whether texts are numbers, and which rows a join leaves
// out. The sentences that the answer must have beside the figures; not to be used while waiting.
std::string notes_on(DatabasePrompt& question, Investigation& look) {
  std::string notes;
  for (const DatabaseColumn* column : to_check_for_numbers(question)) {
    const Json checked = query(look, sql_to_check_numbers(*column), 1);
    if (is_zero(checked)) {
      question.numbers_in_text.push_back(column);
    } else {
      notes += fmt::format("\n\n{} is text that is not all numbers, so it was compared as text.",
                           code_span(column->name));
    }
  }
  const std::string unmatched = sql_to_count_unmatched(question);
  if (unmatched.empty()) return notes;
  const Json counted_rows = query(look, unmatched, 1);
  const auto count = count_in(counted_rows);
  if (!count) {
    notes += fmt::format("\n\nRows of {} that refer to no row of {} are not among these.",
                         code_span(question.join->table), code_span(question.join->other_table));
  } else if (*count > 0) {
    notes += fmt::format("\n\nNot among these: {} of {} that {} to no row of {}.",
                         counted(*count, "row", "rows"), code_span(question.join->table),
                         *count == 1 ? "refers" : "refer", code_span(question.join->other_table));
  }
  return notes;
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
                       ? fmt::format("{} is a view.", code_span(table.name))
                       : fmt::format("{} is a table with {} and {}.", code_span(table.name),
                                     counted(std::ssize(table.columns), "column", "columns"),
                                     rows_text(table)));
  for (const DatabaseColumn& column : table.columns) {
    answer.item(fmt::format("{}{}{}", code_span(column.name),
                            column.type.empty() ? "" : ": " + column.type,
                            column.is_key ? ", part of the primary key" : ""));
  }
  const std::string sql = fmt::format("SELECT * FROM {} LIMIT 5", quoted_name(table.name));
  const Json sample = query(look, sql, 5);
  if (look.is_waiting()) return fmt::format("Looking at some rows of {}.", code_span(table.name));
  if (!look.has_failed()) answer.paragraph("Some of its rows:").block(markdown_table(sample, 5));
  return answer.text();
}

std::string schema(const DatabaseOutline& outline, Investigation& look) {
  if (outline.tables.empty()) return nothing_in_it();
  const Json found = reflect(look, "foreign_keys");
  if (look.is_waiting()) return "Reading how the tables refer to each other.";
  AnswerText answer;
  answer.paragraph(fmt::format(
      "The schema: {}.", counted(std::ssize(outline.tables), "table or view", "tables and views")));
  std::vector<std::string> items;
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

std::string table_sizes(const DatabaseOutline& outline) {
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
      .paragraph(fmt::format("There are {} in all. The largest table is {} with {}.",
                             counted(rows, "row", "rows"), code_span(sorted.front().name),
                             rows_text(sorted.front())))
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

// Words that nothing else explains may be values: "customers from France". One that a single column
// has becomes a condition. Nothing is changed while waiting; what is in no column stays.
void find_values(DatabasePrompt& question, const DatabaseOutline& outline, Investigation& look) {
  constexpr std::size_t kMostValues = 3;
  if (question.unexplained.size() > kMostValues || question.table->columns.empty()) return;
  std::vector<const DatabaseTable*> tables{question.table};
  if (const DatabaseTable* other = joined_table(outline, question)) tables.push_back(other);
  std::vector<Json> found;
  for (const std::string& text : question.unexplained) {
    std::vector<std::string> forms{text};  // "errors" may be the ones whose level is error
    if (singular(text) != lower(text)) forms.push_back(singular(text));
    found.push_back(query(look, sql_to_find(tables, forms)));
  }
  if (look.is_waiting()) return;
  std::vector<std::string> left;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto places = texts_of(found[i]);
    const auto is_first_form = [&](const auto& each) { return each[1] == places.front()[1]; };
    if (places.empty()) {
      left.push_back(question.unexplained[i]);
    } else if (std::ranges::count_if(places, is_first_form) > 1) {
      question.problem = fmt::format("{} is a value of {} and of {}", code_span(places[0][1]),
                                     code_span(places[0][0]), code_span(places[1][0]));
    } else {
      for (const DatabaseTable* table : tables) {
        const auto column = std::ranges::find(table->columns, places[0][0], &DatabaseColumn::name);
        if (table->name == places[0][2] && column != table->columns.end())
          question.conditions.push_back({&*column, "=", places[0][1]});
      }
    }
  }
  question.unexplained = std::move(left);
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
  if (question.date != nullptr) {
    const Json checked = query(look, sql_to_check_dates(question), 1);
    if (look.is_waiting()) return "Looking at how dates are written.";
    if (!is_zero(checked)) {
      return refusal(question, fmt::format("{} does not hold dates as text, like 2025-01-31",
                                           code_span(question.date->name)));
    }
  }
  if (question.kind == Kind::describe && question.conditions.empty())
    return describe(*question.table, look);
  if (question.kind == Kind::describe) question.kind = Kind::rows;
  const bool is_value =
      question.kind == Kind::count || question.kind == Kind::distinct_count ||
      (question.kind == Kind::aggregate && question.group == nullptr && question.period.empty());
  const std::string notes = notes_on(question, look);
  if (look.is_waiting()) return "Looking at what the columns hold.";
  const std::string sql = sql_for(question);
  if (question.kind == Kind::count && question.conditions.empty() && question.table->rows) {
    return with_sql(fmt::format("{} has {}.", code_span(question.table->name),
                                counted(*question.table->rows, "row", "rows")),
                    "", sql);
  }
  if (is_value) return show_value(look, sql, lead_for(question)) + notes;
  return show_rows(look, sql, lead_for(question) + ":", static_cast<int>(kMostRows)) + notes;
}

// Of views and virtual tables the outline knows no columns, since one that is broken would spoil
// the answer about all.
void learn_columns(DatabaseOutline& outline, const DatabaseTable& table, Investigation& look) {
  const Json info = look.call(
      reader_of(look), {{"mode", "reflect"}, {"target", "table_info"}, {"table_name", table.name}});
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
  switch (question.kind) {
    case Kind::change:
      return "I only read: sqlite_reader cannot change a database, and I have no other tool.";
    case Kind::foreign_keys: return reflected(look, "foreign_keys", "foreign keys");
    case Kind::indexes: return reflected(look, "indexes", "indexes");
    case Kind::table_count: return count_tables(outline);
    case Kind::column_search: return tables_with(outline, *question.measure);
    case Kind::schema: return schema(outline, look);
    case Kind::views: return reflected(look, "views", "views");
    default: break;
  }
  if (question.table != nullptr) return about_table(std::move(question), outline, look);
  if (question.unexplained.empty()) {
    return question.kind == Kind::table_sizes ? table_sizes(outline) : overview(outline);
  }
  return AnswerText()
      .paragraph(
          fmt::format("I cannot answer this without a language model: nothing in the database "
                      "is called {}. This is what is in it.",
                      code_span(question.unexplained.front())))
      .block(overview(outline))
      .text();
}

}  // namespace

bool is_about_database(std::string_view prompt, const Investigation& look) {
  if (reader_of(look).empty()) return false;
  if (!look.offers_file_tools()) return true;
  return says(std::string(prompt), R"(\b(database|sqlite|tables?|rows?|columns?|sql)\b)");
}

std::string plan_database(const std::string& prompt, Investigation& look) {
  if (const std::string sql = sql_in(prompt); !sql.empty()) {
    return show_rows(look, sql, "The rows:", 100);
  }
  constexpr int kMostColumns = 1000;
  const Json columns = query(look, kColumnsQuery, kMostColumns);
  const Json stats = reflect(look, "stats");
  const Json keys = reflect(look, "foreign_keys");
  if (look.is_waiting()) return "Looking at what the database is made of.";
  if (look.has_failed()) return "The database could not be read.";
  return answer_from(read_outline(columns, stats, keys), prompt, look);
}

}  // namespace wright::offline
