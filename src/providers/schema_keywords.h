// Where a schema contains other schemas, so that a walk never mistakes a property's name or an
// example value for a keyword.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace wright::providers {

enum class Holds : std::uint8_t { value, schema, schemas_by_name, schemas_in_order };

inline Holds holds(std::string_view keyword) {
  constexpr std::array<std::string_view, 5> kByName{"properties", "patternProperties", "$defs",
                                                    "definitions", "dependentSchemas"};
  constexpr std::array<std::string_view, 4> kInOrder{"anyOf", "oneOf", "allOf", "prefixItems"};
  constexpr std::array<std::string_view, 11> kSchema{"items",
                                                     "additionalProperties",
                                                     "additionalItems",
                                                     "not",
                                                     "if",
                                                     "then",
                                                     "else",
                                                     "contains",
                                                     "propertyNames",
                                                     "unevaluatedItems",
                                                     "unevaluatedProperties"};
  if (std::ranges::find(kByName, keyword) != kByName.end()) return Holds::schemas_by_name;
  if (std::ranges::find(kInOrder, keyword) != kInOrder.end()) return Holds::schemas_in_order;
  if (std::ranges::find(kSchema, keyword) != kSchema.end()) return Holds::schema;
  return Holds::value;
}

}  // namespace wright::providers
