// What the compiler says where Wright is used in a way that cannot work: every message in one
// place. Each is a function, so that its name and its types come first, and little else follows.
#pragma once

namespace wright::detail {

template <class Type, class UsedIn, bool is_fine>
constexpr bool type_has_json_form() {
  static_assert(is_fine,
                "wright: this type has no JSON form. Use one of the types listed in "
                "wright/schema.h; describe an enum with WRIGHT_ENUM, and a class that is no plain "
                "struct with WRIGHT_DESCRIBE");
  return is_fine;
}

template <class Struct, bool is_fine>
constexpr bool can_be_read() {
  static_assert(is_fine,
                "wright: a struct that is read from JSON must be one that can be made without "
                "arguments");
  return is_fine;
}

template <class Field, bool is_fine>
constexpr void field_has_bounds() {
  static_assert(is_fine,
                "wright: at_least() and at_most() are for numbers. A text has min_length() and "
                "max_length(), a list min_items() and max_items()");
}

template <class Field, bool is_fine>
constexpr void field_has_length() {
  static_assert(is_fine,
                "wright: min_length() and max_length() are for texts. A number has at_least() and "
                "at_most(), a list min_items() and max_items()");
}

template <class Field, bool is_fine>
constexpr void field_has_items() {
  static_assert(is_fine,
                "wright: min_items() and max_items() are for lists and maps. A text has "
                "min_length() and max_length(), a number at_least() and at_most()");
}

template <class Function, bool is_fine>
constexpr bool tool_is_a_function() {
  static_assert(is_fine,
                "wright::tool: the third argument must be a function or a lambda with named "
                "parameter types (no auto parameters, no overloads)");
  return is_fine;
}

template <class Function, bool is_fine>
constexpr bool tool_takes_one_struct() {
  static_assert(is_fine,
                "wright::tool: the function takes one struct (and, after it, a const "
                "wright::Context&), not several parameters: put them into a struct");
  return is_fine;
}

template <class Returned, bool is_fine>
constexpr bool tool_returns_json() {
  static_assert(is_fine,
                "wright::tool: the function must return something with a JSON form (see "
                "wright/schema.h), a wright::Result of it, or void");
  return is_fine;
}

template <class Parameter, bool is_fine>
constexpr bool tool_takes_struct() {
  static_assert(is_fine,
                "wright::tool: the function's parameter must be a plain struct (up to 32 fields, "
                "no base classes), one described with WRIGHT_DESCRIBE (at namespace scope), or "
                "wright::Json; a const wright::Context& may follow it");
  return is_fine;
}

}  // namespace wright::detail
