#include "offline/database_question.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "offline/database_mentions.h"
#include "offline/database_words.h"
#include "offline/markdown.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

using Kind = DatabaseQuestion::Kind;

bool says(std::string_view prompt, const char* pattern) {
  return RE2::PartialMatch(re2::StringPiece(prompt.data(), prompt.size()),
                           RE2(fmt::format("(?i){}", pattern)));
}

bool type_has(const DatabaseColumn& column, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return contains_ignoring_case(column.type, part); });
}

bool is_number(const DatabaseColumn& column) {
  return type_has(column, {"int", "real", "num", "dec", "floa", "doub"}) && !column.is_key &&
         !name_has(column, {"id"});
}

bool is_date(const DatabaseColumn& column) {
  const std::vector<std::string> words = words_in_name(column.name);
  if (!words.empty() && (words.back() == "at" || words.back() == "on")) return true;
  return type_has(column, {"date", "time"}) ||
         name_has(column, {"date", "time", "timestamp", "created", "updated", "ts", "day"});
}

class Understanding {
 public:
  Understanding(const DatabaseOutline& outline, std::string_view prompt)
      : outline_(outline), prompt_(prompt), words_(prompt_words(prompt)) {
    // "how many rows in total" does not speak of a column that is called total.
    for (std::size_t at = 1; at < words_.size(); ++at) {
      if (is_word(at - 1, {"in"}) && is_word(at, {"total"})) words_[at].is_explained = true;
    }
  }

  DatabaseQuestion question() {
    if (is_about_structure()) return std::move(question_);
    find_table();
    if (question_.table != nullptr) add_mentions(mentioned_columns(*question_.table, words_));
    const bool searches_column = !mentions_.empty() && says(prompt_, R"(\b(which|what) tables?\b)");
    if (searches_column) return about_column();
    if (question_.table != nullptr) add_mentions(half_mentioned_columns(*question_.table, words_));
    decide();
    explain_grammar(words_);
    question_.unexplained = unexplained(words_);
    return std::move(question_);
  }

 private:
  // What is asked of the database as a whole, whatever it contains.
  bool is_about_structure() {
    const auto is = [&](Kind kind) {
      question_.kind = kind;
      return true;
    };
    if (says(
            prompt_,
            R"(^\W*(please |can you |could you )?(delete|drop|insert|update|remove|alter|create|add|truncate|rename|change)\b)")) {
      return is(Kind::change);
    }
    if (says(prompt_, R"(\b(foreign keys?|relations?|relationships?|related|refer(s|ences)?)\b)")) {
      return is(Kind::foreign_keys);
    }
    if (says(prompt_, R"(\bindex(es)?\b|\bindices\b)")) return is(Kind::indexes);
    if (says(
            prompt_,
            R"(\b(largest|biggest|most rows|most records)\b.*\btables?\b|\btables?\b.*\b(largest|biggest|most rows|most records)\b)")) {
      return is(Kind::largest_table);
    }
    if (says(prompt_, R"(\b(each|every|per|all)( of the)? tables?\b.*|\brow counts\b)") &&
        says(prompt_, R"(\b(how many|count|counts|number of|how large|how big|sizes?|rows)\b)")) {
      return is(Kind::table_sizes);
    }
    return false;
  }

  void find_table() {
    if (const auto mention = mentioned_table(outline_, words_)) {
      question_.table = mention->table;
      is_table_named_ = true;
      explain(words_, mention->range);
      return;
    }
    question_.table = table_of_columns(outline_, words_);
    const bool is_clear = outline_.tables.size() == 1 && asks_for_data();
    if (question_.table == nullptr && is_clear) question_.table = &outline_.tables.front();
  }

  // Not what the database is made of; with one table alone, nobody says which.
  bool asks_for_data() const {
    std::vector<PromptWord> known = words_;
    take(known, {"schema", "structure", "ddl", "describe", "definition", "count", "number"});
    explain_grammar(known);
    return !unexplained(known).empty();
  }

  void add_mentions(const std::vector<ColumnMention>& found) {
    for (const ColumnMention& mention : found) {
      explain(words_, mention.range);
      mentions_.push_back(mention);
    }
    std::ranges::sort(mentions_, {},
                      [](const ColumnMention& mention) { return mention.range.begin; });
  }

  DatabaseQuestion about_column() {
    question_.kind = Kind::column_search;
    question_.measure = mentions_.front().column;
    return std::move(question_);
  }

  bool is_word(std::size_t at, std::initializer_list<std::string_view> wanted) const {
    return at < words_.size() && words_[at].kind == PromptWord::Kind::word &&
           std::ranges::find(wanted, lower(words_[at].text)) != wanted.end();
  }

  // "by the country", "for each country"
  void find_group() {
    for (const ColumnMention& mention : mentions_) {
      std::size_t before = mention.range.begin;
      while (before > 0 && is_word(before - 1, {"the", "a", "of"})) --before;
      if (before == 0 || !is_word(before - 1, {"by", "per", "each", "every", "across"})) continue;
      words_[before - 1].is_explained = true;
      question_.group = mention.column;
    }
    // "which customer has the most invoices"
    if (question_.group == nullptr && !mentions_.empty() && mentions_.front().range.begin > 0 &&
        is_word(mentions_.front().range.begin - 1, {"which", "what"}) &&
        says(prompt_, R"(\b(has|have|had|with) the most\b)")) {
      question_.group = mentions_.front().column;
    }
  }

  struct Comparator {
    std::initializer_list<std::string_view> first;
    std::string_view second;  // the word after it, if it needs one
    std::string_view sign;
  };

  // The sign at a place and how many words it takes.
  std::optional<std::pair<std::string, std::size_t>> sign_at(std::size_t at) const {
    static const std::array kComparators{
        Comparator{
            {"greater", "more", "larger", "higher", "bigger", "longer", "later"}, "than", ">"},
        Comparator{{"less", "fewer", "lower", "smaller", "shorter", "earlier"}, "than", "<"},
        Comparator{{"over", "above", "exceeding", "after"}, "", ">"},
        Comparator{{"under", "below", "before"}, "", "<"},
        Comparator{{"since"}, "", ">="},
        Comparator{{"at"}, "least", ">="},
        Comparator{{"at"}, "most", "<="},
        Comparator{{"equal"}, "to", "="},
        Comparator{{"equals"}, "", "="},
        Comparator{{"not"}, "", "<>"},
    };
    if (words_[at].kind == PromptWord::Kind::comparison) {
      const std::string& sign = words_[at].text;
      return std::pair(sign == "==" ? "=" : sign == "!=" ? "<>" : sign, std::size_t{1});
    }
    for (const Comparator& each : kComparators) {
      if (!is_word(at, each.first)) continue;
      if (each.second.empty()) return std::pair(std::string(each.sign), std::size_t{1});
      if (is_word(at + 1, {each.second})) return std::pair(std::string(each.sign), std::size_t{2});
    }
    return std::nullopt;
  }

  bool is_value(std::size_t at) const {
    if (at >= words_.size() || words_[at].is_explained) return false;
    std::vector<PromptWord> one{words_[at]};
    explain_grammar(one);
    return !one.front().is_explained && words_[at].kind != PromptWord::Kind::comparison;
  }

  std::string take_value(std::size_t at) {
    std::string value = words_[at].text;
    words_[at].is_explained = true;
    while (words_[at].kind == PromptWord::Kind::word && is_value(at + 1) &&
           words_[at + 1].kind == PromptWord::Kind::word) {
      value += " " + words_[++at].text;
      words_[at].is_explained = true;
    }
    return value;
  }

  const DatabaseColumn* compared_at(std::size_t at) const {
    const DatabaseColumn* nearest = nullptr;
    for (const ColumnMention& mention : mentions_) {
      if (mention.range.end <= at) nearest = mention.column;
    }
    return nearest;
  }

  void find_conditions() {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      const auto sign = sign_at(at);
      if (!sign) continue;
      std::size_t value = at + sign->second;
      while (is_word(value, {"the", "a", "to"})) ++value;
      const DatabaseColumn* column = compared_at(at);
      if (column == nullptr || !is_value(value)) continue;
      explain(words_, {at, at + sign->second});
      question_.conditions.push_back({column, sign->first, take_value(value)});
    }
    for (const ColumnMention& mention : mentions_) {
      std::size_t at = mention.range.end;
      while (is_word(at, {"is", "are", "was", "were", "being"})) ++at;
      const std::size_t begin = mention.range.begin;
      if (begin > 0 && is_word(begin - 1, {"null", "missing", "unknown"})) at = begin - 1;
      const bool is_compared = std::ranges::any_of(
          question_.conditions,
          [&](const DatabaseCondition& each) { return each.column == mention.column; });
      if (is_compared || mention.column == question_.group || !is_value(at)) continue;
      if (!mention.is_whole && at == mention.range.end) continue;  // "tool calls failed"
      if (is_word(at, {"null", "missing", "unknown", "empty"})) {
        words_[at].is_explained = true;
        question_.conditions.push_back({mention.column, "IS", "NULL"});
        continue;
      }
      if (is_number(*mention.column) && words_[at].kind == PromptWord::Kind::word) continue;
      question_.conditions.push_back({mention.column, "=", take_value(at)});
    }
  }

  void find_limit() {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      PromptWord& word = words_[at];
      int number = 0;
      const char* end = word.text.data() + word.text.size();
      const bool is_count = word.kind == PromptWord::Kind::number && !word.is_explained &&
                            word.text.size() < 4 &&
                            std::from_chars(word.text.data(), end, number).ptr == end && number > 0;
      const auto counts = {std::string_view("top"),    std::string_view("first"),
                           std::string_view("last"),   std::string_view("show"),
                           std::string_view("list"),   std::string_view("the"),
                           std::string_view("sample"), std::string_view("give"),
                           std::string_view("me"),     std::string_view("any")};
      if (!is_count || (at > 0 && !is_word(at - 1, counts))) continue;
      word.is_explained = true;
      question_.limit = number;
    }
  }

  bool is_condition(const DatabaseColumn* column) const {
    return std::ranges::any_of(
        question_.conditions, [&](const DatabaseCondition& each) { return each.column == column; });
  }

  // The column that is counted up or listed: mentioned, and nothing else yet.
  const DatabaseColumn* free_column() const {
    for (const ColumnMention& mention : mentions_) {
      if (mention.column != question_.group && !is_condition(mention.column)) return mention.column;
    }
    return nullptr;
  }

  const DatabaseColumn* only(bool (*fits)(const DatabaseColumn&),
                             std::initializer_list<std::string_view> names) const {
    const DatabaseColumn* found = nullptr;
    std::size_t count = 0;
    for (const DatabaseColumn& column : question_.table->columns) {
      if (!fits(column)) continue;
      if (name_has(column, names)) return &column;
      found = &column;
      ++count;
    }
    return count == 1 ? found : nullptr;
  }

  // "the newest invoice": nobody said by what.
  const DatabaseColumn* sorted_by() {
    const bool is_time = says(prompt_, R"(\b(newest|latest|recent|last|oldest|earliest)\b)");
    if (is_time) return only(is_date, {"created", "date", "started", "timestamp"});
    if (says(prompt_, R"(\b(expensive|cheap|cheapest|priciest)\b)")) {
      return only(is_number, {"price", "cost", "amount", "total"});
    }
    if (says(prompt_, R"(\b(longest|shortest)\b)")) {
      return only(is_number, {"duration", "millisecond", "length", "second", "minute", "ms"});
    }
    return only(is_number, {"total", "amount", "size", "value", "price"});
  }

  struct Asked {
    bool counts, differs, average, sum, high, low, most, shows, structure;
  };

  // Takes the words that say what is wanted.
  Asked asked() {
    Asked found{};
    found.counts = says(prompt_, R"(\b(how many|counts?|number of|how large|how big)\b)");
    take(words_, {"count", "number", "large", "big"});
    found.differs = take(words_, {"distinct", "unique", "different"});
    found.average = take(words_, {"average", "mean", "avg"});
    found.sum = says(prompt_, R"(\bsum\b|\btotal (of|sum|amount)\b|\bsum up\b)") ||
                (says(prompt_, R"(\btotal\b)") && !mentions_.empty() && !found.average);
    take(words_, {"sum", "total", "up"});
    found.high =
        take(words_, {"maximum", "max", "highest", "largest", "biggest", "greatest", "latest",
                      "newest", "recent", "longest", "expensive", "priciest", "last"});
    found.low = take(words_, {"minimum", "min", "lowest", "smallest", "earliest", "oldest",
                              "cheapest", "shortest", "least"});
    found.most = says(
        prompt_,
        R"(\b(top|most (common|frequent|popular|often|used)|distribution|breakdown|values|group(ed)? by|has the most|have the most|with the most)\b)");
    take(words_, {"top", "most", "common", "frequent", "popular", "often", "used", "distribution",
                  "breakdown", "per", "group", "grouped", "occur", "occurring", "appear"});
    found.structure =
        take(words_, {"schema", "structure", "column", "field", "describe", "ddl", "definition"});
    found.shows =
        says(prompt_,
             R"(\b(show|samples?|first|examples?|rows?|list|print|display|give me|find|get)\b)") ||
        !question_.conditions.empty();
    take(words_, {"sample", "first", "example", "total"});
    return found;
  }

  void decide() {
    find_group();
    find_conditions();
    find_limit();
    const Asked is = asked();
    if (question_.table == nullptr) return decide_without_table(is);
    const DatabaseColumn* free = free_column();
    const bool sums_total = is.sum && free != nullptr && !is.counts;
    if (is.average || sums_total) return aggregate(is.average ? "avg" : "sum", free);
    if ((is.high || is.low) && !is.counts) return extreme(is.high, free);
    // "how many genres": there is no such table, so the different ones of a column are meant.
    const bool counts_different = is.counts && (is.differs || !is_table_named_);
    if (counts_different && question_.conditions.empty() &&
        (free != nullptr || question_.group != nullptr)) {
      question_.kind = Kind::distinct_count;
      if (question_.group == nullptr) question_.group = free;
      return;
    }
    if (question_.group != nullptr || ((is.most || is.differs) && free != nullptr)) {
      question_.kind = Kind::values;
      if (question_.group == nullptr) question_.group = free;
      constexpr int kTop = 10;
      if (is.most && !question_.limit) question_.limit = kTop;
      return;
    }
    if (is.counts) {
      question_.kind = Kind::count;
    } else if (is.structure) {
      question_.kind = Kind::describe;
    } else {
      question_.kind = is.shows ? Kind::rows : Kind::describe;
    }
  }

  void decide_without_table(const Asked& is) {
    if (is.counts && says(prompt_, R"(\btables?\b)")) {
      question_.kind = Kind::table_count;
    } else if (is.structure) {
      question_.kind = Kind::schema;
    } else if (says(prompt_, R"(\bviews?\b)")) {
      question_.kind = Kind::views;
    } else {
      question_.kind = is.counts ? Kind::table_sizes : Kind::overview;
    }
  }

  void aggregate(const char* function, const DatabaseColumn* column) {
    question_.kind = Kind::aggregate;
    question_.function = function;
    question_.measure = column != nullptr ? column : only(is_number, {"total", "amount", "price"});
    if (question_.measure == nullptr) {
      question_.problem =
          fmt::format("it does not say of which column of {}", code_span(question_.table->name));
    } else if (is_text(*question_.measure)) {
      question_.problem =
          fmt::format("{} holds texts, not numbers", code_span(question_.measure->name));
    }
  }

  void extreme(bool is_high, const DatabaseColumn* column) {
    const bool wants_row = column == nullptr ||
                           says(prompt_, R"(\b(which|who|with the|row|rows)\b)") ||
                           question_.limit.has_value();
    question_.is_descending = is_high;
    question_.function = is_high ? "max" : "min";
    question_.kind = wants_row ? Kind::extreme : Kind::aggregate;
    question_.measure = column != nullptr ? column : sorted_by();
    if (question_.measure == nullptr) {
      question_.problem =
          fmt::format("it does not say by which column of {}", code_span(question_.table->name));
    }
  }

  const DatabaseOutline& outline_;
  std::string prompt_;
  std::vector<PromptWord> words_;
  std::vector<ColumnMention> mentions_;
  bool is_table_named_ = false;
  DatabaseQuestion question_;
};

}  // namespace

bool is_text(const DatabaseColumn& column) {
  return type_has(column, {"char", "text", "clob"});
}

DatabaseQuestion understand_database(const DatabaseOutline& outline, std::string_view prompt) {
  return Understanding(outline, prompt).question();
}

}  // namespace wright::offline
