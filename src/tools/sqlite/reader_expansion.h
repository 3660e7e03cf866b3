// How large a statement becomes when SQLite replaces the names in it by the queries they stand for.
// Each mention of a common table expression or a view is a copy of its own, so thirty names of
// which each mentions the one before twice are a billion copies, made before anything can interrupt
// it; and a chain of thousands of names is more nesting than a stack holds. Reads texts, opens
// nothing.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wright::tools {

// Estimates from above; what people write stays far below what matters.
struct ExpandedSize {
  double queries = 1;
  int depth = 1;  // of queries within queries; infinitely many queries stand for "far too deep"
};

class QueryExpansion {
 public:
  // `sql` is the CREATE VIEW as sqlite_schema has it. Views may mention views that come later.
  void add_view(std::string_view name, std::string_view sql);

  ExpandedSize of(std::string_view sql);

  // The views without which all others stay within `each`, and together (some PRAGMAs look at every
  // one) within `all` queries. The largest first, named as they were added.
  std::vector<std::string> views_beyond(const ExpandedSize& each, double all);

 private:
  void measure_views();
  void measure(const std::string& name);

  struct View {
    std::string name;
    std::string sql;
    ExpandedSize size = {0, 0};  // no queries: not known yet
    bool is_being_counted = false;
  };
  std::map<std::string, View, std::less<>> views_;  // by name in lower case
};

}  // namespace wright::tools
