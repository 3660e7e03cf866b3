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
          (at == 0 || read_.is_word(at - 1, {"the", "show", "list", "me"}));
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
    const bool is_ranked = read_.says(
        R"(\b(largest|biggest|smallest|highest|lowest|top|newest|oldest|longest|shortest)\b)");
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
      if (is_ranked && read_.is_word(before - 1, {"by"}) && is_number(*mention.column)) {
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

  // "in 2025", "in 2025-03", "since 2025-01-01", "before 2024"
  void take_dates() {
    static const RE2 kDate(R"(\d{4}(?:-\d\d(?:-\d\d)?)?)");
    for (std::size_t at = 1; at < read_.words.size(); ++at) {
      if (read_.question.table == nullptr || read_.words[at].is_explained ||
          read_.words[at].kind != WordKind::number ||
          !RE2::FullMatch(read_.words[at].text, kDate)) {
        continue;
      }
      const bool is_plain_year = read_.words[at].text.size() == 4;
      if (is_plain_year && (read_.words[at].text < "1900" || read_.words[at].text > "2100"))
        continue;
      const bool is_in = read_.is_word(at - 1, {"in", "during", "on", "from"});
      const bool is_since = read_.is_word(at - 1, {"since"});
      const bool is_before = read_.is_word(at - 1, {"before"});
      if (!is_in && !is_since && !is_before) continue;
      // "published before 1975", where a number says when
      const auto year = std::ranges::find_if(read_.mentions, [&](const ColumnMention& mention) {
        return mention.range.end + 1 == at && is_number(*mention.column);
      });
      if (year != read_.mentions.end()) {
        explain(read_.words, {at - 1, at + 1});
        read_.use(*year);
        read_.question.conditions.push_back({year->column,
                                             is_in      ? "="
                                             : is_since ? ">="
                                                        : "<",
                                             read_.words[at].text});
        continue;
      }
      read_.question.date =
          read_.question.date == nullptr ? read_.date_column() : read_.question.date;
      if (read_.question.date == nullptr) return;
      explain(read_.words, {at - 1, at + 1});
      read_.question.conditions.push_back({read_.question.date,
                                           is_in      ? "dated"
                                           : is_since ? ">="
                                                      : "<",
                                           read_.words[at].text});
    }
  }

  void take_conditions() {
    if (read_.question.table == nullptr) return;
    for (const ColumnMention& mention : read_.mentions) {
      if (read_.is_used(mention)) continue;
      std::size_t at = mention.range.end;
      while (read_.is_word(at, {"is", "are", "was", "were", "of", "that", "which"})) ++at;
      if (at >= read_.words.size()) continue;
      const auto sign = sign_at(at);
      std::size_t value = at + (sign ? sign->second : 0);
      const bool is_pattern =
          sign && (sign->first == "starts" || sign->first == "ends" || sign->first == "contains");
      while (sign && !is_pattern && read_.is_word(value, {"the", "a", "to"})) ++value;
      const std::size_t begin = mention.range.begin;
      const bool is_missing = read_.is_word(at, {"null", "missing", "unknown"});
      if (is_missing || (begin > 0 && read_.is_word(begin - 1, {"null", "missing", "unknown"}))) {
        read_.explain_at(is_missing ? at : begin - 1);
        read_.question.conditions.push_back({mention.column, "IS NULL", {}});
        read_.use(mention);
        continue;
      }
      const bool is_given_text = is_pattern && value < read_.words.size();  // "starts with A"
      if (!is_value(value) && !is_given_text) continue;
      // "tool calls failed": a word of the name, and then something else
      if (!sign && (!mention.is_whole || at == mention.range.end)) {
        const bool is_given =
            read_.words[value].kind != WordKind::word ||
            (begin > 0 && read_.is_word(begin - 1, {"with", "whose", "where", "and", "has", "have",
                                                    "of", "in"}));
        if (!mention.is_whole || !is_given) continue;
      }
      // What is more or less than something is a number or a date.
      const bool is_ordered =
          sign && (sign->first.contains('<') || sign->first.contains('>')) && sign->first != "<>";
      if ((is_number(*mention.column) || is_ordered) && read_.words[value].kind == WordKind::word)
        continue;
      if (is_ordered && is_date(*mention.column) && !is_number(*mention.column)) {
        if (read_.question.date != nullptr && read_.question.date != mention.column)
          read_.problem("it compares two dates");
        read_.question.date = mention.column;
      }
      if (sign) explain(read_.words, {at, at + sign->second});
      read_.question.conditions.push_back(
          {mention.column, sign ? sign->first : "=", take_value(value)});
      read_.use(mention);
    }
  }

 private:
  // By what a foreign key points to, with a name beside it where there is one.
  void group_by(const DatabaseTable& other) {
    read_.question.group = column_named(other, read_.question.join->other_column);
    for (const std::string_view name : {"name", "title", "label", "email", "username", "login"}) {
      if (read_.question.label == nullptr) read_.question.label = column_named(other, name);
    }
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
      return std::pair(sign == "==" ? "=" : sign == "!=" ? "<>" : sign, std::size_t{1});
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
  parts.take_dates();
  parts.take_conditions();
}

}  // namespace wright::offline
