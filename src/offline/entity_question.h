// Questions about entities, as a value: which of them, compared how, sorted how, counted by what.
// "Which Python classes have more than 200 lines?" Looks at nothing but the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wright::offline {

struct NumberClause {
  std::string field;       // line_count or method_count
  std::string comparison;  // an operator of number_range_search
  std::int64_t value = 0;
  std::int64_t upper_value = 0;  // with "between"
};

struct TimeClause {
  std::string mode;      // relative, before, after or between, as of datetime_range_search
  std::string period;    // with relative: last_week, …
  int times = 1;         // of that period: "the last 3 weeks"
  std::string datetime;  // with before and after, and the start of between
  std::string end;       // of between
  bool is_whole_days = false;
};

struct NameClause {
  std::string mode;  // starts_with, ends_with, contains, exact or regex
  std::string pattern;
};

struct OrderClause {
  std::string field;
  bool is_descending = true;
};

struct EntityQuestion {
  std::string type;        // class, function, …; "code" for whatever there is
  std::string noun;        // as it was asked, in the plural
  std::string language;    // empty: any
  std::string visibility;  // empty: any
  std::string path;        // empty: everywhere
  std::optional<NumberClause> number = {};
  std::optional<TimeClause> time = {};
  std::optional<NameClause> name = {};
  std::optional<OrderClause> order = {};
  std::string group_by = {};
  bool is_count = false;
  int limit = 10;
};

// Nothing when the text asks about something else.
std::optional<EntityQuestion> understand_entities(std::string_view text);

}  // namespace wright::offline
