// Questions about a SQLite database: what is in it, how many, the schema, the most frequent values.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "offline/database_outline.h"
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

int number_in(const std::string& prompt, int otherwise) {
  static const RE2 kNumber(R"(\b(\d{1,3})\b)");
  int number = 0;
  return RE2::PartialMatch(prompt, kNumber, &number) && number > 0 ? number : otherwise;
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
  Answer answer;
  answer.paragraph(text);
  if (!table.empty()) answer.block(table);
  return answer.block(sql_block(sql)).text();
}

std::string show_rows(Investigation& look, const std::string& sql, std::string_view lead,
                      int limit) {
  const Json found = query(look, sql, limit);
  if (look.is_waiting()) return "Running a query.";
  if (look.has_failed()) return "The query could not be answered.";
  return with_sql(lead, markdown_table(found, kMostRows), sql);
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
                            : value.is_string() ? shortened(value.get_string(), 200)
                                                : to_text(value);
  return with_sql(fmt::format("{}: {}.", what, shown), "", sql);
}

std::string overview(const DatabaseOutline& outline) {
  if (outline.tables.empty()) return nothing_in_it();
  const auto views = std::ranges::count_if(outline.tables, &DatabaseTable::is_view);
  const auto tables = static_cast<std::int64_t>(outline.tables.size()) - views;
  std::int64_t rows = 0;
  for (const DatabaseTable& table : outline.tables) rows += table.rows.value_or(0);
  Answer answer;
  answer.paragraph(fmt::format("The database has {}{} with {} in all ({}).",
                               counted(tables, "table", "tables"),
                               views == 0 ? "" : " and " + counted(views, "view", "views"),
                               counted(rows, "row", "rows"), human_size(outline.size_bytes)));
  std::vector<std::string> items;
  for (const DatabaseTable& table : outline.tables) {
    items.push_back(fmt::format("{} ({}){}{}", code_span(table.name), rows_text(table),
                                table.is_view ? "" : ": ", shortened(columns_text(table), 300)));
  }
  answer.items(items, kMostTables, "tables");
  if (outline.is_truncated) answer.paragraph("There is more: sqlite_reader cut its answer.");
  return answer.text();
}

std::string describe(const DatabaseTable& table, Investigation& look) {
  Answer answer;
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
  Answer answer;
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
  return Answer()
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

// "… where country is 'France'", "… with status paid": the value after the column's name.
std::string condition_in(const std::string& prompt, const DatabaseColumn& column) {
  const RE2 pattern(fmt::format(
      R"re((?i)\b{}["'`]?\s*(?:=|==|is|equals?|of|:)?\s*(?:"([^"]+)"|'([^']+)'|`([^`]+)`|([\w.@+-]+))\s*\??\s*$)re",
      quote_for_regex(column.name)));
  std::array<std::string, 4> found;
  if (!RE2::PartialMatch(prompt, pattern, &found[0], &found[1], &found[2], &found[3])) return {};
  const auto value = std::ranges::find_if(found, [](const auto& text) { return !text.empty(); });
  return value == found.end() ? std::string() : *value;
}

std::string sql_text(std::string_view text) {
  std::string made = "'";
  for (const char c : text) made += c == '\'' ? std::string("''") : std::string(1, c);
  return made + "'";
}

std::string count_rows(const DatabaseTable& table, const std::string& prompt, Investigation& look) {
  for (const DatabaseColumn& column : table.columns) {
    const std::string value = condition_in(prompt, column);
    if (value.empty()) continue;
    const std::string sql =
        fmt::format("SELECT count(*) FROM {} WHERE {} = {} COLLATE NOCASE", quoted_name(table.name),
                    quoted_name(column.name), sql_text(value));
    return show_value(look, sql,
                      fmt::format("Rows of {} whose {} is {}", code_span(table.name),
                                  code_span(column.name), code_span(value)));
  }
  const std::string sql = fmt::format("SELECT count(*) FROM {}", quoted_name(table.name));
  if (!table.rows) return show_value(look, sql, fmt::format("Rows in {}", code_span(table.name)));
  return with_sql(
      fmt::format("{} has {}.", code_span(table.name), counted(*table.rows, "row", "rows")), "",
      sql);
}

std::string largest_tables(const DatabaseOutline& outline) {
  std::vector<DatabaseTable> sorted = outline.tables;
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const DatabaseTable& table) { return table.rows.value_or(-1); });
  Answer answer;
  answer.paragraph(fmt::format("The largest table is {} with {}.", code_span(sorted.front().name),
                               rows_text(sorted.front())));
  std::vector<std::string> items;
  for (const DatabaseTable& table : sorted) {
    items.push_back(fmt::format("{}: {}", code_span(table.name), rows_text(table)));
  }
  return answer.items(items, 10, "tables").text();
}

// A column that the prompt names, in the table that it names or in any.
struct Place {
  const DatabaseTable* table = nullptr;
  const DatabaseColumn* column = nullptr;
};

Place place_in(const DatabaseOutline& outline, const std::string& prompt) {
  if (const DatabaseTable* table = mentioned_table(outline, prompt)) {
    if (const auto* column = mentioned_column(*table, prompt)) return {table, column};
  }
  for (const DatabaseTable& table : outline.tables) {
    if (const auto* column = mentioned_column(table, prompt)) return {&table, column};
  }
  return {};
}

std::string top_values(const Place& place, const std::string& prompt, Investigation& look) {
  const std::string column = quoted_name(place.column->name);
  const int most = std::min(number_in(prompt, 10), static_cast<int>(kMostRows));
  return show_rows(
      look,
      fmt::format("SELECT {}, count(*) AS count FROM {} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {}",
                  column, quoted_name(place.table->name), most),
      fmt::format("The most frequent values of {} in {}:", code_span(place.column->name),
                  code_span(place.table->name)),
      most);
}

struct Aggregate {
  const char* words;
  const char* function;
  const char* name;
};
constexpr auto kAggregates = std::to_array<Aggregate>({
    {R"(\b(average|mean|avg)\b)", "avg", "Average"},
    {R"(\b(sum|total)\b)", "sum", "Sum"},
    {R"(\b(maximum|max|highest|largest|biggest|greatest|latest|newest)\b)", "max", "Maximum"},
    {R"(\b(minimum|min|lowest|smallest|earliest|oldest)\b)", "min", "Minimum"},
});

std::string answer_from(const DatabaseOutline& outline, const std::string& prompt,
                        Investigation& look) {
  const DatabaseTable* table = mentioned_table(outline, prompt);
  const Place place = place_in(outline, prompt);
  if (outline.tables.empty()) return nothing_in_it();
  if (says(prompt, R"(\b(foreign keys?|relations?|relationships?|related|refer(s|ences)?)\b)")) {
    return reflected(look, "foreign_keys", "foreign keys");
  }
  if (says(prompt, R"(\bindex(es)?\b|\bindices\b)")) return reflected(look, "indexes", "indexes");
  if (says(
          prompt,
          R"(\b(largest|biggest|most rows|longest)\b.*\btables?\b|\btables?\b.*\b(largest|biggest|most rows)\b)")) {
    return largest_tables(outline);
  }
  const bool counts = says(prompt, R"(\b(how many|count|number of|how large|how big)\b)");
  if (counts && table == nullptr && says(prompt, R"(\btables?\b)")) return count_tables(outline);
  if (place.column != nullptr &&
      says(
          prompt,
          R"(\b(top|most (common|frequent|popular|often)|distribution|distinct|unique|different|values|breakdown|group(ed)? by|per)\b)")) {
    return top_values(place, prompt, look);
  }
  if (place.column != nullptr && !counts) {
    for (const Aggregate& aggregate : kAggregates) {
      if (!says(prompt, aggregate.words)) continue;
      return show_value(
          look,
          fmt::format("SELECT {}({}) FROM {}", aggregate.function, quoted_name(place.column->name),
                      quoted_name(place.table->name)),
          fmt::format("{} of {} in {}", aggregate.name, code_span(place.column->name),
                      code_span(place.table->name)));
    }
  }
  if (counts && table != nullptr) return count_rows(*table, prompt, look);
  if (says(prompt, R"(\b(schema|structure|columns?|fields?|describe|ddl)\b)")) {
    return table != nullptr ? describe(*table, look) : schema(outline, look);
  }
  if (table != nullptr &&
      says(prompt, R"(\b(show|sample|first|examples?|rows?|list|print|display)\b)")) {
    const int most = std::min(number_in(prompt, 10), static_cast<int>(kMostRows));
    return show_rows(look, fmt::format("SELECT * FROM {} LIMIT {}", quoted_name(table->name), most),
                     fmt::format("Rows of {}:", code_span(table->name)), most);
  }
  if (says(prompt, R"(\bviews?\b)") && table == nullptr) return reflected(look, "views", "views");
  return table != nullptr ? describe(*table, look) : overview(outline);
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
  if (look.is_waiting()) return "Looking at what the database is made of.";
  if (look.has_failed()) return "The database could not be read.";
  return answer_from(read_outline(columns, stats), prompt, look);
}

}  // namespace wright::offline
