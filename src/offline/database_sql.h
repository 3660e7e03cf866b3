// The SELECT that answers a question about a table, and the words that introduce its rows. Pure
// text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "offline/database_prompt.h"

namespace wright::offline {

// For the kinds rows, count, distinct_count, values, aggregate and extreme. Without a LIMIT where
// the question has none: sqlite_reader shows as many rows as it is told to, and says when there are
// more.
std::string sql_for(const DatabasePrompt& question);

// "The most frequent values of `country` in `customers`", without what ends it.
std::string lead_for(const DatabasePrompt& question);

// The columns that are compared, reckoned with or ranked as numbers. A column that is declared to
// hold numbers may have text in it, which is more than any number; in one of text, '9' is more than
// '10'.
std::vector<const DatabaseColumn*> to_check_for_numbers(const DatabasePrompt& question);

// How many values of the column are no numbers, whatever they are stored as.
std::string sql_to_check_numbers(const DatabaseColumn& column);

// How many rows of its table alone fit a condition, or have the value that it excludes.
std::string sql_to_count_fitting(const DatabaseCondition& condition);

// How many numbers of the column are no years.
std::string sql_to_check_years(const DatabaseColumn& column);

// How many values of the column are texts with nothing in them.
std::string sql_to_count_empty(const DatabaseColumn& column);

// For the kind distinct_count: how many values differ in more than their case.
std::string sql_to_count_spellings(const DatabasePrompt& question);

// For rows counted for each row of the other table: how many of those no row refers to; empty where
// not all of them are asked for.
std::string sql_to_count_childless(const DatabasePrompt& question);

// How many values are the number of a condition and would not be found, as text like '9.50' is not
// '9.5'; empty where there can be none.
std::string sql_to_count_other_spellings(const DatabaseCondition& condition);

// How many rows of the table the join leaves out, as they refer to nothing; empty where no row of
// the answer can be missing.
std::string sql_to_count_unmatched(const DatabasePrompt& question);

// Counts the values of the question's date column that are no dates as ISO text. Where they are
// only ranked, they may all be numbers.
std::string sql_to_check_dates(const DatabasePrompt& question);

// A column whose numbers are texts, maybe.
bool may_hold_text(const DatabaseColumn& column);

// For the kind extreme: the rows that are as good as the last one of the answer or better, which
// are more than it shows where several have the same.
std::string sql_to_show_best(const DatabasePrompt& question);
std::string sql_to_count_best(const DatabasePrompt& question);

// How many rows nobody can tell of whether a column "is not" something, as they have no value; one
// query for each such condition.
std::vector<std::pair<const DatabaseColumn*, std::string>> sql_to_count_missing(
    const DatabasePrompt& question);

// Tells which columns of the tables hold one of the texts, in any case: a row for each, with the
// name of the column, the text and the name of the table, those of the first text first.
std::string sql_to_find(const std::vector<const DatabaseTable*>& tables,
                        const std::vector<std::string>& texts);

}  // namespace wright::offline
