#include "offline/database_subject.h"

#include <fmt/format.h>

#include <algorithm>

#include "offline/markdown.h"

namespace wright::offline {
namespace {

using Kind = DatabasePrompt::Kind;

// "customer orders" are orders; what "how many" counts is what comes next.
const DatabaseTable* subject_of(const DatabaseReading& read) {
  std::size_t counted = 0;
  for (std::size_t at = 0; at < read.words.size(); ++at) {
    if (read.is_word(at, {"many", "number", "count"})) counted = at;
  }
  const TableMention* subject = nullptr;
  for (const TableMention& mention : read.tables) {
    if (mention.range.begin < counted) continue;
    if (subject == nullptr || subject->range.end == mention.range.begin) subject = &mention;
  }
  if (subject == nullptr && !read.tables.empty()) subject = &read.tables.front();
  return subject == nullptr ? nullptr : subject->table;
}

bool has_open_number(const DatabaseReading& read) {
  return std::ranges::any_of(read.words, [](const PromptWord& word) {
    return word.kind == PromptWord::Kind::number && !word.is_explained;
  });
}

std::string cannot_join(const DatabaseReading& read) {
  return fmt::format("I cannot tell how {} and {} are to be put together",
                     code_span(read.question.join->table),
                     code_span(read.question.join->other_table));
}

}  // namespace

void decide_subject(DatabaseReading& read) {
  DatabasePrompt& question = read.question;
  const DatabaseTable* parent = joined_table(read.outline, question);
  const bool is_of_rows = question.kind == Kind::rows || question.kind == Kind::describe ||
                          question.kind == Kind::count || question.kind == Kind::distinct_count ||
                          question.kind == Kind::values || question.kind == Kind::aggregate;
  if (parent == nullptr || !is_of_rows) return;
  const auto is_of_parent = [&](const DatabaseColumn* column) {
    return column != nullptr && column->table == parent->name;
  };
  const auto is_of_child = [&](const DatabaseColumn* column) {
    return column != nullptr && column->table != parent->name;
  };
  const bool is_by_parent = is_of_parent(question.group) &&
                            question.group->name == question.join->other_column &&
                            (question.kind == Kind::values || question.kind == Kind::aggregate);
  const bool is_asked_of_parent = question.kind == Kind::aggregate
                                      ? is_of_parent(question.measure) && !is_by_parent
                                      : subject_of(read) == parent && !is_by_parent;
  if (!is_asked_of_parent) {
    if (is_of_parent(question.measure)) read.problem(cannot_join(read));
    return;
  }
  // A list of both has no such word between them, and "with their orders" asks for both.
  const bool is_told = read.says(R"(\b(with|has|have|had|having|whose|who|that)\b)") &&
                       !read.says(R"(\b(and|their|its|only|per|by)\b)") &&
                       !read.says(R"(\b(with|has|have|had|having)\b.*\b(all|every|each)\b)");
  const bool is_negative =
      std::ranges::any_of(question.conditions, [&](const DatabaseCondition& condition) {
        return is_of_child(condition.column) &&
               (condition.comparison == "<>" || condition.comparison == "IS NULL");
      });
  const bool shows_other = std::ranges::any_of(question.shown, is_of_child) ||
                           is_of_child(question.group) || !question.period.empty();
  if (subject_of(read) != parent || !is_told || is_negative || shows_other || has_open_number(read))
    return read.problem(cannot_join(read));
  question.is_of_parents = true;
  if (question.kind == Kind::describe) question.kind = Kind::rows;
}

}  // namespace wright::offline
