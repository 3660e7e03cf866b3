// A document of catalogue rows as plain values, whether it was read from TOML now or compiled into
// the program. Values are views: somebody else holds what they refer to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace wright::providers {

struct CatalogueValue {
  enum class Kind : std::uint8_t { none, boolean, integer, number, string, time, array, table };

  std::string_view name = {};  // in the table that holds it
  int line = 0;                // of its name; 0: compiled in
  Kind kind = Kind::none;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;  // also of an integer
  std::string_view text = {};
  const CatalogueValue* first = nullptr;  // of an array or a table
  std::size_t count = 0;

  std::span<const CatalogueValue> elements() const { return {first, count}; }
  // Null where this table has no such value, or this is no table.
  const CatalogueValue* find(std::string_view wanted) const {
    if (kind != Kind::table) return nullptr;
    for (const CatalogueValue& element : elements()) {
      if (element.name == wanted) return &element;
    }
    return nullptr;
  }
};

// catalogue.toml, which the build compiles (compile_catalogue.cpp).
extern const CatalogueValue kBuiltInRows;

}  // namespace wright::providers
