#include "offline/database_parts.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "offline/markdown.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

using WordKind = PromptWord::Kind;

class Parts {
 public:
  explicit Parts(DatabaseReading& read) : read_(read) {}

  // "top 5", "the newest 3", "show 10", "3 newest"
  void take_limit() {
    for (std::size_t at = 0; at < read_.words.size(); ++at) {
      PromptWord& word = read_.words[at];
      int number = 0;
      const char* end = word.text.data() + word.text.size();
      const bool is_count = word.kind == WordKind::number && !word.is_explained &&
                            word.text.size() < 4 &&
                            std::from_chars(word.text.data(), end, number).ptr == end && number > 0;
      if (!is_count) continue;
      const bool follows =
          at > 0 &&
          read_.is_word(at - 1,
                        {"top",      "first",   "last",     "show",     "list",   "sample",
                         "give",     "me",      "newest",   "latest",   "oldest", "earliest",
                         "largest",  "biggest", "smallest", "highest",  "lowest", "recent",
                         "cheapest", "longest", "shortest", "expensive"});
      const bool leads =
          read_.is_word(at + 1, {"newest", "latest", "oldest", "earliest", "largest", "biggest",
                                 "smallest", "highest", "lowest", "most", "cheapest", "longest",
                                 "shortest", "rows", "records"}) &&
          (at == 0 || read_.is_word(at - 1, {"the", "show", "list", "me", "of", "any"}));
      if (!follows && !leads) continue;
      word.is_explained = true;
      if (at > 0 && read_.is_word(at - 1, {"first", "sample"})) read_.explain_at(at - 1);
      read_.question.limit = number;
    }
  }

  // "per month", "by year", "monthly"
  void take_period() {
    for (std::size_t at = 0; at < read_.words.size(); ++at) {
      const bool is_period = read_.is_word(at, {"year", "month", "day"}) && at > 0 &&
                             read_.is_word(at - 1, {"per", "by", "each", "every"}) &&
                             !read_.words[at].is_explained;
      if (!is_period || read_.question.table == nullptr) continue;
      explain(read_.words, {at - 1, at + 1});
      read_.question.period = lower(read_.words[at].text);
      read_.question.date = read_.date_column();
    }
  }

  // "by country", "for each customer"
  void take_groups() {
    if (read_.question.table == nullptr) return;
    for (const ColumnMention& mention : read_.mentions) {
      std::size_t before = mention.range.begin;
      while (before > 0 && read_.is_word(before - 1, {"the", "a", "of"})) --before;
      if (before == 0 || read_.is_used(mention) ||
          !read_.is_word(before - 1, {"by", "per", "each", "every", "across"})) {
        continue;
      }
      read_.explain_at(before - 1);
      read_.use(mention);
      // "the largest commit by insertions"
      if (read_.is_word(before - 1, {"by"}) && ranks_by(mention)) {
        read_.question.measure = mention.column;
        read_.is_ranked_by = true;
      } else if (read_.question.group != nullptr) {
        read_.question.problem = "it groups by more than one thing";
      } else {
        read_.question.group = mention.column;
      }
    }
    const DatabaseTable* other = joined_table(read_.outline, read_.question);
    if (other == nullptr || read_.question.group != nullptr) return;
    // "per customer", "does each customer have", "which customer has the most orders"
    for (const TableMention& mention : read_.tables) {
      const std::size_t at = mention.range.begin;
      if (mention.table != other || at == 0) continue;
      const bool is_each = read_.is_word(at - 1, {"per", "by", "each", "every"});
      const bool is_most = read_.is_word(at - 1, {"which", "what"}) &&
                           read_.says(R"(\b(has|have|had|with) the most\b)");
      if (!is_each && !is_most) continue;
      if (is_each) read_.explain_at(at - 1);
      group_by(*other);
    }
  }

  // "age 17 to 45", "between 2024-01-01 and 2024-02-01"
  void take_ranges() {
    if (read_.question.table == nullptr) return;
    for (std::size_t at = 0; at + 2 < read_.words.size(); ++at) {
      if (!is_open_number(at) || !is_open_number(at + 2)) continue;
      std::size_t begin = at;
      while (begin > 0 && read_.is_word(begin - 1, {"is", "are", "was", "were", "of"})) --begin;
      const bool is_led = begin > 0 && read_.is_word(begin - 1, {"between", "from"});
      if (is_led) --begin;
      while (begin > 0 && read_.is_word(begin - 1, {"is", "are", "was", "were"})) --begin;
      const ColumnMention* named = mention_before(begin);
      const std::size_t first = named == nullptr ? begin : named->range.begin;
      const bool is_between = read_.is_word(begin, {"between"}) ||
                              read_.is_word(at - 1, {"between"}) ||
                              (first > 0 && read_.is_word(first - 1, {"between"}));
      if (!read_.is_word(at + 1, {"to", "through"}) &&
          !(is_between && read_.is_word(at + 1, {"and"}))) {
        continue;
      }
      take_range(named, at);
      explain(read_.words, {begin, at + 3});
      if (first > 0 && read_.is_word(first - 1, {"between"})) read_.explain_at(first - 1);
    }
  }

  // "in 2025", "in 2025-03", "since 2025-01-01", "before 2024"
  void take_dates() {
    if (read_.question.table == nullptr) return;
    for (std::size_t at = 1; at < read_.words.size(); ++at) {
      if (read_.words[at].is_explained || !looks_like_date(read_.words[at])) continue;
      const bool is_in = read_.is_word(at - 1, {"in", "during", "on", "from"});
      const bool is_since = read_.is_word(at - 1, {"since"});
      const bool is_before = read_.is_word(at - 1, {"before"});
      if (!is_in && !is_since && !is_before) continue;
      const bool is_on_or = at > 2 && read_.is_word(at - 2, {"or"});
      const std::string sign = is_since ? ">=" : !is_before ? "=" : is_on_or ? "<=" : "<";
      // "published before 1975", where a number says when; "hired before 2020"
      const ColumnMention* named = mention_before(at - 1);
      const bool is_year = named != nullptr && may_be_year(*named->column);
      const bool is_figure = named != nullptr && is_number(*named->column) && !is_year &&
                             !is_date(*named->column);  // "average total in 2025"
      const DatabaseColumn* column =
          named == nullptr || is_figure ? read_.date_column() : named->column;
      if (column == nullptr) return;
      if (named != nullptr && !is_figure) read_.use(*named);
      explain(read_.words, {at - 1, at + 1});
      add_moment(*column, sign, read_.words[at].text);
    }
  }

  void take_conditions() {
    if (read_.question.table == nullptr) return;
    for (const ColumnMention& mention : read_.mentions) {
      if (!read_.is_used(mention)) take_condition(mention);
    }
  }

 private:
  // Whether "by" such a column sorts rows, and does not make groups of them.
  bool ranks_by(const ColumnMention& mention) const {
    constexpr auto kInTime =
        std::to_array<std::string_view>({"newest", "oldest", "latest", "earliest", "recent"});
    constexpr auto kRanks = std::to_array<std::string_view>(
        {"largest", "biggest", "smallest", "highest", "lowest", "top", "longest", "shortest"});
    for (std::size_t at = 0; at < read_.words.size(); ++at) {
      const bool is_in_time = read_.is_word(at, kInTime);
      if (!is_in_time && !read_.is_word(at, kRanks)) continue;
      if (is_number(*mention.column)) return true;
      return is_in_time ? may_be_date(*mention.column) : speaks_of_rows(at, mention.range.begin);
    }
    return false;
  }

  // "top 3 products by …" and not "highest price by …"
  bool speaks_of_rows(std::size_t from, std::size_t to) const {
    for (std::size_t at = from; at < to; ++at) {
      const auto begins_here = [&](const auto& mention) { return mention.range.begin == at; };
      if (std::ranges::any_of(read_.mentions, begins_here)) return false;
      if (std::ranges::any_of(read_.tables, begins_here)) return true;
    }
    return true;
  }

  // The column that is spoken of just before a word and has no part yet.
  const ColumnMention* mention_before(std::size_t at) const {
    const auto found = std::ranges::find_if(read_.mentions, [&](const ColumnMention& mention) {
      return mention.range.end == at && !read_.is_used(mention);
    });
    return found == read_.mentions.end() ? nullptr : &*found;
  }

  bool is_open_number(std::size_t at) const {
    return read_.words[at].kind == WordKind::number && !read_.words[at].is_explained;
  }

  static bool is_in_order(const std::string& low, const std::string& high) {
    double first = 0;
    double last = 0;
    std::from_chars(low.data(), low.data() + low.size(), first);
    std::from_chars(high.data(), high.data() + high.size(), last);
    return first < last || (first == last && low <= high);
  }

  void take_range(const ColumnMention* named, std::size_t at) {
    const PromptWord& low = read_.words[at];
    const PromptWord& high = read_.words[at + 2];
    if (named != nullptr) check_money(*named->column, low.is_money || high.is_money);
    const bool are_dates = looks_like_date(low) && looks_like_date(high);
    const DatabaseColumn* column = named != nullptr ? named->column
                                   : are_dates      ? read_.date_column()
                                                    : nullptr;
    if (named != nullptr) read_.use(*named);
    if (column == nullptr || !is_in_order(low.text, high.text)) {
      return read_.problem(fmt::format("it does not say of what {} to {} is a range",
                                       code_span(low.text), code_span(high.text)));
    }
    const bool is_in_time =
        are_dates &&
        (is_number(*column) ? is_date(*column)
                            : !is_text(*column) || may_be_date(*column) || low.text.size() > 4);
    for (const bool is_low : {true, false}) {
      const std::string& value = is_low ? low.text : high.text;
      if (is_in_time) {
        add_moment(*column, is_low ? ">=" : "<=", value);
      } else {
        read_.question.conditions.push_back({column, is_low ? ">=" : "<=", value});
      }
    }
  }

  void check_money(const DatabaseColumn& column, bool is_money) {
    if (is_money && name_has(column, {"cent", "penny", "pence", "minor", "micro", "milli"})) {
      read_.problem(fmt::format("the numbers of {} may be another unit than the one it speaks of",
                                code_span(column.name)));
    }
  }

  // A condition of a column with a year, a month or a day.
  void add_moment(const DatabaseColumn& column, const std::string& sign, const std::string& when) {
    if (!may_be_year(column)) {
      read_.set_date(column);
    } else if (when.size() > 4) {
      read_.problem(fmt::format("{} holds years", code_span(column.name)));
    }
    read_.question.conditions.push_back({&column,
                                         sign == "=" && !may_be_year(column) ? "dated" : sign, when,
                                         false, may_be_year(column)});
  }

  // "with a status of paid", and not "the city of Anna"
  bool is_told_with_of(const ColumnMention& mention) const {
    std::size_t before = mention.range.begin;
    while (before > 0 && read_.is_word(before - 1, {"a", "an", "the"})) --before;
    return before > 0 &&
           read_.is_word(before - 1, {"with", "whose", "has", "have", "had", "having", "where"});
  }

  // "which country is Carl from" asks for the country.
  bool is_asked_for(const ColumnMention& mention) const {
    const std::size_t begin = mention.range.begin;
    return begin > 0 && read_.is_word(begin - 1, {"which", "what"});
  }

  void take_condition(const ColumnMention& mention) {
    const std::size_t begin = mention.range.begin;
    std::size_t at = mention.range.end;
    bool has_of = false;
    for (; read_.is_word(at, {"is", "are", "was", "were", "of", "that", "which"}); ++at)
      has_of = has_of || read_.is_word(at, {"of"});
    if (take_missing(mention, at) || at >= read_.words.size()) return;
    const auto sign = sign_at(at);
    std::size_t value = at + (sign ? sign->second : 0);
    const bool is_pattern =
        sign && (sign->first == "starts" || sign->first == "ends" || sign->first == "contains");
    while (sign && !is_pattern && read_.is_word(value, {"the", "a", "to"})) ++value;
    if (is_pattern) value = after_introduction(value);
    const bool is_given_text = is_pattern && value < read_.words.size();  // "starts with A"
    if (!is_value(value) && !is_given_text) return;
    if (!sign && has_of && !is_told_with_of(mention)) return;
    if (!sign && at != mention.range.end && is_asked_for(mention)) return;
    // "tool calls failed": a word of the name, and then something else
    if (!sign && (!mention.is_whole || at == mention.range.end)) {
      const bool is_given = read_.words[value].kind != WordKind::word ||
                            (begin > 0 && read_.is_word(begin - 1, {"with", "whose", "where", "and",
                                                                    "has", "have", "of", "in"}));
      if (!mention.is_whole || !is_given) return;
    }
    add_condition(mention, sign ? sign->first : "=", {at, value});
  }

  // "is missing", "is not null", "a missing city". The word is kept: it may be a value, too.
  bool take_missing(const ColumnMention& mention, std::size_t at) {
    constexpr auto kMissing = std::to_array<std::string_view>({"null", "missing", "unknown"});
    const std::size_t begin = mention.range.begin;
    const bool is_denied = read_.is_word(at, {"not"}) && read_.is_word(at + 1, kMissing);
    std::size_t place = at + (is_denied ? 1 : 0);
    if (!read_.is_word(place, kMissing)) {
      if (begin == 0 || !read_.is_word(begin - 1, kMissing)) return false;
      place = begin - 1;
    }
    if (is_denied) read_.explain_at(at);
    read_.explain_at(place);
    read_.question.conditions.push_back(
        {mention.column, is_denied ? "IS NOT NULL" : "IS NULL", lower(read_.words[place].text)});
    read_.use(mention);
    return true;
  }

  // Behind "the letter" and "the word", which are no part of the text that is looked for.
  std::size_t after_introduction(std::size_t at) {
    std::size_t next = at;
    while (read_.is_word(next, {"the", "a", "an"})) ++next;
    const bool has_article = next > at;
    if (!read_.is_word(next, {"letter", "letters", "word", "words", "text", "string", "character",
                              "characters", "phrase", "prefix", "suffix", "substring"})) {
      const bool is_small =
          next < read_.words.size() && has_article && read_.words[next].kind == WordKind::word &&
          read_.words[next].text.front() >= 'a' && read_.words[next].text.front() <= 'z' &&
          read_.words[at].text == lower(read_.words[at].text);
      if (is_small) read_.problem("I cannot tell which text it looks for");
      return at;
    }
    ++next;
    explain(read_.words, {at, next});
    return next;
  }

  // `words` are those of the sign, up to the value.
  void add_condition(const ColumnMention& mention, const std::string& sign, WordRange words) {
    const DatabaseColumn& column = *mention.column;
    const PromptWord& value = read_.words[words.end];
    // What is more or less than something is a number or a date.
    const bool is_ordered = (sign.contains('<') || sign.contains('>')) && sign != "<>";
    // Whether true is stored as 1 or as a word, the data tell.
    const bool takes_no_word =
        is_number(column) || is_ordered || contains_ignoring_case(column.type, "bool");
    if (takes_no_word && value.kind == WordKind::word) return;
    const bool is_moment =
        is_ordered && read_.is_word(words.begin, {"after", "before", "since", "later", "earlier"});
    const bool is_day =
        value.kind == WordKind::number && value.text.find('-', 1) != std::string::npos;
    const bool compares_dates =
        is_number(column) ? is_moment && is_date(column) && !may_be_year(column)
        : is_ordered      ? is_date(column) || is_moment || is_day
                          : sign == "=" && is_date(column) && looks_like_date(value);
    if (is_number(column) && is_day)
      read_.problem(fmt::format("{} holds numbers, no dates", code_span(column.name)));
    check_money(column, value.is_money);
    static const RE2 kOtherDate(R"(\d{1,4}([./])\d{1,2}[./]\d{1,4})");
    const bool is_typed_plainly = value.kind == WordKind::word ||
                                  (may_be_date(column) && RE2::FullMatch(value.text, kOtherDate));
    explain(read_.words, words);
    const std::string text = take_value(words.end);
    read_.use(mention);
    if (compares_dates) {
      add_moment(column, sign, text);
    } else {
      read_.question.conditions.push_back({&column, sign, text, is_typed_plainly});
    }
  }

  // By what a foreign key points to, with a name beside it where there is one.
  void group_by(const DatabaseTable& other) {
    read_.question.group = column_named(other, read_.question.join->other_column);
    for (const std::string_view name : {"name", "title", "label", "email", "username", "login"}) {
      if (read_.question.label == nullptr) read_.question.label = column_named(other, name);
    }
    if (read_.question.label != nullptr) return;
    const auto is_name = [](const DatabaseColumn& each) {
      return is_text(each) && name_has(each, {"name", "title"});
    };
    if (std::ranges::count_if(other.columns, is_name) == 1)
      read_.question.label = &*std::ranges::find_if(other.columns, is_name);
  }

  static const DatabaseColumn* column_named(const DatabaseTable& table, std::string_view name) {
    const auto found = std::ranges::find_if(
        table.columns, [&](const DatabaseColumn& each) { return lower(each.name) == lower(name); });
    return found == table.columns.end() ? nullptr : &*found;
  }

  struct Comparator {
    std::vector<std::string_view> first;
    std::vector<std::string_view> second;  // the word after it, if it needs one
    std::string_view sign;
  };

  static std::string normal_sign(const std::string& typed) {
    if (typed == "==") return "=";
    if (typed == "!=" || typed == "≠") return "<>";
    return typed == "≥" ? ">=" : typed == "≤" ? "<=" : typed;
  }

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
    if (read_.words[at].kind == WordKind::comparison) {
      const std::string& sign = read_.words[at].text;
      return std::pair(normal_sign(sign), std::size_t{1});
    }
    for (const Comparator& each : kComparators) {
      if (!read_.is_word(at, each.first)) continue;
      if (each.second.empty()) return std::pair(std::string(each.sign), std::size_t{1});
      if (read_.is_word(at + 1, each.second))
        return std::pair(std::string(each.sign), std::size_t{2});
    }
    return std::nullopt;
  }

  bool is_value(std::size_t at) const {
    if (at >= read_.words.size() || read_.words[at].is_explained) return false;
    std::vector<PromptWord> one{read_.words[at]};
    explain_grammar(one);
    return !one.front().is_explained && read_.words[at].kind != WordKind::comparison;
  }

  std::string take_value(std::size_t at) {
    std::string value = read_.words[at].text;
    read_.explain_at(at);
    while (read_.words[at].kind == WordKind::word && is_value(at + 1) &&
           read_.words[at + 1].kind == WordKind::word && !sign_at(at + 1)) {
      value += " " + read_.words[++at].text;
      read_.explain_at(at);
    }
    return value;
  }

  DatabaseReading& read_;
};

}  // namespace

void take_parts(DatabaseReading& read) {
  Parts parts(read);
  parts.take_limit();
  parts.take_period();
  parts.take_groups();
  parts.take_ranges();
  parts.take_dates();
  parts.take_conditions();
}

}  // namespace wright::offline
