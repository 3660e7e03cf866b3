// From C++ types (describe.h) to JSON schemas and JSON values, and back.
//
// A field may be bool, an integer, a floating-point number, std::string, Json (anything), a
// described enum, a struct that is described or plain, and std::optional, std::vector,
// std::map<std::string, …> or std::unordered_map<std::string, …> of such a type.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "wright/describe.h"
#include "wright/json.h"

namespace wright {

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

#include "wright/schema_inline.h"
