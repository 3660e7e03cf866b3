// Conditions on entities as SQL with parameters: no value ever becomes part of the text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "entities/entity_schema.h"
#include "wright/json.h"
#include "wright/schema.h"

namespace wright::entities {

struct Condition {
  std::string field;
  std::string comparison;  // "operator" in JSON
  Json value;
};
WRIGHT_DESCRIBE(Condition, WRIGHT_FIELD(field, "Name of a field of the entity type"),
                ::wright::field("operator", &Self::comparison,
                                "=, !=, >, >=, <, <=, CONTAINS, STARTS WITH, ENDS WITH (these mind "
                                "the case), REGEX (RE2), GLOB (*, ?, [a-z]) or IN"),
                WRIGHT_FIELD(value, "What to compare with; a list for IN"))

// All operators of conditions.
std::span<const std::string_view> condition_operators();

using SqlValue = std::variant<std::nullptr_t, std::int64_t, double, std::string>;

// A piece of SQL with a "?" for each of the values.
struct Sql {
  std::string text;
  std::vector<SqlValue> values = {};
  bool is_slow = false;  // has to look at every row, whatever the indexes

  Sql& add(std::string_view more) {
    text += more;
    return *this;
  }
  Sql& add(const Sql& more) {
    text += more.text;
    values.insert(values.end(), more.values.begin(), more.values.end());
    is_slow = is_slow || more.is_slow;
    return *this;
  }
  // A parameter.
  Sql& value(SqlValue given) {
    text += '?';
    values.push_back(std::move(given));
    return *this;
  }
};

// The entities of a type for which all conditions hold.
class EntityFilter {
 public:
  explicit EntityFilter(const EntityType& type);

  Result<void> add(const Condition& condition);
  Result<void> add(std::span<const Condition> conditions);
  void add(const EntityField& field, const Sql& condition);  // on this field alone

  const EntityType& type() const { return *type_; }
  bool is_slow() const;  // as a condition
  // "FROM … WHERE …"
  Sql sql() const;
  // The same in pieces, one for each type of entities, which an index by type serves. One piece
  // where there is nothing to be gained.
  std::vector<Sql> pieces() const;
  // The same over a tally of the type that says enough to count, by groups of `group` if that is not
  // null; nothing where there is none.
  std::optional<Sql> tally(const EntityField* group = nullptr) const;

 private:
  Sql from(std::string_view table, const Sql& type_condition) const;

  const EntityType* type_;
  std::vector<Sql> conditions_;
  std::vector<std::string> fields_;  // of the conditions
};

// The time of a field, comparable with milliseconds.
std::string time_sql(const EntityField& field);

// Matching text: `pattern` inside, at the start, …, with or without its case.
enum class TextMode : std::uint8_t { contains, starts_with, ends_with, exact, regex };
WRIGHT_ENUM(TextMode, contains, starts_with, ends_with, exact, regex)
enum class Case : std::uint8_t { ignored, minded };
Result<Sql> text_condition(const EntityField& field, TextMode mode, const std::string& pattern,
                           Case letter_case);

// Membership: one of the values, or none of them.
enum class Membership : std::uint8_t { one_of, none_of };
Result<Sql> membership_condition(const EntityField& field, std::span<const Json> values,
                                 Membership membership);

}  // namespace wright::entities
