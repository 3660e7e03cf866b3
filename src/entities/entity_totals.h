// Figures about entities that queries would otherwise have to count each time: how many there are
// of a type, language and visibility, and how many methods a class has. Collects what changes in a
// transaction, and writes it down at its end.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "sqlite/statement.h"

namespace wright::entities {

class EntityTotals {
 public:
  static Result<EntityTotals> prepare(sqlite3* connection);

  // What of an entity counts. An empty text is none.
  struct Counted {
    std::string type = {};
    std::string language = {};
    std::string visibility = {};
    std::string qualified_name = {};
    std::string parent = {};
  };
  void added(const Counted& entity) { note(entity, 1); }
  void removed(const Counted& entity) { note(entity, -1); }

  // Whether methods are counted where they changed, or are left to count_all_methods().
  enum class Methods : std::uint8_t { where_changed, later };
  Result<void> write(Methods methods);
  // What was collected belongs to a transaction that is undone.
  void forget();
  bool has_changes() const { return !changes_.empty() || !scopes_.empty(); }

  static Result<void> count_all_methods(sqlite3* connection);

 private:
  EntityTotals(sqlite3* connection, sqlite::Statement change, sqlite::Statement insert,
               sqlite::Statement count_methods);

  void note(const Counted& entity, std::int64_t number);
  Result<void> write_tally();

  struct Kind {
    std::string type;
    std::string language;
    std::string visibility;
    auto operator<=>(const Kind&) const = default;
  };
  std::map<Kind, std::int64_t> changes_;
  std::set<std::string> scopes_;  // qualified names of what may have got or lost methods

  sqlite3* connection_;
  sqlite::Statement change_;
  sqlite::Statement insert_;
  sqlite::Statement count_methods_;
};

}  // namespace wright::entities
