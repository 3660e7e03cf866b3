// A question about a database, as a value: what is asked of which table, compared, grouped and
// sorted how. Looks at the prompt and at the outline, at no data. Every word must find its place: a
// word that is passed over makes the answer one to another question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "offline/database_outline.h"

namespace wright::offline {

struct DatabaseCondition {
  const DatabaseColumn* column = nullptr;
  std::string comparison = "=";  // a sign of SQL, "IS NULL", "starts", "ends" or "contains"
  std::string value = {};
  bool is_typed_plainly = false;  // a word without quotes, which may be none of the values
  bool is_year = false;           // the numbers of the column must be years
};

struct DatabasePrompt {
  enum class Kind : std::uint8_t {
    overview,
    table_sizes,    // how many rows each table has, and which is the largest
    empty_tables,   // which have no rows
    table_count,    // how many tables there are
    column_search,  // which tables have the column
    schema,
    describe,
    foreign_keys,
    indexes,
    views,
    change,  // something else than reading
    rows,    // those, with the columns of `shown` or all
    count,
    distinct_count,
    values,     // rows counted for each value of `group` or each `period`
    aggregate,  // `function` of `measure`, for each value of `group` where there is one
    extreme,    // the rows with the largest or smallest `measure`
  };
  std::string prompt = {};  // as it was typed
  Kind kind = Kind::overview;
  const DatabaseTable* table = nullptr;
  const ForeignKey* join = nullptr;  // from `table` to the other one that is asked about
  bool is_of_parents = false;        // asks for rows of the other one that such rows refer to
  const DatabaseColumn* group = nullptr;
  const DatabaseColumn* label = nullptr;  // shown beside `group`, which is a key of the other table
  const DatabaseColumn* measure = nullptr;
  std::string period = {};               // year, month or day of `date`, to group by
  const DatabaseColumn* date = nullptr;  // must hold dates as ISO text: to be checked
  std::vector<const DatabaseColumn*> shown = {};
  std::string function = {};  // avg, sum, max or min
  bool is_descending = true;
  std::optional<int> limit = {};
  std::vector<DatabaseCondition> conditions = {};
  bool says_or = false;   // between conditions, maybe
  bool says_and = false;  // or has a comma
  // Those whose texts are all numbers, as was found out: they are compared as numbers.
  std::vector<const DatabaseColumn*> numbers_in_text = {};
  std::vector<std::string> unexplained = {};  // what nothing in the outline explains: values, maybe
  std::vector<std::string> counts = {};       // numbers before the table: "2 projects"
  std::string problem = {};  // why it cannot be answered, where that is clear already
};

// The pointers point into `outline`.
DatabasePrompt understand_database(const DatabaseOutline& outline, std::string_view prompt);

// Why it is not clear how the conditions go together, also those that were found in the data; empty
// where it is.
std::string problem_of_conditions(const DatabasePrompt& question);

bool is_text(const DatabaseColumn& column);

// The other table of the question's join; null without one.
const DatabaseTable* joined_table(const DatabaseOutline& outline, const DatabasePrompt& question);

}  // namespace wright::offline
