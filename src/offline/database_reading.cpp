#include "offline/database_reading.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "offline/markdown.h"
#include "offline/regex_text.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

bool type_has(const DatabaseColumn& column, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return contains_ignoring_case(column.type, part); });
}

}  // namespace

bool is_number(const DatabaseColumn& column) {
  return type_has(column, {"int", "real", "num", "dec", "floa", "doub"}) && !column.is_key &&
         !name_has(column, {"id"});
}

bool is_date(const DatabaseColumn& column) {
  const std::vector<std::string> words = words_in_name(column.name);
  if (!words.empty() && (words.back() == "at" || words.back() == "on")) return true;
  return type_has(column, {"date", "time"}) ||
         name_has(column, {"date", "time", "timestamp", "created", "updated", "day"});
}

bool is_text(const DatabaseColumn& column) {
  return type_has(column, {"char", "text", "clob"});
}

DatabaseReading::DatabaseReading(const DatabaseOutline& of, std::string_view asked)
    : outline(of), prompt(asked), words(prompt_words(asked)) {
  // "how many rows in total" does not speak of a column that is called total.
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (is_word(at - 1, {"in"}) && is_word(at, {"total"})) words[at].is_explained = true;
  }
}

bool DatabaseReading::says(const char* pattern) const {
  return RE2::PartialMatch(piece(prompt), RE2(fmt::format("(?i){}", pattern)));
}

bool DatabaseReading::is_word(std::size_t at,
                              std::initializer_list<std::string_view> wanted) const {
  return is_word(at, std::span(wanted.begin(), wanted.size()));
}

bool DatabaseReading::is_word(std::size_t at, std::span<const std::string_view> wanted) const {
  return at < words.size() && words[at].kind == PromptWord::Kind::word &&
         std::ranges::find(wanted, lower(words[at].text)) != wanted.end();
}

bool DatabaseReading::is_used(const ColumnMention& mention) const {
  return std::ranges::find(used, mention.range.begin) != used.end();
}

const DatabaseColumn* DatabaseReading::take_free() {
  for (const ColumnMention& mention : mentions) {
    if (is_used(mention)) continue;
    use(mention);
    return mention.column;
  }
  return nullptr;
}

bool DatabaseReading::has_free() const {
  return std::ranges::any_of(mentions, [&](const auto& each) { return !is_used(each); });
}

const DatabaseColumn* DatabaseReading::only(bool (*fits)(const DatabaseColumn&),
                                            std::initializer_list<std::string_view> names) const {
  const DatabaseColumn* found = nullptr;
  for (const DatabaseColumn& column : question.table->columns) {
    if (!fits(column) || (names.size() > 0 && !name_has(column, names))) continue;
    if (found != nullptr) return nullptr;
    found = &column;
  }
  return found;
}

const DatabaseColumn* DatabaseReading::date_column() {
  for (const ColumnMention& mention : mentions) {
    if (!is_date(*mention.column)) continue;
    use(mention);
    return mention.column;
  }
  if (question.table == nullptr) return nullptr;
  const DatabaseColumn* found = only(is_date);
  if (found == nullptr && question.problem.empty()) {
    question.problem = fmt::format("{} does not have exactly one column with dates",
                                   code_span(question.table->name));
  }
  return found;
}

void DatabaseReading::problem(std::string why) {
  if (question.problem.empty()) question.problem = std::move(why);
}

}  // namespace wright::offline
