// Questions about sets of entities, as a value: which of them, compared how, sorted how, counted by
// what. "Which Python classes have more than 200 lines?" Looks at nothing but the text. Every word
// must be understood: a filter that is passed over makes the answer one to another question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wright::offline {

struct NumberClause {
  std::string field;       // line_count or method_count
  std::string comparison;  // ">", ">=", "<", "<=", "=" or "between"
  std::int64_t value = 0;
  std::int64_t upper_value = 0;  // with "between"
};

struct TimeClause {
  std::string mode;      // relative, before or between, as of datetime_range_search
  std::string period;    // with relative: last_week, …
  int times = 1;         // of that period: "the last 3 weeks"
  std::string datetime;  // with before, and the start of between
  std::string end;       // of between; empty for until now
};

struct NameClause {
  std::string sign;  // STARTS WITH, ENDS WITH, CONTAINS or REGEX
  std::string pattern;
};

struct OrderClause {
  std::string field;  // line_count, method_count, last_modified or size
  bool is_descending = true;
};

struct EntityPrompt {
  std::string type;        // class, function, …, file
  std::string noun;        // as it is called in the plural
  std::string file_type;   // as it was named: "python"; empty: any
  std::string visibility;  // empty: any
  std::string path;        // a folder or a file; empty: everywhere
  std::optional<NumberClause> number = {};
  std::optional<TimeClause> time = {};
  std::optional<NameClause> name = {};
  std::optional<OrderClause> order = {};
  std::string group_by = {};   // language, file, type, visibility or parent
  bool is_count = false;       // only how many
  bool adds_up_lines = false;  // "how many lines of code"
  int limit = 10;
};

// Nothing when the text asks about something else, or about more than this can say.
std::optional<EntityPrompt> understand_entities(std::string_view text);

}  // namespace wright::offline
