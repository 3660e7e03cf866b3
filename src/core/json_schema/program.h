// A compiled schema: nodes that refer to each other by number. Made by the compiler, read by the
// evaluator, never changed in between.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wright/json.h"

namespace wright::json_schema {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = UINT32_MAX;

using TypeSet = std::uint8_t;
inline constexpr TypeSet kNull = 1;
inline constexpr TypeSet kBoolean = 2;
inline constexpr TypeSet kInteger = 4;
inline constexpr TypeSet kNumber = 8;
inline constexpr TypeSet kString = 16;
inline constexpr TypeSet kArray = 32;
inline constexpr TypeSet kObject = 64;

using FormatCheck = bool (*)(std::string_view text);

struct NumberRules {
  std::optional<Json> minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of;
};

struct StringRules {
  std::optional<std::size_t> min_length, max_length;
  std::string pattern_text;
  std::unique_ptr<const RE2> pattern;
  std::string format_name;
  FormatCheck format = nullptr;
};

struct ArrayRules {
  std::optional<std::size_t> min_items, max_items;
  bool is_unique = false;
  std::vector<NodeId> prefix;
  NodeId items = kNoNode;  // those after the prefix
  NodeId contains = kNoNode;
  std::size_t min_contains = 1;
  std::optional<std::size_t> max_contains;
  bool contains_evaluates = true;  // 2020-12: an item that `contains` accepted is evaluated
  NodeId unevaluated = kNoNode;
};

struct PropertyRule {
  std::string name;
  NodeId schema = kNoNode;
  bool is_required = false;
};
struct PatternProperty {
  std::unique_ptr<const RE2> pattern;
  NodeId schema = kNoNode;
};
struct DependentRequired {
  std::string name;
  std::vector<std::string> needs;
};
struct DependentSchema {
  std::string name;
  NodeId schema = kNoNode;
};

struct ObjectRules {
  std::optional<std::size_t> min_properties, max_properties;
  std::vector<PropertyRule> properties;  // sorted by name
  std::vector<std::uint32_t> declared;   // those of them with a schema, in the schema's order
  std::size_t required_count = 0;
  std::vector<PatternProperty> patterns;
  NodeId additional = kNoNode;
  NodeId names = kNoNode;
  std::vector<DependentRequired> dependent_required;
  std::vector<DependentSchema> dependent_schemas;
  NodeId unevaluated = kNoNode;
};

// Applied to the same value.
struct Combinations {
  std::vector<NodeId> all_of, any_of, one_of;
  NodeId negated = kNoNode;
  NodeId condition = kNoNode, then_branch = kNoNode, else_branch = kNoNode;
};

struct Node {
  bool is_false = false;
  bool is_type_only = false;     // nothing beside `types` has to be looked at
  bool has_unevaluated = false;  // unevaluatedItems or unevaluatedProperties
  TypeSet types = 0;             // 0: any
  std::uint32_t resource = 0;
  NodeId reference = kNoNode;
  NodeId dynamic_reference = kNoNode;
  std::string dynamic_anchor;  // the name that dynamic_reference is looked up by; empty: as it is
  bool has_choices = false;    // const or enum
  std::optional<Json> constant;
  std::optional<std::vector<Json>> choices;
  std::unique_ptr<NumberRules> number;
  std::unique_ptr<StringRules> string;
  std::unique_ptr<ArrayRules> array;
  std::unique_ptr<ObjectRules> object;
  std::unique_ptr<Combinations> combinations;
};

// A part of a document with an identifier of its own, and the dynamic anchors in it.
struct DynamicScope {
  std::vector<std::pair<std::string, NodeId>> anchors;
};

struct Program {
  std::vector<Node> nodes;
  NodeId root = 0;
  std::vector<DynamicScope> resources;  // by Node::resource
  bool has_dynamic_references = false;
  std::vector<std::string> warnings;
};

}  // namespace wright::json_schema
