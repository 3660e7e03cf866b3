// What is understood so far of a question about a database: its words, the tables and columns they
// name, and which of those have a part in the question yet. The steps of the understanding take
// what they recognise (database_tables.h, database_parts.h, database_decision.h).
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "offline/database_mentions.h"
#include "offline/database_prompt.h"
#include "offline/database_words.h"

namespace wright::offline {

bool is_number(const DatabaseColumn& column);
bool is_date(const DatabaseColumn& column);
// Also "hired" and "born", of which the name alone does not tell for sure.
bool may_be_date(const DatabaseColumn& column);
// Numbers that are years: "published before 1975".
bool may_be_year(const DatabaseColumn& column);
// Who is the oldest is a question of these where a table has them.
bool is_age(const DatabaseColumn& column);
bool is_birth(const DatabaseColumn& column);

// "2025", "2025-03" or "2025-03-01", as far as it may be a date.
bool looks_like_date(const PromptWord& word);

struct DatabaseReading {
  DatabaseReading(const DatabaseOutline& outline, std::string_view prompt);

  // Whether the prompt has the pattern, whatever its case.
  bool says(const char* pattern) const;
  // "how many columns": what is counted are no rows.
  bool counts_columns() const;
  bool is_word(std::size_t at, std::initializer_list<std::string_view> wanted) const;
  bool is_word(std::size_t at, std::span<const std::string_view> wanted) const;
  void explain_at(std::size_t at) { words[at].is_explained = true; }

  bool is_used(const ColumnMention& mention) const;
  void use(const ColumnMention& mention) { used.push_back(mention.range.begin); }
  bool has_free() const;
  // The first mention that has no part yet, which it now has.
  const DatabaseColumn* take_free();

  // The only column of the table that fits; null when none or several do.
  const DatabaseColumn* only(bool (*fits)(const DatabaseColumn&),
                             std::initializer_list<std::string_view> names = {}) const;
  // The one with dates; where it is not clear which, that is the problem of the question.
  const DatabaseColumn* date_column();
  // The column is compared as one with dates, which the data must bear out.
  void set_date(const DatabaseColumn& column);

  // Why the question cannot be answered; the first reason counts.
  void problem(std::string why);

  const DatabaseOutline& outline;
  std::string prompt;
  std::vector<PromptWord> words;
  std::vector<TableMention> tables;
  std::vector<ColumnMention> mentions;  // in the order of the prompt
  std::vector<std::size_t> used;        // where the mentions begin that have a part
  bool is_table_named = false;
  bool is_ranked_by = false;  // "by insertions"
  DatabasePrompt question;
};

}  // namespace wright::offline
