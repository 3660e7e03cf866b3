// What came of a schema and a value, for schemas that lead to the same one in many ways: twenty
// levels of {"allOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]} are a million ways, and one
// verdict.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/json_schema/evaluated.h"
#include "core/json_schema/program.h"
#include "wright/json.h"

namespace wright::json_schema {

class KnownVerdicts {
 public:
  struct Verdict {
    bool is_valid = false;
    std::optional<Evaluated> evaluated = {};  // where somebody asked for it
  };

  // Null: it is not known yet, or not which members were looked at, and that is asked for. A value
  // stays where it is as long as this lives.
  const Verdict* find(NodeId schema, const Json& value, bool asks_for_evaluated) const {
    const auto found = verdicts_.find({schema, &value});
    if (found == verdicts_.end()) return nullptr;
    const Verdict& verdict = found->second;
    return asks_for_evaluated && verdict.is_valid && !verdict.evaluated ? nullptr : &verdict;
  }
  void keep(NodeId schema, const Json& value, Verdict verdict) {
    verdicts_.insert_or_assign({schema, &value}, std::move(verdict));
  }

 private:
  using Key = std::pair<NodeId, const Json*>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      constexpr std::size_t kOdd = 0x9E3779B97F4A7C15ULL;
      return std::hash<const Json*>{}(key.second) ^ (key.first * kOdd);
    }
  };
  std::unordered_map<Key, Verdict, Hash> verdicts_;
};

}  // namespace wright::json_schema
