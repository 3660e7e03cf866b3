// What can be asked about: entity types and their fields, with the SQL that each is. Every name in
// a query comes from here, never from whoever asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"

namespace wright::entities {

enum class FieldKind : std::uint8_t {
  text,
  number,
  datetime,
  any,  // a column of a database may hold anything
};
std::string_view to_string(FieldKind kind);

struct EntityField {
  std::string name;
  FieldKind kind = FieldKind::any;
  std::string description = {};
  std::string sql = {};     // an expression
  bool is_indexed = false;  // compared byte by byte, so that a prefix is a range
  bool is_shown = true;     // in the entities of an answer
  bool is_key = false;      // part of what tells one entity from all others
};

// A small table with the number of entities, in its column `entities`, for all values of the fields.
struct Tally {
  std::string table;
  std::vector<std::string_view> fields;  // `type` among them where it counts types apart
};

struct EntityType {
  std::string name;
  std::string description = {};
  std::string table = {};              // quoted
  std::optional<std::string> is = {};  // the value of the column `type`, where types share a table
  std::vector<EntityField> fields = {};
  std::string tie_order = {};  // what decides between equals: "file, start_line"; may be empty
  std::string row = {};        // a column that is another for each row, and quick to look up
  std::vector<std::string> members = {};  // without `is`: the types of its entities; may be empty
  std::vector<Tally> tallies = {};
};

// How entities belong together.
struct Relationship {
  std::string name;
  std::string description;
};

enum class Nulls : std::uint8_t { shown, left_out };

struct EntitySchema {
  std::vector<EntityType> types;
  std::vector<Relationship> relationships;
  Nulls nulls = Nulls::shown;
  std::vector<std::string> notes = {};  // where all this comes from
  std::string incomplete = {};          // what is missing from every answer; empty: nothing
};

// Case does not matter. What is not there is refused with what is, the nearest first.
Result<const EntityType*> find_type(const EntitySchema& schema, std::string_view name);
Result<const EntityField*> find_field(const EntityType& type, std::string_view name);

// "a, b, c and 7 more", with the one nearest to `typed` first.
std::string nearest_first(std::string_view typed, std::vector<std::string_view> names);

// A name as SQL.
std::string quoted_name(std::string_view name);

}  // namespace wright::entities
