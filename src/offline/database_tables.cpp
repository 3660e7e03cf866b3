#include "offline/database_tables.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "offline/markdown.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

using Kind = DatabasePrompt::Kind;

class Tables {
 public:
  explicit Tables(DatabaseReading& read) : read_(read) {}

  void find_tables() {
    read_.tables = mentioned_tables(read_.outline, read_.words);
    const std::vector<TableMention>& found = read_.tables;
    for (const TableMention& mention : found) explain(read_.words, mention.range);
    if (found.size() > 2) {
      read_.question.problem = "it speaks of more than two tables";
      read_.question.table = found.front().table;
    } else if (found.size() == 2) {
      join(*found[0].table, *found[1].table);
    } else if (found.size() == 1) {
      read_.question.table = found[0].table;
      join_by_column(*found[0].table);
    }
    read_.is_table_named = !found.empty();
    if (read_.is_table_named) return;
    read_.question.table = table_of_columns(read_.outline, read_.words);
    if (read_.question.table == nullptr && read_.outline.tables.size() == 1 && asks_for_data())
      read_.question.table = &read_.outline.tables.front();
  }

  bool is_about_structure() {
    struct Structure {
      Kind kind;
      const char* pattern;
      std::vector<std::string_view> words;
    };
    static const std::array kStructures{
        Structure{Kind::foreign_keys,
                  R"(\b(foreign keys?|relations?|relationships?|related|belong together|refer)\b)",
                  {"foreign", "key", "relation", "relationship", "related", "belong", "together",
                   "refer", "other"}},
        Structure{Kind::indexes, R"(\bindex(es)?\b|\bindices\b)", {"index", "indexe", "indices"}},
        Structure{
            Kind::table_sizes,
            R"(\b(largest|biggest|most rows|most records)\b.*\btables?\b|\btables?\b.*\b(largest|biggest|most rows|most records)\b)",
            {"largest", "biggest", "most"}},
        Structure{
            Kind::table_sizes,
            R"(\b(smallest|(fewest|least) (rows|records))\b.*\btables?\b|\btables?\b.*\b(smallest|(fewest|least) (rows|records))\b)",
            {"smallest", "fewest", "least"}},
        Structure{
            Kind::empty_tables, R"(\bempty\b.*\btables?\b|\btables?\b.*\bempty\b)", {"empty"}},
        Structure{
            Kind::table_sizes,
            R"(\b(how many|counts?|number of|how large|how big|sizes?) (rows|records)?.*\b(each|every|per|all)( of the)? tables?\b|\brow counts\b|\b(each|every|per|all)( of the)? tables?\b.*\b(how many|counts?|sizes?)\b)",
            {"each", "per", "count", "number", "large", "big", "size"}},
    };
    for (const Structure& structure : kStructures) {
      if (!read_.says(structure.pattern)) continue;
      if (structure.kind == Kind::table_sizes && read_.counts_columns()) continue;
      std::vector<PromptWord> left = read_.words;
      take(left, structure.words);
      explain_grammar(left);
      if (!unexplained(left).empty()) continue;
      read_.question = {};
      read_.question.kind = structure.kind;
      read_.question.is_descending = !read_.says(R"(\b(smallest|fewest|least)\b)");
      return true;
    }
    if (!read_.says(R"(\b(which|what|how many) tables?\b)")) return false;
    // "Which tables have a column customer_id?"
    const auto column = longest_column();
    if (!column) return false;
    std::vector<PromptWord> left = read_.words;
    explain(left, column->range);
    take(left, {"called", "named"});
    explain_grammar(left);
    if (!unexplained(left).empty()) return false;
    read_.question = {};
    read_.question.kind = Kind::column_search;
    read_.question.measure = column->column;
    return true;
  }

 private:
  // The column with the longest name that is said, of whichever table.
  std::optional<ColumnMention> longest_column() const {
    std::optional<ColumnMention> longest;
    for (const DatabaseTable& table : read_.outline.tables) {
      for (const ColumnMention& mention : mentioned_columns(table, read_.words)) {
        if (!longest || mention.column->name.size() > longest->column->name.size())
          longest = mention;
      }
    }
    return longest;
  }

  // "Sum of quantity per product": the column is that of the only table that refers to products.
  void join_by_column(const DatabaseTable& named) {
    if (!mentioned_columns(named, read_.words).empty()) return;
    const DatabaseTable* child = nullptr;
    for (const ForeignKey& key : read_.outline.keys) {
      const auto table = std::ranges::find(read_.outline.tables, key.table, &DatabaseTable::name);
      if (key.other_table != named.name || table == read_.outline.tables.end()) continue;
      if (mentioned_columns(*table, read_.words).empty()) continue;
      if (child != nullptr && child != &*table) return;
      child = &*table;
    }
    if (child != nullptr) join(*child, named);
  }

  // The table that refers to the other one has what is asked about: orders rather than customers.
  void join(const DatabaseTable& first, const DatabaseTable& second) {
    std::size_t ways = 0;
    for (const ForeignKey& key : read_.outline.keys) {
      const bool forth = key.table == first.name && key.other_table == second.name;
      const bool back = key.table == second.name && key.other_table == first.name;
      if (!forth && !back) continue;
      ++ways;
      read_.question.join = &key;
      read_.question.table = forth ? &first : &second;
    }
    if (ways == 1) return;
    read_.question.table = &first;
    read_.question.join = nullptr;
    read_.question.problem =
        fmt::format("{} and {} {}", code_span(first.name), code_span(second.name),
                    ways == 0 ? "are joined by no foreign key" : "are joined in several ways");
  }

  // Not what the database is made of; with one table alone, nobody says which.
  bool asks_for_data() const {
    std::vector<PromptWord> known = read_.words;
    take(known, {"schema", "structure", "ddl", "describe", "definition", "count", "number"});
    explain_grammar(known);
    return !unexplained(known).empty();
  }

  DatabaseReading& read_;
};

}  // namespace

void find_tables(DatabaseReading& read) {
  Tables(read).find_tables();
}

bool is_about_structure(DatabaseReading& read) {
  return Tables(read).is_about_structure();
}

}  // namespace wright::offline
