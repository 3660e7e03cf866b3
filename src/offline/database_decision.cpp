#include "offline/database_decision.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "offline/database_subject.h"
#include "offline/markdown.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

using Kind = DatabasePrompt::Kind;

// A column with such a name may be meant, or the figure.
bool is_figure(std::string_view name) {
  constexpr auto kFigures = std::to_array<std::string_view>({"total", "sum", "count", "average"});
  return is_one_of(lower(name), kFigures);
}

// "is_draft", and whatever is true or false.
bool is_flag(const DatabaseColumn& column) {
  const std::vector<std::string> words = words_in_name(column.name);
  return contains_ignoring_case(column.type, "bool") ||
         (words.size() > 1 && is_one_of(words.front(), std::to_array<std::string_view>(
                                                           {"is", "has", "was", "can", "should"})));
}

class Decision {
 public:
  explicit Decision(DatabaseReading& read) : read_(read) {}

  void decide() {
    // The average number of pages is one of a column, and counts nothing.
    const bool counts = read_.says(R"(\b(how many|counts?|number of)\b)") &&
                        !(read_.says(R"(\baverage number of\b)") && read_.has_free());
    take(read_.words, {"count", "number"});
    const bool differs = take_outside_names({"distinct", "unique", "different"});
    const bool averages = take_outside_names({"average", "mean", "avg"});
    // "total" may be the name of a column, which then has taken the word.
    const bool sums = take_open({"sum", "total"});
    const bool is_newest = take_outside_names({"newest", "latest", "recent", "last"});
    const bool is_oldest = take_outside_names({"oldest", "earliest"});
    if (is_newest) take(read_.words, {"most"});
    const bool is_high = take_open({"maximum", "max", "highest", "largest", "biggest", "greatest"});
    const bool is_low = take_open({"minimum", "min", "lowest", "smallest"});
    const bool is_dear = take_outside_names({"expensive", "priciest"});
    const bool is_cheap = take_outside_names({"cheapest"});
    const bool is_long = take_outside_names({"longest"});
    const bool is_short = take_outside_names({"shortest"});
    if (is_dear) take(read_.words, {"most"});
    const bool is_common = read_.says(R"(\bmost (common|frequent|popular|often|used)\b)") ||
                           take(read_.words, {"distribution", "breakdown"});
    if (is_common) take(read_.words, {"most", "common", "frequent", "popular", "often", "used"});
    const bool is_top = take_open({"top"});
    const bool is_most = take_open({"most"});
    const bool structure = take_open({"schema", "structure", "describe", "ddl", "definition"}) ||
                           read_.says(R"(\bcolumns?\b|\bfields?\b)");
    take(read_.words, {"grouped", "group", "occur", "occurring", "appear"});
    const bool shows = read_.says(
        R"(\b(show|samples?|examples?|rows?|list|print|display|give me|find|get|which|what|who|whose|where)\b)");
    take(read_.words, {"sample", "example"});

    if (read_.question.table == nullptr) return decide_without_table(counts, structure);
    const int asked = counts + averages + sums + is_newest + is_oldest + is_high + is_low +
                      is_dear + is_cheap + is_long + is_short;
    if (asked > 1) {
      read_.problem("it asks for more than one figure at once");
      return;
    }
    if (read_.counts_columns()) return count_columns();
    if (read_.says(R"(\b(which|what) (columns?|fields?)\b)") && !read_.mentions.empty())
      return read_.problem("it asks about columns, and speaks of what is in them");
    if (averages || sums) return aggregate(averages ? "avg" : "sum", is_top || is_most);
    if (is_newest || is_oldest) return extreme_in_time(is_newest);
    if (is_high || is_low)
      return extreme(
          is_high, read_.question.measure != nullptr ? read_.question.measure : read_.take_free());
    if (is_dear || is_cheap) return extreme_of(is_dear, {"price", "cost"});
    if (is_long || is_short) {
      return extreme_of(is_long, {"duration", "millisecond", "length", "second", "minute", "ms"});
    }
    if (read_.question.measure != nullptr)
      return extreme(true, read_.question.measure);  // "top 5 by price"
    if (is_most && read_.question.group == nullptr) return extreme(true, take_free_number());
    const bool is_grouped = read_.question.group != nullptr || !read_.question.period.empty();
    if (counts && !is_grouped) {
      // "how many genres": there is no such table, so the different ones of a column are meant
      if (read_.has_free() && (differs || !read_.is_table_named)) {
        read_.question.group = take_free_thing();
        read_.question.kind = Kind::distinct_count;
        const DatabaseColumn& column = *read_.question.group;
        // "How many likes" may be their sum; "how many drafts" are those of which is_draft is true.
        if (!differs && (is_number(column) || is_flag(column))) {
          read_.problem(fmt::format(
              "it does not say whether the different values of {} are counted, or something else",
              code_span(column.name)));
        }
      } else if (const DatabaseColumn* same = differs ? column_of_table_name() : nullptr) {
        read_.question.group = same;
        read_.question.kind = Kind::distinct_count;
      } else {
        read_.question.kind = Kind::count;
      }
      return;
    }
    const bool lists_values = is_common || differs || is_top || (!read_.is_table_named && shows);
    if (!is_grouped && lists_values && read_.has_free()) {
      read_.question.group =
          read_.is_table_named || is_common ? read_.take_free() : take_free_thing();
    }
    if (is_top && !is_grouped && may_be_ranked(read_.question.group)) {
      read_.problem(
          fmt::format("it does not say whether the highest {} are meant, or the commonest",
                      code_span(read_.question.group->name)));
    }
    if (read_.question.group != nullptr || is_grouped) {
      constexpr int kTop = 10;
      read_.question.kind = Kind::values;
      if ((is_common || is_top || is_most) && !read_.question.limit) read_.question.limit = kTop;
      return;
    }
    if (is_top || is_common) return read_.problem("it does not say by which column");
    read_.question.kind = Kind::describe;
    const bool is_described = structure && read_.question.conditions.empty();
    if (!is_described) decide_rows(shows);
  }

  // A column that was spoken of and has no part in the question was misunderstood.
  void check_roles() {
    if (read_.question.table == nullptr) return;
    for (const ColumnMention& mention : read_.mentions) {
      if (!read_.is_used(mention))
        read_.problem(
            fmt::format("I cannot tell what it asks about {}", code_span(mention.column->name)));
    }
    decide_subject(read_);
    const bool groups_by_other = read_.question.group != nullptr &&
                                 read_.question.group->table != read_.question.table->name;
    const bool uses_join =
        groups_by_other || read_.question.is_of_parents ||
        std::ranges::any_of(read_.question.conditions, [&](const DatabaseCondition& each) {
          return each.column->table != read_.question.table->name;
        });
    // With a value that is still to be found in the other table, it may yet be used.
    if (read_.question.join != nullptr && !uses_join && is_all_explained()) {
      read_.problem(fmt::format("I cannot tell how {} and {} are to be put together",
                                code_span(read_.question.join->table),
                                code_span(read_.question.join->other_table)));
    }
    read_.question.says_or = read_.says(R"(\bor\b)");
    read_.question.says_and = read_.says(R"(\band\b|,)");
    read_.problem(problem_of_conditions(read_.question));
  }

 private:
  // Rows of the table, unless nothing says which: then what it is.
  void decide_rows(bool shows) {
    if (!shows && read_.question.conditions.empty() && !read_.question.limit) return;
    while (const DatabaseColumn* column = read_.take_free()) {
      read_.question.shown.push_back(column);
      if (is_date(*column) || !is_figure(column->name) || read_.says(R"(\b(list|show)\b)"))
        continue;
      read_.problem(fmt::format("{} is a column: is it to be listed, or added up? Say `sum of {}`",
                                code_span(column->name), column->name));
    }
    const bool is_bare = read_.question.conditions.empty() && read_.question.shown.empty() &&
                         !read_.question.limit &&
                         read_.says(R"(\b(what is|what's|about|describe)\b)");
    if (!is_bare) read_.question.kind = Kind::rows;
  }

  // Takes words that no name of the database has taken before.
  bool take_open(std::initializer_list<std::string_view> wanted) {
    bool is_there = false;
    for (std::size_t at = 0; at < read_.words.size(); ++at) {
      if (read_.words[at].is_explained || !read_.is_word(at, wanted)) continue;
      is_there = true;
      read_.explain_at(at);
    }
    return is_there;
  }

  // Likewise, unless they are a part of a longer name: "last" in "last name".
  bool take_outside_names(std::initializer_list<std::string_view> wanted) {
    bool is_there = false;
    for (std::size_t at = 0; at < read_.words.size(); ++at) {
      const PromptWord& word = read_.words[at];
      const bool is_wanted =
          read_.is_word(at, wanted) || (word.kind == PromptWord::Kind::word &&
                                        std::ranges::find(wanted, word.singular) != wanted.end());
      if (!is_wanted || is_in_long_name(at)) continue;
      is_there = true;
      read_.explain_at(at);
    }
    return is_there;
  }

  bool is_in_long_name(std::size_t at) const {
    const auto holds = [at](const WordRange& range) {
      return range.size() > 1 && range.begin <= at && at < range.end;
    };
    return std::ranges::any_of(
               read_.mentions,
               [&](const ColumnMention& each) { return each.is_whole && holds(each.range); }) ||
           std::ranges::any_of(read_.tables,
                               [&](const TableMention& each) { return holds(each.range); });
  }

  const DatabaseColumn* take_free_number() {
    for (const ColumnMention& mention : read_.mentions) {
      if (read_.is_used(mention) || !is_number(*mention.column)) continue;
      read_.use(mention);
      return mention.column;
    }
    return nullptr;
  }

  // Different "sensors" in a table sensors are those of its column sensor.
  const DatabaseColumn* column_of_table_name() const {
    const DatabaseTable& table = *read_.question.table;
    const auto found = std::ranges::find_if(table.columns, [&](const DatabaseColumn& each) {
      return singular(each.name) == singular(table.name);
    });
    return found == table.columns.end() ? nullptr : &*found;
  }

  // The first free column, as what it says is asked for by its name: "tools" are those of
  // tool_name, "users" not those of user_agent.
  const DatabaseColumn* take_free_thing() {
    const auto mention = std::ranges::find_if(
        read_.mentions, [&](const ColumnMention& each) { return !read_.is_used(each); });
    const DatabaseColumn& column = *mention->column;
    if (!mention->is_whole) {
      constexpr auto kNaming = std::to_array<std::string_view>(
          {"id", "name", "code", "key", "title", "label", "number", "no", "nr"});
      const std::vector<std::string> parts = words_in_name(column.name);
      const std::string& said = read_.words[mention->range.begin].singular;
      auto part = std::ranges::find(parts, said, [](const auto& each) { return singular(each); });
      if (part != parts.end()) ++part;
      if (!std::all_of(part, parts.end(),
                       [&](const auto& each) { return is_one_of(each, kNaming); }))
        read_.problem(fmt::format("{} may be something else than {}",
                                  code_span(read_.words[mention->range.begin].text),
                                  code_span(column.name)));
    }
    return read_.take_free();
  }

  void decide_without_table(bool counts, bool structure) {
    if (counts && !read_.counts_columns() && read_.says(R"(\btables?\b)")) {
      read_.question.kind = Kind::table_count;
    } else if (structure) {
      read_.question.kind = Kind::schema;
    } else if (read_.says(R"(\bviews?\b)")) {
      read_.question.kind = Kind::views;
    } else {
      read_.question.kind = counts ? Kind::table_sizes : Kind::overview;
    }
  }

  void aggregate(const char* function, bool is_ranked) {
    read_.question.kind = Kind::aggregate;
    read_.question.function = function;
    if (read_.question.measure == nullptr) read_.question.measure = read_.take_free();
    if (is_ranked && read_.question.group == nullptr) read_.problem("it does not say of what");
    if (read_.question.measure == nullptr) {
      read_.problem(fmt::format("it does not say of which column of {}",
                                code_span(read_.question.table->name)));
    } else if (!is_number(*read_.question.measure)) {
      read_.problem(fmt::format("{} does not hold numbers that can be added up",
                                code_span(read_.question.measure->name)));
    }
  }

  // "top 3 prices": also numbers in text have such names.
  bool may_be_ranked(const DatabaseColumn* column) const {
    if (column == nullptr || read_.says(R"(\b(values?|common|frequent)\b)")) return false;
    return is_number(*column) ||
           name_has(*column, {"price", "cost", "amount", "score", "salary", "total", "rating",
                              "age", "size", "weight", "quantity", "fee", "revenue", "point"});
  }

  // How many columns a table has is told by what describes it.
  void count_columns() {
    read_.question.kind = Kind::describe;
    if (!read_.question.conditions.empty() || read_.question.group != nullptr)
      read_.problem("it counts columns, and speaks of what is in them");
  }

  // The newest, by its date; the oldest may also be the one of the highest age.
  void extreme_in_time(bool is_newest) {
    const DatabaseColumn* by = read_.question.measure;
    const bool says_oldest = read_.says(R"(\boldest\b)");
    if (by == nullptr) {
      const DatabaseColumn* date = read_.date_column();
      for (const DatabaseColumn& other : read_.question.table->columns) {
        const bool may_be_meant = is_birth(other) || (says_oldest && is_age(other));
        if (date == nullptr || &other == date || !may_be_meant) continue;
        read_.problem(fmt::format("it does not say whether by {} or by {}", code_span(other.name),
                                  code_span(date->name)));
      }
      return extreme(is_newest, date);
    }
    if (is_age(*by) && says_oldest) return extreme(true, by);
    if (!may_be_date(*by) && !is_birth(*by) && !may_be_year(*by)) {
      read_.problem(fmt::format("I cannot tell what is {} by {}", is_newest ? "new" : "old",
                                code_span(by->name)));
    }
    extreme(is_newest, by);
  }

  // By the only column whose name says what the word measures.
  void extreme_of(bool is_high, std::initializer_list<std::string_view> names) {
    const DatabaseColumn* column = read_.only(is_number, names);
    if (read_.question.measure != nullptr && read_.question.measure != column)
      read_.problem(fmt::format("I cannot tell what it asks about {}",
                                code_span(read_.question.measure->name)));
    extreme(is_high, column);
  }

  void extreme(bool is_high, const DatabaseColumn* column) {
    const bool wants_row = read_.says(R"(\b(which|who|with the|row|rows|show|list)\b)") ||
                           read_.question.limit.has_value() || column == nullptr ||
                           is_date(*column) || !mentioned(column) || read_.is_ranked_by;
    read_.question.is_descending = is_high;
    read_.question.function = is_high ? "max" : "min";
    read_.question.kind = wants_row ? Kind::extreme : Kind::aggregate;
    read_.question.measure = column;
    if (column != nullptr && may_be_date(*column) && !is_number(*column)) read_.set_date(*column);
    if (column == nullptr) {
      read_.problem(fmt::format("it does not say by which column of {}",
                                code_span(read_.question.table->name)));
    } else if (read_.question.join != nullptr && read_.question.group == nullptr) {
      read_.problem(fmt::format("the {} {} may be that of one row, or of all rows of one of the {}",
                                is_high ? "highest" : "lowest", code_span(column->name),
                                code_span(read_.question.join->other_table)));
    } else if (read_.question.group != nullptr || !read_.question.period.empty()) {
      read_.question.kind = Kind::aggregate;
      if (!read_.question.period.empty()) read_.problem("it does not say whether each is meant");
      if (asks_for_rows() || !mentioned(column)) {
        read_.problem(fmt::format(
            "which rows have the {} {} of each, I cannot tell, only how {} it is",
            is_high ? "highest" : "lowest", code_span(column->name), is_high ? "high" : "low"));
      }
    }
  }

  // "Who has the highest salary per department", and not "what is".
  bool asks_for_rows() const {
    return read_.says(R"(\bwho(se)?\b|\bwith the\b)") ||
           std::ranges::any_of(read_.tables, [&](const TableMention& each) {
             return each.table == read_.question.table && each.range.begin > 0 &&
                    read_.is_word(each.range.begin - 1, {"which", "what"});
           });
  }

  bool mentioned(const DatabaseColumn* column) const {
    return std::ranges::any_of(read_.mentions,
                               [&](const auto& each) { return each.column == column; });
  }

  bool is_all_explained() const {
    std::vector<PromptWord> left = read_.words;
    explain_grammar(left);
    return unexplained(left).empty();
  }

  DatabaseReading& read_;
};

}  // namespace

void decide(DatabaseReading& read) {
  Decision decision(read);
  decision.decide();
  decision.check_roles();
}

}  // namespace wright::offline
