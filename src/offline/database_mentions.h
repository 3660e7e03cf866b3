// Which tables and columns the words of a question speak of. Pure.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "offline/database_outline.h"
#include "offline/database_words.h"

namespace wright::offline {

struct TableMention {
  const DatabaseTable* table = nullptr;
  WordRange range;
};

struct ColumnMention {
  const DatabaseColumn* column = nullptr;
  WordRange range;
  bool is_whole = true;  // the name, not a word of it
};

// Whether a column's name has one of these words, given in the singular, in it.
bool name_has(const DatabaseColumn& column, std::initializer_list<std::string_view> wanted);

// The tables that are spoken of, in the order of the words. One in quotes stands alone. Where no
// whole name is said, the end of one that no other table has: "sessions" for agent_sessions.
std::vector<TableMention> mentioned_tables(const DatabaseOutline& outline,
                                           const std::vector<PromptWord>& words);

// The columns whose whole names are said, in the order of the words.
std::vector<ColumnMention> mentioned_columns(const DatabaseTable& table,
                                             const std::vector<PromptWord>& words);

// "country" for BillingCountry: words that nothing explains and that one column alone has in its
// name. Keys do not count, and the id of something only where nothing else is in its name.
std::vector<ColumnMention> half_mentioned_columns(const DatabaseTable& table,
                                                  std::vector<PromptWord> words);

// The only table that has all of the columns that are said, when no table is; whole names count
// before words of names. Null when none has any, or several have as many.
const DatabaseTable* table_of_columns(const DatabaseOutline& outline,
                                      const std::vector<PromptWord>& words);

}  // namespace wright::offline
