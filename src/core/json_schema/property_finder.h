// Finds what a schema says of the members of an object.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/json_schema/program.h"

namespace wright::json_schema {

// Names are short: comparing them here is quicker than calling memcmp.
inline bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  std::size_t at = 0;
  for (; at + sizeof(std::uint32_t) <= a.size(); at += sizeof(std::uint32_t)) {
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    std::memcpy(&left, a.data() + at, sizeof left);
    std::memcpy(&right, b.data() + at, sizeof right);
    if (left != right) return false;
  }
  for (; at < a.size(); ++at) {
    if (a[at] != b[at]) return false;
  }
  return true;
}

// Finds the rules of an object's members. Members mostly come in the order of the schema, with some
// left out, so the next ones are tried first.
class PropertyFinder {
 public:
  explicit PropertyFinder(const ObjectRules& rules) : rules_(rules) {}

  const PropertyRule* find(std::string_view name) {
    const std::size_t end = std::min(expected_ + 2, rules_.declared.size());
    for (std::size_t at = expected_; at < end; ++at) {
      const PropertyRule& rule = rules_.properties[rules_.declared[at]];
      if (!is_same(rule.name, name)) continue;
      expected_ = at + 1;
      return &rule;
    }
    const std::vector<PropertyRule>& all = rules_.properties;
    const auto found = std::ranges::lower_bound(all, name, {}, &PropertyRule::name);
    return found != all.end() && found->name == name ? &*found : nullptr;
  }

 private:
  const ObjectRules& rules_;
  std::size_t expected_ = 0;  // in `declared`
};

}  // namespace wright::json_schema
