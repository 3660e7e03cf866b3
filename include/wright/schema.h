// Describes a C++ struct or enum once, so that it has a JSON schema and a JSON form.
//
//   struct Place { std::string city; int days = 1; };
//   WRIGHT_DESCRIBE(Place,
//                   WRIGHT_FIELD(city, "Name of the city").min_length(1),
//                   WRIGHT_FIELD(days, "How far ahead").at_least(1).at_most(7).with_default())
//
//   enum class Unit { celsius, fahrenheit };
//   WRIGHT_ENUM(Unit, celsius, fahrenheit)
//
// Both stand at namespace scope, in the namespace of the type. A field is required unless it is a
// std::optional or says with_default(). Which types a field may have is said before schema_of().
//
// A plain struct (an aggregate of up to 32 fields, without base classes) needs no description: its
// fields then have their names alone, and those that are no std::optional are required.
#pragma once

#include "wright/detail/language.h"
// First: what follows needs the language.
#include <array>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wright/detail/misuse.h"
#include "wright/detail/plain_struct.h"
#include "wright/json.h"

namespace wright {

namespace detail {

template <class T>
struct WithoutOptional {
  using Type = T;
};
template <class T>
struct WithoutOptional<std::optional<T>> {
  using Type = T;
};

// What rules may be said of a field of this type.
template <class T>
concept HasBounds = std::is_arithmetic_v<typename WithoutOptional<T>::Type> &&
    !std::same_as<typename WithoutOptional<T>::Type, bool>;
template <class T>
concept HasLength = std::convertible_to<typename WithoutOptional<T>::Type, std::string_view>;
template <class T>
concept HasItems = !HasLength<T> && requires(typename WithoutOptional<T>::Type & list) {
  list.size();
  list.clear();
};

}  // namespace detail

// Names a type in an argument list.
template <class T>
struct Of {};

// What a schema says about one field beside its type. Views refer to string literals.
struct FieldRules {
  std::string_view name;
  std::string_view description;
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::optional<std::size_t> min_length;  // characters
  std::optional<std::size_t> max_length;
  std::optional<std::size_t> min_items;
  std::optional<std::size_t> max_items;
  bool has_default = false;
};

template <class Struct, class Member>
struct Field {
  Member Struct::*member;
  FieldRules rules;

  // The name in JSON, where it cannot be a C++ name.
  constexpr Field named(std::string_view name) const { return with(&FieldRules::name, name); }
  constexpr Field at_least(double value) const {
    detail::field_has_bounds<Field, detail::HasBounds<Member>>();
    return with(&FieldRules::minimum, value);
  }
  constexpr Field at_most(double value) const {
    detail::field_has_bounds<Field, detail::HasBounds<Member>>();
    return with(&FieldRules::maximum, value);
  }
  constexpr Field min_length(std::size_t n) const {
    detail::field_has_length<Field, detail::HasLength<Member>>();
    return with(&FieldRules::min_length, n);
  }
  constexpr Field max_length(std::size_t n) const {
    detail::field_has_length<Field, detail::HasLength<Member>>();
    return with(&FieldRules::max_length, n);
  }
  constexpr Field min_items(std::size_t n) const {
    detail::field_has_items<Field, detail::HasItems<Member>>();
    return with(&FieldRules::min_items, n);
  }
  constexpr Field max_items(std::size_t n) const {
    detail::field_has_items<Field, detail::HasItems<Member>>();
    return with(&FieldRules::max_items, n);
  }
  // May be absent: then the member keeps the value of its initialiser, which the schema shows.
  constexpr Field with_default() const { return with(&FieldRules::has_default, true); }

  constexpr Member& of(Struct& value) const { return value.*member; }
  constexpr const Member& of(const Struct& value) const { return value.*member; }

 private:
  template <class Rule, class Value>
  constexpr Field with(Rule FieldRules::*rule, Value value) const {
    Field copy = *this;
    copy.rules.*rule = value;
    return copy;
  }
};

template <class Struct, class Member>
constexpr Field<Struct, Member> field(std::string_view name, Member Struct::*member,
                                      std::string_view description = {}) {
  Field<Struct, Member> made{member, {}};
  made.rules.name = name;
  made.rules.description = description;
  return made;
}

template <class T>
concept DescribedStruct = requires {
  wright_fields(Of<T>{});
};

template <class T>
concept DescribedEnum = requires {
  wright_enumerators(Of<T>{});
};

// See above: a struct that needs no description.
template <class T>
concept PlainStruct = !DescribedStruct<T> && detail::is_plain_struct<T>();

// A struct that has a JSON form.
template <class T>
concept JsonStruct = DescribedStruct<T> || PlainStruct<T>;

}  // namespace wright

#define WRIGHT_DESCRIBE(Type, ...)                                                     \
  [[maybe_unused]] constexpr auto wright_fields(::wright::Of<Type>) {                  \
    using Self [[maybe_unused]] = Type;                                                \
    return ::std::make_tuple(__VA_ARGS__);                                             \
  }                                                                                    \
  [[maybe_unused]] constexpr ::std::string_view wright_type_name(::wright::Of<Type>) { \
    return #Type;                                                                      \
  }

// The same, and costs the compiler nothing before the type is used; a mistake is told only then.
// For types in headers that many include.
#define WRIGHT_DESCRIBE_WHEN_USED(Type, ...)                                           \
  template <class Self = Type>                                                         \
  constexpr auto wright_fields(::wright::Of<Type>) {                                   \
    return ::std::make_tuple(__VA_ARGS__);                                             \
  }                                                                                    \
  [[maybe_unused]] constexpr ::std::string_view wright_type_name(::wright::Of<Type>) { \
    return #Type;                                                                      \
  }

#define WRIGHT_FIELD(member, ...) ::wright::field(#member, &Self::member __VA_OPT__(, ) __VA_ARGS__)

#define WRIGHT_ENUM(Type, ...)                                             \
  [[maybe_unused]] constexpr auto wright_enumerators(::wright::Of<Type>) { \
    using Self = Type;                                                     \
    return ::std::array{WRIGHT_EACH(WRIGHT_ENUMERATOR, __VA_ARGS__)};      \
  }

// The machinery behind WRIGHT_ENUM: applies a macro to each of up to 256 arguments.
#define WRIGHT_ENUMERATOR(name) ::std::pair<Self, ::std::string_view>{Self::name, #name},
#define WRIGHT_PARENS ()
#define WRIGHT_EXPAND(...) \
  WRIGHT_EXPAND3(WRIGHT_EXPAND3(WRIGHT_EXPAND3(WRIGHT_EXPAND3(__VA_ARGS__))))
#define WRIGHT_EXPAND3(...) \
  WRIGHT_EXPAND2(WRIGHT_EXPAND2(WRIGHT_EXPAND2(WRIGHT_EXPAND2(__VA_ARGS__))))
#define WRIGHT_EXPAND2(...) \
  WRIGHT_EXPAND1(WRIGHT_EXPAND1(WRIGHT_EXPAND1(WRIGHT_EXPAND1(__VA_ARGS__))))
#define WRIGHT_EXPAND1(...) __VA_ARGS__
#define WRIGHT_EACH(macro, ...) __VA_OPT__(WRIGHT_EXPAND(WRIGHT_EACH_STEP(macro, __VA_ARGS__)))
#define WRIGHT_EACH_STEP(macro, first, ...) \
  macro(first) __VA_OPT__(WRIGHT_EACH_AGAIN WRIGHT_PARENS(macro, __VA_ARGS__))
#define WRIGHT_EACH_AGAIN() WRIGHT_EACH_STEP

namespace wright {

// From C++ types to JSON schemas and JSON values, and back.
//
// A field may be bool, an integer, a floating-point number, std::string, Json (anything), a
// described enum, a struct that is described or plain, and std::optional, std::vector,
// std::map<std::string, …> or std::unordered_map<std::string, …> of such a type.

// The JSON schema (draft 2020-12) of T. Types that contain themselves use $ref.
template <class T>
Json schema_of();

// Reads a T. The error lists everything that is wrong, each with its path: "Missing required
// parameter: place.city; Parameter days must be an integer, not a string".
template <class T>
Result<T> decode(const Json& json);

// The error of arguments that do not fit: every problem in its message, and listed in its detail as
// {"violations": […]}. decode() fails with it.
Error refused_arguments(std::span<const std::string> problems);
bool is_refused_arguments(const Error& error);

// The JSON form of a value. Absent optionals of a struct are left out.
template <class T>
Json encode(const T& value);

}  // namespace wright

#include "wright/detail/schema.h"
