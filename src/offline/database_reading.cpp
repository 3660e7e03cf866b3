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

// "hired", "born_on", "released": what was done then, and not a "speed".
bool is_participle(const DatabaseColumn& column) {
  const std::vector<std::string> words = words_in_name(column.name);
  if (words.empty()) return false;
  const std::string& last = words.back();
  return last.size() > 4 && last.ends_with("ed") && !last.ends_with("eed");
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

bool may_be_date(const DatabaseColumn& column) {
  if (is_date(column)) return true;
  if (!is_text(column) && !column.type.empty()) return false;
  return is_participle(column) || is_birth(column) ||
         name_has(column, {"start", "end", "since", "until", "due", "expiry", "month", "year"});
}

bool may_be_year(const DatabaseColumn& column) {
  if (!is_number(column)) return false;
  return name_has(column, {"year"}) || (!is_date(column) && is_participle(column));
}

bool is_age(const DatabaseColumn& column) {
  return name_has(column, {"age"});
}

bool is_birth(const DatabaseColumn& column) {
  return name_has(column, {"birth", "birthday", "birthdate", "birthyear", "born", "dob"});
}

bool looks_like_date(const PromptWord& word) {
  static const RE2 kDate(R"(\d{4}(?:-\d\d(?:-\d\d)?)?)");
  if (word.kind != PromptWord::Kind::number || !RE2::FullMatch(word.text, kDate)) return false;
  return word.text.size() > 4 || (word.text >= "1900" && word.text <= "2100");
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

bool DatabaseReading::counts_columns() const {
  return says(
      R"(\b(how many|number of|counts?( of)?( the)?) (\w+ ){0,2}(columns|fields)\b|\b(column|field) count\b)");
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
  const ColumnMention* named = nullptr;
  for (const ColumnMention& mention : mentions) {
    if (!may_be_date(*mention.column)) continue;
    if (named != nullptr && named->column != mention.column) {
      problem(fmt::format("it speaks of {} and of {}, which may both be dates",
                          code_span(named->column->name), code_span(mention.column->name)));
      return nullptr;
    }
    named = &mention;
  }
  if (named != nullptr) {
    use(*named);
    return named->column;
  }
  if (question.table == nullptr) return nullptr;
  // Beside a year of publication, nobody knows which of them is meant.
  const bool has_years = std::ranges::any_of(question.table->columns, may_be_year);
  const DatabaseColumn* found = has_years ? nullptr : only(may_be_date);
  if (found == nullptr) {
    problem(fmt::format("{} does not have exactly one column with dates",
                        code_span(question.table->name)));
  }
  return found;
}

void DatabaseReading::set_date(const DatabaseColumn& column) {
  if (question.date != nullptr && question.date != &column) problem("it compares two dates");
  question.date = &column;
}

void DatabaseReading::problem(std::string why) {
  if (question.problem.empty()) question.problem = std::move(why);
}

}  // namespace wright::offline
