#include "offline/database_prompt.h"

#include <fmt/format.h>

#include <algorithm>

#include "offline/database_decision.h"
#include "offline/database_parts.h"
#include "offline/database_reading.h"
#include "offline/database_tables.h"
#include "offline/markdown.h"

namespace wright::offline {
namespace {

void add_mentions(DatabaseReading& read, const DatabaseTable& table) {
  for (const bool is_half : {false, true}) {
    for (const ColumnMention& mention : is_half ? half_mentioned_columns(table, read.words)
                                                : mentioned_columns(table, read.words)) {
      explain(read.words, mention.range);
      read.mentions.push_back(mention);
    }
  }
  std::ranges::sort(read.mentions, {}, [](const ColumnMention& each) { return each.range.begin; });
}

}  // namespace

const DatabaseTable* joined_table(const DatabaseOutline& outline, const DatabasePrompt& question) {
  if (question.join == nullptr) return nullptr;
  const auto found =
      std::ranges::find(outline.tables, question.join->other_table, &DatabaseTable::name);
  return found == outline.tables.end() ? nullptr : &*found;
}

std::string problem_of_conditions(const DatabasePrompt& question) {
  const auto& all = question.conditions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      if (all[i].column != all[k].column) {
        if (question.says_or) return "it has an \"or\" between two columns";
        continue;
      }
      const bool are_values = all[i].comparison == "=" && all[k].comparison == "=";
      const auto is_limit = [](const DatabaseCondition& each) {
        return each.comparison.contains('<') || each.comparison.contains('>');
      };
      const bool are_limits = is_limit(all[i]) && is_limit(all[k]);
      const bool is_clear =
          are_values ? question.says_or || question.says_and : are_limits && !question.says_or;
      if (!is_clear) {
        return fmt::format("I cannot tell how {} and {} of {} go together", code_span(all[i].value),
                           code_span(all[k].value), code_span(all[i].column->name));
      }
    }
  }
  return {};
}

DatabasePrompt understand_database(const DatabaseOutline& outline, std::string_view prompt) {
  DatabaseReading read(outline, prompt);
  if (read.says(
          R"(^\W*(please |can you |could you )?(delete|drop|insert|update|remove|alter|create|add|truncate|rename|change)\b)")) {
    read.question.kind = DatabasePrompt::Kind::change;
    return std::move(read.question);
  }
  find_tables(read);
  if (is_about_structure(read)) return std::move(read.question);
  if (read.question.table != nullptr) {
    add_mentions(read, *read.question.table);
    if (const DatabaseTable* other = joined_table(outline, read.question)) {
      add_mentions(read, *other);
    }
  }
  take_parts(read);
  decide(read);
  explain_grammar(read.words);
  read.question.unexplained = unexplained(read.words);
  for (const TableMention& mention : read.tables) {
    const std::size_t at = mention.range.begin;
    if (at > 0 && read.words[at - 1].kind == PromptWord::Kind::number)
      read.question.counts.push_back(read.words[at - 1].text);
  }
  read.question.prompt = prompt;
  return std::move(read.question);
}

}  // namespace wright::offline
