#include "offline/database_question.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "offline/database_mentions.h"
#include "offline/database_words.h"
#include "offline/markdown.h"
#include "offline/regex_text.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

using Kind = DatabaseQuestion::Kind;
using WordKind = PromptWord::Kind;

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
         name_has(column, {"date", "time", "timestamp", "created", "updated", "day"});
}

// A column with such a name may be meant, or the figure.
bool is_figure(std::string_view name) {
  constexpr auto kFigures = std::to_array<std::string_view>({"total", "sum", "count", "average"});
  return is_one_of(lower(name), kFigures);
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
    if (says(
            R"(^\W*(please |can you |could you )?(delete|drop|insert|update|remove|alter|create|add|truncate|rename|change)\b)")) {
      question_.kind = Kind::change;
      return std::move(question_);
    }
    find_tables();
    if (is_about_structure()) return std::move(question_);
    if (question_.table != nullptr) {
      add_mentions(*question_.table);
      if (const DatabaseTable* other = joined_table(outline_, question_)) add_mentions(*other);
    }
    take_limit();
    take_period();
    take_groups();
    take_dates();
    take_conditions();
    decide();
    check_roles();
    explain_grammar(words_);
    question_.unexplained = unexplained(words_);
    return std::move(question_);
  }

 private:
  bool says(const char* pattern) const {
    return RE2::PartialMatch(piece(prompt_), RE2(fmt::format("(?i){}", pattern)));
  }

  bool is_word(std::size_t at, std::initializer_list<std::string_view> wanted) const {
    return at < words_.size() && words_[at].kind == WordKind::word &&
           std::ranges::find(wanted, lower(words_[at].text)) != wanted.end();
  }

  void explain_at(std::size_t at) { words_[at].is_explained = true; }

  // --- tables

  void find_tables() {
    tables_ = mentioned_tables(outline_, words_);
    const std::vector<TableMention>& found = tables_;
    for (const TableMention& mention : found) explain(words_, mention.range);
    if (found.size() > 2) {
      question_.problem = "it speaks of more than two tables";
      question_.table = found.front().table;
    } else if (found.size() == 2) {
      join(*found[0].table, *found[1].table);
    } else if (found.size() == 1) {
      question_.table = found[0].table;
      join_by_column(*found[0].table);
    }
    is_table_named_ = !found.empty();
    if (is_table_named_) return;
    question_.table = table_of_columns(outline_, words_);
    if (question_.table == nullptr && outline_.tables.size() == 1 && asks_for_data())
      question_.table = &outline_.tables.front();
  }

  // "Sum of quantity per product": the column is that of the only table that refers to products.
  void join_by_column(const DatabaseTable& named) {
    if (!mentioned_columns(named, words_).empty()) return;
    const DatabaseTable* child = nullptr;
    for (const ForeignKey& key : outline_.keys) {
      const auto table = std::ranges::find(outline_.tables, key.table, &DatabaseTable::name);
      if (key.other_table != named.name || table == outline_.tables.end()) continue;
      if (mentioned_columns(*table, words_).empty()) continue;
      if (child != nullptr && child != &*table) return;
      child = &*table;
    }
    if (child != nullptr) join(*child, named);
  }

  // The table that refers to the other one has what is asked about: orders rather than customers.
  void join(const DatabaseTable& first, const DatabaseTable& second) {
    std::size_t ways = 0;
    for (const ForeignKey& key : outline_.keys) {
      const bool forth = key.table == first.name && key.other_table == second.name;
      const bool back = key.table == second.name && key.other_table == first.name;
      if (!forth && !back) continue;
      ++ways;
      question_.join = &key;
      question_.table = forth ? &first : &second;
    }
    if (ways == 1) return;
    question_.table = &first;
    question_.join = nullptr;
    question_.problem =
        fmt::format("{} and {} {}", code_span(first.name), code_span(second.name),
                    ways == 0 ? "are joined by no foreign key" : "are joined in several ways");
  }

  // Not what the database is made of; with one table alone, nobody says which.
  bool asks_for_data() const {
    std::vector<PromptWord> known = words_;
    take(known, {"schema", "structure", "ddl", "describe", "definition", "count", "number"});
    explain_grammar(known);
    return !unexplained(known).empty();
  }

  // --- what is asked of the database as a whole

  bool is_about_structure() {
    struct Structure {
      Kind kind;
      const char* pattern;
      std::initializer_list<std::string_view> words;
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
            R"(\b(how many|counts?|number of|how large|how big|sizes?) (rows|records)?.*\b(each|every|per|all)( of the)? tables?\b|\brow counts\b|\b(each|every|per|all)( of the)? tables?\b.*\b(how many|counts?|sizes?)\b)",
            {"each", "per", "count", "number", "large", "big", "size"}},
    };
    for (const Structure& structure : kStructures) {
      if (!says(structure.pattern)) continue;
      std::vector<PromptWord> left = words_;
      take(left, structure.words);
      explain_grammar(left);
      if (!unexplained(left).empty()) continue;
      question_ = {};
      question_.kind = structure.kind;
      return true;
    }
    if (!says(R"(\b(which|what) tables?\b)")) return false;
    // "Which tables have a column customer_id?"
    const DatabaseTable* having = table_of_columns(outline_, words_);
    if (having == nullptr) return false;
    const std::vector<ColumnMention> columns = mentioned_columns(*having, words_);
    if (columns.size() != 1) return false;
    question_ = {};
    question_.kind = Kind::column_search;
    question_.measure = columns.front().column;
    return true;
  }

  // --- columns

  void add_mentions(const DatabaseTable& table) {
    for (const bool is_half : {false, true}) {
      for (const ColumnMention& mention :
           is_half ? half_mentioned_columns(table, words_) : mentioned_columns(table, words_)) {
        explain(words_, mention.range);
        mentions_.push_back(mention);
      }
    }
    std::ranges::sort(mentions_, {}, [](const ColumnMention& each) { return each.range.begin; });
  }

  bool is_used(const ColumnMention& mention) const {
    return std::ranges::find(used_, mention.range.begin) != used_.end();
  }
  void use(const ColumnMention& mention) { used_.push_back(mention.range.begin); }

  // The first mention that has no part yet, which it now has.
  const DatabaseColumn* take_free() {
    for (const ColumnMention& mention : mentions_) {
      if (is_used(mention)) continue;
      use(mention);
      return mention.column;
    }
    return nullptr;
  }

  bool has_free() const {
    return std::ranges::any_of(mentions_, [&](const auto& each) { return !is_used(each); });
  }

  // The only column of the table that fits; null when none or several do.
  const DatabaseColumn* only(bool (*fits)(const DatabaseColumn&),
                             std::initializer_list<std::string_view> names = {}) const {
    const DatabaseColumn* found = nullptr;
    for (const DatabaseColumn& column : question_.table->columns) {
      if (!fits(column) || (names.size() > 0 && !name_has(column, names))) continue;
      if (found != nullptr) return nullptr;
      found = &column;
    }
    return found;
  }

  // --- the parts of the question

  // "top 5", "the newest 3", "show 10", "3 newest"
  void take_limit() {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      PromptWord& word = words_[at];
      int number = 0;
      const char* end = word.text.data() + word.text.size();
      const bool is_count = word.kind == WordKind::number && !word.is_explained &&
                            word.text.size() < 4 &&
                            std::from_chars(word.text.data(), end, number).ptr == end && number > 0;
      if (!is_count) continue;
      const bool follows =
          at > 0 &&
          is_word(at - 1, {"top",      "first",   "last",     "show",     "list",   "sample",
                           "give",     "me",      "newest",   "latest",   "oldest", "earliest",
                           "largest",  "biggest", "smallest", "highest",  "lowest", "recent",
                           "cheapest", "longest", "shortest", "expensive"});
      const bool leads = is_word(at + 1, {"newest", "latest", "oldest", "earliest", "largest",
                                          "biggest", "smallest", "highest", "lowest", "most",
                                          "cheapest", "longest", "shortest", "rows", "records"}) &&
                         (at == 0 || is_word(at - 1, {"the", "show", "list", "me"}));
      if (!follows && !leads) continue;
      word.is_explained = true;
      if (at > 0 && is_word(at - 1, {"first", "sample"})) explain_at(at - 1);
      question_.limit = number;
    }
  }

  const DatabaseColumn* date_column() {
    for (const ColumnMention& mention : mentions_) {
      if (!is_date(*mention.column)) continue;
      use(mention);
      return mention.column;
    }
    if (question_.table == nullptr) return nullptr;
    const DatabaseColumn* found = only(is_date);
    if (found == nullptr && question_.problem.empty()) {
      question_.problem = fmt::format("{} does not have exactly one column with dates",
                                      code_span(question_.table->name));
    }
    return found;
  }

  // "per month", "by year", "monthly"
  void take_period() {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      const bool is_period = is_word(at, {"year", "month", "day"}) && at > 0 &&
                             is_word(at - 1, {"per", "by", "each", "every"}) &&
                             !words_[at].is_explained;
      if (!is_period || question_.table == nullptr) continue;
      explain(words_, {at - 1, at + 1});
      question_.period = lower(words_[at].text);
      question_.date = date_column();
    }
  }

  // "by country", "for each customer"
  void take_groups() {
    if (question_.table == nullptr) return;
    const bool is_ranked =
        says(R"(\b(largest|biggest|smallest|highest|lowest|top|newest|oldest|longest|shortest)\b)");
    for (const ColumnMention& mention : mentions_) {
      std::size_t before = mention.range.begin;
      while (before > 0 && is_word(before - 1, {"the", "a", "of"})) --before;
      if (before == 0 || is_used(mention) ||
          !is_word(before - 1, {"by", "per", "each", "every", "across"})) {
        continue;
      }
      explain_at(before - 1);
      use(mention);
      // "the largest commit by insertions"
      if (is_ranked && is_word(before - 1, {"by"}) && is_number(*mention.column)) {
        question_.measure = mention.column;
        is_ranked_by_ = true;
      } else if (question_.group != nullptr) {
        question_.problem = "it groups by more than one thing";
      } else {
        question_.group = mention.column;
      }
    }
    const DatabaseTable* other = joined_table(outline_, question_);
    if (other == nullptr || question_.group != nullptr) return;
    // "per customer", "does each customer have", "which customer has the most orders"
    for (const TableMention& mention : tables_) {
      const std::size_t at = mention.range.begin;
      if (mention.table != other || at == 0) continue;
      const bool is_each = is_word(at - 1, {"per", "by", "each", "every"});
      const bool is_most =
          is_word(at - 1, {"which", "what"}) && says(R"(\b(has|have|had|with) the most\b)");
      if (!is_each && !is_most) continue;
      if (is_each) explain_at(at - 1);
      group_by(*other);
    }
  }

  // By what a foreign key points to, with a name beside it where there is one.
  void group_by(const DatabaseTable& other) {
    question_.group = column_named(other, question_.join->other_column);
    for (const std::string_view name : {"name", "title", "label", "email", "username", "login"}) {
      if (question_.label == nullptr) question_.label = column_named(other, name);
    }
  }

  static const DatabaseColumn* column_named(const DatabaseTable& table, std::string_view name) {
    const auto found = std::ranges::find_if(
        table.columns, [&](const DatabaseColumn& each) { return lower(each.name) == lower(name); });
    return found == table.columns.end() ? nullptr : &*found;
  }

  // "in 2025", "in 2025-03", "since 2025-01-01", "before 2024"
  void take_dates() {
    static const RE2 kDate(R"(\d{4}(?:-\d\d(?:-\d\d)?)?)");
    for (std::size_t at = 1; at < words_.size(); ++at) {
      if (question_.table == nullptr || words_[at].is_explained ||
          words_[at].kind != WordKind::number || !RE2::FullMatch(words_[at].text, kDate)) {
        continue;
      }
      const bool is_plain_year = words_[at].text.size() == 4;
      if (is_plain_year && (words_[at].text < "1900" || words_[at].text > "2100")) continue;
      const bool is_in = is_word(at - 1, {"in", "during", "on", "from"});
      const bool is_since = is_word(at - 1, {"since"});
      const bool is_before = is_word(at - 1, {"before"});
      if (!is_in && !is_since && !is_before) continue;
      // "published before 1975", where a number says when
      const auto year = std::ranges::find_if(mentions_, [&](const ColumnMention& mention) {
        return mention.range.end + 1 == at && is_number(*mention.column);
      });
      if (year != mentions_.end()) {
        explain(words_, {at - 1, at + 1});
        use(*year);
        question_.conditions.push_back({year->column,
                                        is_in      ? "="
                                        : is_since ? ">="
                                                   : "<",
                                        words_[at].text});
        continue;
      }
      question_.date = question_.date == nullptr ? date_column() : question_.date;
      if (question_.date == nullptr) return;
      explain(words_, {at - 1, at + 1});
      question_.conditions.push_back({question_.date,
                                      is_in      ? "dated"
                                      : is_since ? ">="
                                                 : "<",
                                      words_[at].text});
    }
  }

  struct Comparator {
    std::initializer_list<std::string_view> first;
    std::initializer_list<std::string_view> second;  // the word after it, if it needs one
    std::string_view sign;
  };

  // The sign at a place and how many words it takes.
  std::optional<std::pair<std::string, std::size_t>> sign_at(std::size_t at) const {
    static const std::array kComparators{
        Comparator{
            {"greater", "more", "larger", "higher", "bigger", "longer", "later"}, {"than"}, ">"},
        Comparator{{"less", "fewer", "lower", "smaller", "shorter", "earlier"}, {"than"}, "<"},
        Comparator{{"over", "above", "exceeding", "after"}, {}, ">"},
        Comparator{{"under", "below", "before"}, {}, "<"},
        Comparator{{"since"}, {}, ">="},
        Comparator{{"at"}, {"least"}, ">="},
        Comparator{{"at"}, {"most"}, "<="},
        Comparator{{"equal"}, {"to"}, "="},
        Comparator{{"equals"}, {}, "="},
        Comparator{{"not"}, {}, "<>"},
        Comparator{
            {"starts", "start", "starting", "begins", "begin", "beginning"}, {"with"}, "starts"},
        Comparator{{"ends", "end", "ending"}, {"with", "in"}, "ends"},
        Comparator{{"contains", "contain", "containing", "including"}, {}, "contains"},
    };
    if (words_[at].kind == WordKind::comparison) {
      const std::string& sign = words_[at].text;
      return std::pair(sign == "==" ? "=" : sign == "!=" ? "<>" : sign, std::size_t{1});
    }
    for (const Comparator& each : kComparators) {
      if (!is_word(at, each.first)) continue;
      if (each.second.size() == 0) return std::pair(std::string(each.sign), std::size_t{1});
      if (is_word(at + 1, each.second)) return std::pair(std::string(each.sign), std::size_t{2});
    }
    return std::nullopt;
  }

  bool is_value(std::size_t at) const {
    if (at >= words_.size() || words_[at].is_explained) return false;
    std::vector<PromptWord> one{words_[at]};
    explain_grammar(one);
    return !one.front().is_explained && words_[at].kind != WordKind::comparison;
  }

  std::string take_value(std::size_t at) {
    std::string value = words_[at].text;
    explain_at(at);
    while (words_[at].kind == WordKind::word && is_value(at + 1) &&
           words_[at + 1].kind == WordKind::word && !sign_at(at + 1)) {
      value += " " + words_[++at].text;
      explain_at(at);
    }
    return value;
  }

  void take_conditions() {
    if (question_.table == nullptr) return;
    for (const ColumnMention& mention : mentions_) {
      if (is_used(mention)) continue;
      std::size_t at = mention.range.end;
      while (is_word(at, {"is", "are", "was", "were", "of", "that", "which"})) ++at;
      if (at >= words_.size()) continue;
      const auto sign = sign_at(at);
      std::size_t value = at + (sign ? sign->second : 0);
      const bool is_pattern =
          sign && (sign->first == "starts" || sign->first == "ends" || sign->first == "contains");
      while (sign && !is_pattern && is_word(value, {"the", "a", "to"})) ++value;
      const std::size_t begin = mention.range.begin;
      const bool is_missing = is_word(at, {"null", "missing", "unknown"});
      if (is_missing || (begin > 0 && is_word(begin - 1, {"null", "missing", "unknown"}))) {
        explain_at(is_missing ? at : begin - 1);
        question_.conditions.push_back({mention.column, "IS NULL", {}});
        use(mention);
        continue;
      }
      const bool is_given_text = is_pattern && value < words_.size();  // "starts with A"
      if (!is_value(value) && !is_given_text) continue;
      // "tool calls failed": a word of the name, and then something else
      if (!sign && (!mention.is_whole || at == mention.range.end)) {
        const bool is_given = words_[value].kind != WordKind::word ||
                              (begin > 0 && is_word(begin - 1, {"with", "whose", "where", "and",
                                                                "has", "have", "of", "in"}));
        if (!mention.is_whole || !is_given) continue;
      }
      // What is more or less than something is a number or a date.
      const bool is_ordered =
          sign && (sign->first.contains('<') || sign->first.contains('>')) && sign->first != "<>";
      if ((is_number(*mention.column) || is_ordered) && words_[value].kind == WordKind::word)
        continue;
      if (is_ordered && is_date(*mention.column) && !is_number(*mention.column)) {
        if (question_.date != nullptr && question_.date != mention.column)
          problem("it compares two dates");
        question_.date = mention.column;
      }
      if (sign) explain(words_, {at, at + sign->second});
      question_.conditions.push_back({mention.column, sign ? sign->first : "=", take_value(value)});
      use(mention);
    }
  }

  // --- what is wanted

  void decide() {
    // The average number of pages is one of a column, and counts nothing.
    const bool counts = says(R"(\b(how many|counts?|number of)\b)") &&
                        !(says(R"(\baverage number of\b)") && has_free());
    take(words_, {"count", "number"});
    const bool differs = take(words_, {"distinct", "unique", "different"});
    const bool averages = take(words_, {"average", "mean", "avg"});
    // "total" may be the name of a column, which then has taken the word.
    const bool sums = take_open({"sum", "total"});
    const bool is_newest = take(words_, {"newest", "latest", "recent", "last"});
    const bool is_oldest = take(words_, {"oldest", "earliest"});
    if (is_newest) take(words_, {"most"});
    const bool is_high = take_open({"maximum", "max", "highest", "largest", "biggest", "greatest"});
    const bool is_low = take_open({"minimum", "min", "lowest", "smallest"});
    const bool is_dear = take(words_, {"expensive", "priciest"});
    const bool is_cheap = take(words_, {"cheapest"});
    const bool is_long = take(words_, {"longest"});
    const bool is_short = take(words_, {"shortest"});
    if (is_dear) take(words_, {"most"});
    const bool is_common = says(R"(\bmost (common|frequent|popular|often|used)\b)") ||
                           take(words_, {"distribution", "breakdown"});
    if (is_common) take(words_, {"most", "common", "frequent", "popular", "often", "used"});
    const bool is_top = take_open({"top"});
    const bool is_most = take_open({"most"});
    const bool structure = take_open({"schema", "structure", "describe", "ddl", "definition"}) ||
                           says(R"(\bcolumns?\b|\bfields?\b)");
    take(words_, {"grouped", "group", "occur", "occurring", "appear"});
    const bool shows = says(
        R"(\b(show|samples?|examples?|rows?|list|print|display|give me|find|get|which|what|who|whose|where)\b)");
    take(words_, {"sample", "example"});

    if (question_.table == nullptr) return decide_without_table(counts, structure);
    const int asked = counts + averages + sums + (is_newest || is_oldest) + (is_high || is_low) +
                      (is_dear || is_cheap || is_long || is_short);
    if (asked > 1) {
      problem("it asks for more than one figure at once");
      return;
    }
    if (averages || sums) return aggregate(averages ? "avg" : "sum", is_top || is_most);
    if (is_newest || is_oldest) return extreme(is_newest, date_column_for_order());
    if (is_high || is_low)
      return extreme(is_high, question_.measure != nullptr ? question_.measure : take_free());
    if (is_dear || is_cheap) return extreme(is_dear, only(is_number, {"price", "cost"}));
    if (is_long || is_short) {
      return extreme(is_long, only(is_number, {"duration", "millisecond", "length", "second",
                                               "minute", "ms"}));
    }
    if (question_.measure != nullptr) return extreme(true, question_.measure);  // "top 5 by price"
    if (is_most && question_.group == nullptr) return extreme(true, take_free_number());
    const bool is_grouped = question_.group != nullptr || !question_.period.empty();
    if (counts && !is_grouped) {
      // "how many genres": there is no such table, so the different ones of a column are meant
      if (has_free() && (differs || !is_table_named_)) {
        question_.group = take_free();
        question_.kind = Kind::distinct_count;
      } else {
        question_.kind = Kind::count;
      }
      return;
    }
    const bool lists_values = is_common || differs || is_top || (!is_table_named_ && shows);
    if (!is_grouped && lists_values && has_free()) question_.group = take_free();
    if (question_.group != nullptr || is_grouped) {
      constexpr int kTop = 10;
      question_.kind = Kind::values;
      if ((is_common || is_top || is_most) && !question_.limit) question_.limit = kTop;
      return;
    }
    if (is_top || is_common) {
      problem("it does not say by which column");
    } else if (structure && question_.conditions.empty()) {
      question_.kind = Kind::describe;
    } else if (shows || !question_.conditions.empty() || question_.limit) {
      while (const DatabaseColumn* column = take_free()) {
        question_.shown.push_back(column);
        if (is_date(*column) || !is_figure(column->name) || says(R"(\b(list|show)\b)")) continue;
        problem(fmt::format("{} is a column: is it to be listed, or added up? Say `sum of {}`",
                            code_span(column->name), column->name));
      }
      const bool is_bare = question_.conditions.empty() && question_.shown.empty() &&
                           !question_.limit && says(R"(\b(what is|what's|about|describe)\b)");
      question_.kind = is_bare ? Kind::describe : Kind::rows;
    } else {
      question_.kind = Kind::describe;
    }
  }

  // Takes words that no name of the database has taken before.
  bool take_open(std::initializer_list<std::string_view> wanted) {
    bool is_there = false;
    for (std::size_t at = 0; at < words_.size(); ++at) {
      if (words_[at].is_explained || !is_word(at, wanted)) continue;
      is_there = true;
      explain_at(at);
    }
    return is_there;
  }

  void problem(std::string why) {
    if (question_.problem.empty()) question_.problem = std::move(why);
  }

  const DatabaseColumn* date_column_for_order() {
    for (const ColumnMention& mention : mentions_) {
      if (is_used(mention) || !is_date(*mention.column)) continue;
      use(mention);
      return mention.column;
    }
    return date_column();
  }

  const DatabaseColumn* take_free_number() {
    for (const ColumnMention& mention : mentions_) {
      if (is_used(mention) || !is_number(*mention.column)) continue;
      use(mention);
      return mention.column;
    }
    return nullptr;
  }

  void decide_without_table(bool counts, bool structure) {
    if (counts && says(R"(\btables?\b)")) {
      question_.kind = Kind::table_count;
    } else if (structure) {
      question_.kind = Kind::schema;
    } else if (says(R"(\bviews?\b)")) {
      question_.kind = Kind::views;
    } else {
      question_.kind = counts ? Kind::table_sizes : Kind::overview;
    }
  }

  void aggregate(const char* function, bool is_ranked) {
    question_.kind = Kind::aggregate;
    question_.function = function;
    if (question_.measure == nullptr) question_.measure = take_free();
    if (is_ranked && question_.group == nullptr) problem("it does not say of what");
    if (question_.measure == nullptr) {
      problem(
          fmt::format("it does not say of which column of {}", code_span(question_.table->name)));
    } else if (!is_number(*question_.measure)) {
      problem(fmt::format("{} does not hold numbers that can be added up",
                          code_span(question_.measure->name)));
    }
  }

  void extreme(bool is_high, const DatabaseColumn* column) {
    const bool wants_row = says(R"(\b(which|who|with the|row|rows|show|list)\b)") ||
                           question_.limit.has_value() || column == nullptr || is_date(*column) ||
                           !mentioned(column) || is_ranked_by_;
    question_.is_descending = is_high;
    question_.function = is_high ? "max" : "min";
    question_.kind = wants_row ? Kind::extreme : Kind::aggregate;
    question_.measure = column;
    if (column == nullptr) {
      problem(
          fmt::format("it does not say by which column of {}", code_span(question_.table->name)));
    } else if (question_.join != nullptr && question_.group == nullptr) {
      problem(fmt::format("the {} {} may be that of one row, or of all rows of one of the {}",
                          is_high ? "highest" : "lowest", code_span(column->name),
                          code_span(question_.join->other_table)));
    } else if (question_.group != nullptr || !question_.period.empty()) {
      question_.kind = Kind::aggregate;
      if (!question_.period.empty()) problem("it does not say whether each is meant");
    }
  }

  bool mentioned(const DatabaseColumn* column) const {
    return std::ranges::any_of(mentions_, [&](const auto& each) { return each.column == column; });
  }

  // A column that was spoken of and has no part in the question was misunderstood.
  void check_roles() {
    if (question_.table == nullptr) return;
    for (const ColumnMention& mention : mentions_) {
      if (!is_used(mention))
        problem(
            fmt::format("I cannot tell what it asks about {}", code_span(mention.column->name)));
    }
    const bool uses_join =
        question_.group != nullptr ||
        std::ranges::any_of(question_.conditions, [&](const DatabaseCondition& each) {
          return each.column->table != question_.table->name;
        });
    // With a value that is still to be found in the other table, it may yet be used.
    if (question_.join != nullptr && !uses_join && is_all_explained()) {
      problem(fmt::format("I cannot tell how {} and {} are to be put together",
                          code_span(question_.join->table),
                          code_span(question_.join->other_table)));
    }
    const bool says_or = says(R"(\bor\b)");
    for (const DatabaseCondition& each : question_.conditions) {
      if (says_or && each.column != question_.conditions.front().column)
        problem("it has an \"or\" between two columns");
    }
  }

  bool is_all_explained() const {
    std::vector<PromptWord> left = words_;
    explain_grammar(left);
    return unexplained(left).empty();
  }

  const DatabaseOutline& outline_;
  std::string prompt_;
  std::vector<PromptWord> words_;
  std::vector<TableMention> tables_;
  std::vector<ColumnMention> mentions_;
  std::vector<std::size_t> used_;  // where the mentions begin that have a part
  bool is_table_named_ = false;
  bool is_ranked_by_ = false;  // "by insertions"
  DatabaseQuestion question_;
};

}  // namespace

bool is_text(const DatabaseColumn& column) {
  return type_has(column, {"char", "text", "clob"});
}

const DatabaseTable* joined_table(const DatabaseOutline& outline,
                                  const DatabaseQuestion& question) {
  if (question.join == nullptr) return nullptr;
  const auto found =
      std::ranges::find(outline.tables, question.join->other_table, &DatabaseTable::name);
  return found == outline.tables.end() ? nullptr : &*found;
}

DatabaseQuestion understand_database(const DatabaseOutline& outline, std::string_view prompt) {
  return Understanding(outline, prompt).question();
}

}  // namespace wright::offline
