#include "offline/database_mentions.h"

#include <algorithm>

#include "offline/wording.h"

namespace wright::offline {
namespace {

// Longer names first, so that "order items" is not taken for "order".
template <class Named>
std::vector<const Named*> by_length(const std::vector<Named>& all) {
  std::vector<const Named*> sorted;
  sorted.reserve(all.size());
  for (const Named& each : all) sorted.push_back(&each);
  std::ranges::sort(sorted, [](const Named* first, const Named* second) {
    const std::size_t left = first->name.size();
    const std::size_t right = second->name.size();
    return left != right ? left > right : first < second;  // of one vector: as they stand there
  });
  return sorted;
}

// "tool_calls" and "calls" of "agent_tool_calls".
std::vector<std::string> ends_of(std::string_view name) {
  std::vector<std::string> ends;
  const std::vector<std::string> words = words_in_name(name);
  for (std::size_t from = 1; from < words.size(); ++from) {
    std::string end = words[from];
    for (std::size_t i = from + 1; i < words.size(); ++i) end += "_" + words[i];
    ends.push_back(std::move(end));
  }
  return ends;
}

std::optional<TableMention> half_mentioned_table(const DatabaseOutline& outline,
                                                 const std::vector<PromptWord>& words) {
  std::optional<TableMention> best;
  std::size_t longest = 0;
  bool is_only = false;
  for (const DatabaseTable& table : outline.tables) {
    for (const std::string& end : ends_of(table.name)) {
      const auto place = find_name(words, end);
      if (!place) continue;
      if (end.size() > longest) {
        best = TableMention{&table, *place};
        longest = end.size();
        is_only = true;
      } else if (end.size() == longest) {
        is_only = false;
      }
      break;  // the other ends are shorter
    }
  }
  return is_only ? best : std::nullopt;
}

// Whether a column may be meant by this one word of its name.
bool is_half_named(const DatabaseColumn& column, const std::string& word) {
  if (column.is_key || !name_has(column, {word})) return false;
  return !name_has(column, {"id"}) || words_in_name(column.name).size() == 2;
}

}  // namespace

bool name_has(const DatabaseColumn& column, std::initializer_list<std::string_view> wanted) {
  return std::ranges::any_of(words_in_name(column.name), [&](const std::string& word) {
    return std::ranges::find(wanted, singular(word)) != wanted.end();
  });
}

std::vector<TableMention> mentioned_tables(const DatabaseOutline& outline,
                                           const std::vector<PromptWord>& words) {
  std::vector<TableMention> found;
  std::vector<PromptWord> seen = words;
  for (const DatabaseTable* table : by_length(outline.tables)) {
    const auto place = find_name(seen, table->name);
    if (!place) continue;
    if (words[place->begin].kind == PromptWord::Kind::quoted) return {{table, *place}};
    explain(seen, *place);
    found.push_back({table, *place});
  }
  if (found.empty()) {
    if (const auto half = half_mentioned_table(outline, words)) found.push_back(*half);
  }
  std::ranges::sort(found, {}, [](const TableMention& mention) { return mention.range.begin; });
  return found;
}

std::vector<ColumnMention> mentioned_columns(const DatabaseTable& table,
                                             const std::vector<PromptWord>& words) {
  std::vector<ColumnMention> found;
  std::vector<PromptWord> seen = words;
  for (const DatabaseColumn* column : by_length(table.columns)) {
    const auto place = find_name(seen, column->name);
    if (!place) continue;
    explain(seen, *place);
    found.push_back({column, *place});
  }
  std::ranges::sort(found, {}, [](const ColumnMention& mention) { return mention.range.begin; });
  return found;
}

std::vector<ColumnMention> half_mentioned_columns(const DatabaseTable& table,
                                                  std::vector<PromptWord> words) {
  explain_grammar(words);
  std::vector<ColumnMention> found;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at].is_explained || words[at].kind != PromptWord::Kind::word) continue;
    const auto fits = [&](const DatabaseColumn& column) {
      return is_half_named(column, words[at].singular);
    };
    if (std::ranges::count_if(table.columns, fits) != 1) continue;
    found.push_back({&*std::ranges::find_if(table.columns, fits), {at, at + 1}, false});
  }
  return found;
}

const DatabaseTable* table_of_columns(const DatabaseOutline& outline,
                                      const std::vector<PromptWord>& words) {
  const DatabaseTable* best = nullptr;
  std::size_t most = 0;
  bool is_clear = true;
  for (const DatabaseTable& table : outline.tables) {
    std::vector<PromptWord> left = words;
    const std::vector<ColumnMention> whole = mentioned_columns(table, words);
    for (const ColumnMention& mention : whole) explain(left, mention.range);
    const std::size_t fits = 2 * whole.size() + half_mentioned_columns(table, left).size();
    if (fits == most) is_clear = false;
    if (fits <= most) continue;
    most = fits;
    best = &table;
    is_clear = true;
  }
  return is_clear ? best : nullptr;
}

}  // namespace wright::offline
