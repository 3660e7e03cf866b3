// The rules that look at one value only, and never at another schema.
#pragma once

#include <optional>
#include <string_view>

#include "core/json_schema/findings.h"
#include "core/json_schema/program.h"
#include "core/json_schema/values.h"

namespace wright::json_schema {

// In the header, because it is all that most values need.
inline TypeSet type_of(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null: return kNull;
    case boost::json::kind::bool_: return kBoolean;
    case boost::json::kind::int64:
    case boost::json::kind::uint64: return kInteger | kNumber;
    case boost::json::kind::double_:
      return is_integer(value) ? TypeSet{kInteger | kNumber} : kNumber;
    case boost::json::kind::string: return kString;
    case boost::json::kind::array: return kArray;
    case boost::json::kind::object: return kObject;
  }
  return 0;
}
inline bool has_type(const Node& node, const Json& value) {
  return node.types == 0 || (node.types & type_of(value)) != 0;
}

// `const` and `enum`.
bool check_choices(const Node& node, const Json& value, const detail::Path& path,
                   Findings* findings);

bool check_number(const NumberRules& rules, const Json& value, const detail::Path& path,
                  Findings* findings);

bool check_string(const StringRules& rules, std::string_view text, const detail::Path& path,
                  Findings* findings);

// `uniqueItems`. Items that are nested deeper than `max_depth` are refused.
bool check_unique(const JsonArray& array, int max_depth, const detail::Path& path,
                  Findings* findings);

// A count between two others, where there are any; the names of the keywords that set them.
struct CountRule {
  const std::optional<std::size_t>& low;
  const std::optional<std::size_t>& high;
  std::string_view low_keyword;
  std::string_view high_keyword;
  std::string_view one;   // "item"
  std::string_view many;  // "items"
};
bool report_count(std::size_t count, const CountRule& rule, const detail::Path& path,
                  Findings* findings);
inline bool check_count(std::size_t count, const CountRule& rule, const detail::Path& path,
                        Findings* findings) {
  const bool holds = (!rule.low || count >= *rule.low) && (!rule.high || count <= *rule.high);
  return holds || report_count(count, rule, path, findings);
}

}  // namespace wright::json_schema
