// As much of RFC 3986 as references between schemas need.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace wright::json_schema {

// `reference` relative to `base`. An empty base gives the reference itself.
std::string resolve_uri(std::string_view base, std::string_view reference);

// What stands before and after the first '#'.
std::pair<std::string_view, std::string_view> split_fragment(std::string_view uri);

}  // namespace wright::json_schema
