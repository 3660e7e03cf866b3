#include "offline/database_checks.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "offline/database_query.h"
#include "offline/database_reading.h"
#include "offline/database_sql.h"
#include "offline/database_words.h"
#include "offline/markdown.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

// "Berlin and France": no row has to have both, where they are values of two columns.
std::string problem_of_pairs(const DatabasePrompt& question) {
  const auto& all = question.conditions;
  for (const DatabaseCondition& first : all) {
    for (const DatabaseCondition& second : all) {
      if (first.column == second.column || first.value.empty() || second.value.empty()) continue;
      const RE2 pair(fmt::format(R"((?i)\b{}\W+and\W+{}\b)", quote_for_regex(first.value),
                                 quote_for_regex(second.value)));
      if (RE2::PartialMatch(question.prompt, pair)) {
        return fmt::format("I cannot tell how {} of {} and {} of {} go together",
                           code_span(first.value), code_span(first.column->name),
                           code_span(second.value), code_span(second.column->name));
      }
    }
  }
  return {};
}

std::string problem_of_dates(const DatabasePrompt& question, Investigation& look) {
  if (question.date == nullptr) return {};
  if (count_in(query_database(look, sql_to_check_dates(question), 1)) == 0) return {};
  return fmt::format("{} does not hold dates as text, like 2025-01-31",
                     code_span(question.date->name));
}

// Texts that are all numbers are noted as such.
std::string problem_of_numbers(DatabasePrompt& question, Investigation& look) {
  std::string problem;
  for (const DatabaseColumn* column : to_check_for_numbers(question)) {
    const Json checked = query_database(look, sql_to_check_numbers(*column), 1);
    const bool is_text = may_hold_text(*column);
    if (count_in(checked) != 0) {
      problem = code_span(column->name) +
                (is_text ? " is text that is not all numbers" : " has values that are no numbers");
    } else if (is_text) {
      question.numbers_in_text.push_back(column);
    }
  }
  return problem;
}

std::string problem_of_spellings(const DatabasePrompt& question, Investigation& look) {
  std::string problem;
  for (const DatabaseCondition& condition : question.conditions) {
    const std::string sql = sql_to_count_other_spellings(condition);
    if (sql.empty() || condition.column == question.date) continue;
    if (count_in(query_database(look, sql, 1)) == 0) continue;
    problem = fmt::format("{} of {} is written in several ways", code_span(condition.value),
                          code_span(condition.column->name));
  }
  return problem;
}

bool has_several_words(std::string_view text) {
  return text.contains(' ');
}

// "UK ordered" and "empty" are no values of a column, but what else the question says of it.
std::string problem_of_values(const DatabasePrompt& question, Investigation& look) {
  std::string problem;
  for (const DatabaseCondition& condition : question.conditions) {
    const bool is_name = !condition.value.empty() && !may_be_date(*condition.column) &&
                         (condition.value.front() < 'a' || condition.value.front() > 'z');
    const bool is_pattern = condition.comparison != "=" && condition.comparison != "<>";
    if (!condition.is_typed_plainly || condition.value.empty()) continue;
    if ((is_name || is_pattern) && !has_several_words(condition.value)) continue;
    if (count_in(query_database(look, sql_to_count_fitting(condition), 1)).value_or(0) > 0)
      continue;
    problem = is_pattern ? fmt::format("nothing in {} has {}", code_span(condition.column->name),
                                       code_span(condition.value))
                         : fmt::format("{} is no value of {}", code_span(condition.value),
                                       code_span(condition.column->name));
  }
  return problem;
}

// What "joined" holds may be the seconds since 1970.
std::string problem_of_years(const DatabasePrompt& question, Investigation& look) {
  std::string problem;
  for (const DatabaseCondition& condition : question.conditions) {
    if (!condition.is_year) continue;
    if (count_in(query_database(look, sql_to_check_years(*condition.column), 1)) == 0) continue;
    problem = fmt::format("{} has numbers that are no years", code_span(condition.column->name));
  }
  return problem;
}

// A status may be stored as "unknown".
std::string problem_of_missing(const DatabasePrompt& question, Investigation& look) {
  std::string problem;
  for (const DatabaseCondition& condition : question.conditions) {
    if (!condition.comparison.starts_with("IS") || condition.value.empty()) continue;
    if (count_in(query_database(look, sql_to_count_fitting(condition), 1)) == 0) continue;
    problem = fmt::format("{} is also a value of {}: say `{} = '{}'`, or `{} is null`",
                          code_span(condition.value), code_span(condition.column->name),
                          condition.column->name, condition.value, condition.column->name);
  }
  return problem;
}

std::string note_on_empty_texts(const DatabasePrompt& question, Investigation& look) {
  std::string notes;
  for (const DatabaseCondition& condition : question.conditions) {
    if (!condition.comparison.starts_with("IS")) continue;
    const auto count = count_in(query_database(look, sql_to_count_empty(*condition.column), 1));
    if (count == 0) continue;
    notes += fmt::format("\n\nA text with nothing in it is not missing; {} of {} {} one.",
                         count ? counted(*count, "value", "values") : std::string("some values"),
                         code_span(condition.column->name), count == 1 ? "is" : "are");
  }
  if (question.kind != DatabasePrompt::Kind::distinct_count) return notes;
  const auto empty = count_in(query_database(look, sql_to_count_empty(*question.group), 1));
  if (empty != 0) notes += "\n\nA text with nothing in it counts as one of them.";
  const auto plain = count_in(query_database(look, sql_for(question), 1));
  const auto folded = count_in(query_database(look, sql_to_count_spellings(question), 1));
  if (plain && folded && *folded < *plain) {
    notes += fmt::format("\n\nThey are {} when capitals and small letters are the same.",
                         with_separators(*folded));
  }
  return notes;
}

// SQLite knows the capitals of A to Z alone.
std::string note_on_letters(const DatabasePrompt& question) {
  const auto has_others = [](const DatabaseCondition& condition) {
    return !condition.comparison.starts_with("IS") &&
           std::ranges::any_of(condition.value, [](char c) { return (c & 0x80) != 0; });
  };
  if (std::ranges::none_of(question.conditions, has_others)) return {};
  return "\n\nLetters other than A to Z are compared as they are typed: É is not é.";
}

std::string note_on_childless(const DatabasePrompt& question, Investigation& look) {
  const std::string sql = sql_to_count_childless(question);
  if (sql.empty()) return {};
  const auto count = count_in(query_database(look, sql, 1));
  if (count == 0) return {};
  return fmt::format("\n\nNot among these: {} of {} that no row of {} refers to.",
                     count ? counted(*count, "row", "rows") : std::string("rows"),
                     code_span(question.join->other_table), code_span(question.join->table));
}

std::string note_on_unmatched(const DatabasePrompt& question, Investigation& look) {
  const std::string unmatched = sql_to_count_unmatched(question);
  if (unmatched.empty()) return {};
  const auto count = count_in(query_database(look, unmatched, 1));
  if (!count) {
    return fmt::format("\n\nRows of {} that refer to no row of {} are not among these.",
                       code_span(question.join->table), code_span(question.join->other_table));
  }
  if (*count == 0) return {};
  return fmt::format("\n\nNot among these: {} of {} that {} to no row of {}.",
                     counted(*count, "row", "rows"), code_span(question.join->table),
                     *count == 1 ? "refers" : "refer", code_span(question.join->other_table));
}

// "Whose city is not Berlin" is true of no row that has no city.
std::string note_on_missing(const DatabasePrompt& question, Investigation& look) {
  std::string notes;
  for (const auto& [column, sql] : sql_to_count_missing(question)) {
    const auto count = count_in(query_database(look, sql, 1));
    if (count == 0) continue;
    notes += fmt::format("\n\nNot among these: {} without a value in {}.",
                         count ? counted(*count, "row", "rows") : std::string("rows"),
                         code_span(column->name));
  }
  return notes;
}

}  // namespace

void find_values(DatabasePrompt& question, const DatabaseOutline& outline, Investigation& look) {
  constexpr std::size_t kMostValues = 3;
  if (question.unexplained.size() > kMostValues || question.table->columns.empty()) return;
  std::vector<const DatabaseTable*> tables{question.table};
  if (const DatabaseTable* other = joined_table(outline, question)) tables.push_back(other);
  std::vector<Json> found;
  for (const std::string& text : question.unexplained) {
    std::vector<std::string> forms{text};  // "errors" may be the ones whose level is error
    if (singular(text) != lower(text)) forms.push_back(singular(text));
    found.push_back(query_database(look, sql_to_find(tables, forms)));
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
        const bool is_count = std::ranges::count(question.counts, places[0][1]) > 0;
        if (column != table->columns.end() && column->is_key && is_count) {
          question.problem = fmt::format("{} may be the value of a key, or how many are wanted",
                                         code_span(places[0][1]));
        }
        if (table->name == places[0][2] && column != table->columns.end())
          question.conditions.push_back({&*column, "=", places[0][1]});
      }
    }
  }
  question.unexplained = std::move(left);
  if (question.problem.empty()) question.problem = problem_of_conditions(question);
  if (question.problem.empty()) question.problem = problem_of_pairs(question);
}

DataChecks check_data(DatabasePrompt& question, Investigation& look) {
  DataChecks checks;
  // All are asked at once.
  std::array problems{problem_of_dates(question, look),     problem_of_numbers(question, look),
                      problem_of_spellings(question, look), problem_of_values(question, look),
                      problem_of_missing(question, look),   problem_of_years(question, look)};
  for (std::string& problem : problems) {
    if (checks.problem.empty()) checks.problem = std::move(problem);
  }
  checks.notes = note_on_unmatched(question, look) + note_on_childless(question, look) +
                 note_on_missing(question, look) + note_on_empty_texts(question, look) +
                 note_on_letters(question);
  return checks;
}

}  // namespace wright::offline
