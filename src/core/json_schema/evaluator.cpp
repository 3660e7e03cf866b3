#include "core/json_schema/evaluator.h"

#include <fmt/format.h>
#include <boost/json/monotonic_resource.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "core/json_kind.h"
#include "core/json_schema/evaluated.h"
#include "core/json_schema/findings.h"
#include "core/json_schema/known_verdicts.h"
#include "core/json_schema/leaf_checks.h"
#include "core/json_schema/property_finder.h"

namespace wright::json_schema {
namespace {

using detail::Path;

// Against a schema that refers to itself endlessly, and one with endless combinations.
constexpr int kMaxDepth = 1500;
constexpr std::int64_t kMaxChecks = 3'000'000;
// Most values are checked with fewer, and cost nothing more. After them, verdicts are kept.
constexpr std::int64_t kChecksBeforeKeeping = 10'000;
// Saying why no alternative fits tries each of them once more, at every level.
constexpr int kMaxExplanations = 200;

// The resources that evaluation has gone through, innermost first; lives on the stack.
struct Scope {
  const Scope* outer = nullptr;
  std::uint32_t resource = 0;
};

class Evaluator {
 public:
  explicit Evaluator(const Program& program) : program_(program) {}

  // `evaluated` is null when nobody asks which members were looked at; `findings` when nobody asks
  // what is wrong.
  bool check(NodeId id, const Json& value, const Path& path, const Scope* outer,
             Evaluated* evaluated, Findings* findings) {
    const Node& node = program_.nodes[id];
    if (++checks_ <= kMaxChecks && node.is_type_only && has_type(node, value)) return true;
    if (++depth_ > kMaxDepth || checks_ > kMaxChecks) {
      --depth_;
      has_given_up_ = true;
      return report(findings, path, "$ref", "could not be checked: the schema recurses too deeply");
    }
    const bool is_kept = checks_ > kChecksBeforeKeeping && leads_on(node) && names_ == 0 &&
                         !program_.has_dynamic_references;
    const bool is_valid = is_kept ? check_once(id, value, path, outer, evaluated, findings)
                                  : check_here(node, value, path, outer, evaluated, findings);
    --depth_;
    return is_valid;
  }

 private:
  // Whether it may lead to others that are tried on the same value.
  static bool leads_on(const Node& node) {
    return node.reference != kNoNode || node.combinations ||
           (node.object && !node.object->dependent_schemas.empty());
  }

  bool check_once(NodeId id, const Json& value, const Path& path, const Scope* outer,
                  Evaluated* evaluated, Findings* findings) {
    if (const auto* known = verdicts_.find(id, value, evaluated != nullptr)) {
      if (!known->is_valid) {
        return report(findings, path, "$ref", "is not what the schema asks for");
      }
      if (evaluated != nullptr) evaluated->merge(*known->evaluated);
      return true;
    }
    KnownVerdicts::Verdict verdict;
    Evaluated* mine = evaluated != nullptr ? &verdict.evaluated.emplace() : nullptr;
    const bool is_valid = check_here(program_.nodes[id], value, path, outer, mine, findings);
    if (mine != nullptr) evaluated->merge(*mine);
    verdict.is_valid = is_valid;
    if (!has_given_up_) verdicts_.keep(id, value, std::move(verdict));
    return is_valid;
  }

  bool check_here(const Node& node, const Json& value, const Path& path, const Scope* outer,
                  Evaluated* evaluated, Findings* findings) {
    const Scope own{outer, node.resource};
    const bool is_new_resource =
        program_.has_dynamic_references && (outer == nullptr || outer->resource != node.resource);
    const Scope* scope = is_new_resource ? &own : outer;
    bool is_valid = false;
    if (node.has_unevaluated && has_unevaluated(node, value)) {
      Evaluated mine;
      is_valid = check_rules(node, value, path, scope, &mine, findings);
      if ((is_valid || findings != nullptr) &&
          !check_unevaluated(node, value, path, scope, mine, findings)) {
        is_valid = false;
      }
      if (evaluated != nullptr) evaluated->merge(mine);
    } else {
      is_valid = check_rules(node, value, path, scope, evaluated, findings);
    }
    return is_valid;
  }

  static bool has_unevaluated(const Node& node, const Json& value) {
    return value.is_object() ? node.object && node.object->unevaluated != kNoNode
                             : value.is_array() && node.array && node.array->unevaluated != kNoNode;
  }

  bool check_rules(const Node& node, const Json& value, const Path& path, const Scope* scope,
                   Evaluated* evaluated, Findings* findings) {
    if (node.is_false) return report(findings, path, "false", "is not allowed");
    bool is_valid = true;
    // True when evaluation must end here: something is wrong and nobody asks for more.
    const auto refused = [&](bool holds) {
      is_valid = is_valid && holds;
      return !is_valid && (findings == nullptr || findings->is_full());
    };
    if (node.types != 0 && refused(expect(has_type(node, value), findings, path, "type", [&] {
          return fmt::format("must be {}, not {}", type_names(node.types), kind_name(value));
        }))) {
      return false;
    }
    if (node.has_choices && refused(check_choices(node, value, path, findings))) return false;
    if (node.reference != kNoNode &&
        refused(check(node.reference, value, path, scope, evaluated, findings))) {
      return false;
    }
    if (node.dynamic_reference != kNoNode &&
        refused(check(dynamic_target(node, scope), value, path, scope, evaluated, findings))) {
      return false;
    }
    if (refused(check_kind(node, value, path, scope, evaluated, findings))) return false;
    if (node.combinations &&
        refused(check_combinations(*node.combinations, value, path, scope, evaluated, findings))) {
      return false;
    }
    return is_valid;
  }

  // The rules for values of its kind.
  bool check_kind(const Node& node, const Json& value, const Path& path, const Scope* scope,
                  Evaluated* evaluated, Findings* findings) {
    switch (value.kind()) {
      case boost::json::kind::null:
      case boost::json::kind::bool_: return true;
      case boost::json::kind::int64:
      case boost::json::kind::uint64:
      case boost::json::kind::double_:
        return !node.number || check_number(*node.number, value, path, findings);
      case boost::json::kind::string:
        return !node.string || check_string(*node.string, value.get_string(), path, findings);
      case boost::json::kind::array:
        return !node.array ||
               check_array(*node.array, value.get_array(), path, scope, evaluated, findings);
      case boost::json::kind::object:
        return !node.object || check_object(*node.object, value, path, scope, evaluated, findings);
    }
    return true;
  }

  NodeId dynamic_target(const Node& node, const Scope* scope) const {
    NodeId target = node.dynamic_reference;
    if (node.dynamic_anchor.empty()) return target;
    for (; scope != nullptr; scope = scope->outer) {
      for (const auto& [name, id] : program_.resources[scope->resource].anchors) {
        if (name == node.dynamic_anchor) target = id;
      }
    }
    return target;
  }

  bool check_array(const ArrayRules& rules, const JsonArray& array, const Path& path,
                   const Scope* scope, Evaluated* evaluated, Findings* findings) {
    bool is_valid = check_count(
        array.size(), {rules.min_items, rules.max_items, "minItems", "maxItems", "item", "items"},
        path, findings);
    if (rules.is_unique && !check_unique(array, kMaxDepth, path, findings)) is_valid = false;
    const std::size_t prefix = std::min(rules.prefix.size(), array.size());
    const std::size_t end = rules.items == kNoNode ? prefix : array.size();
    for (std::size_t i = 0; i < end; ++i) {
      if (!is_valid && findings == nullptr) return false;
      const NodeId schema = i < prefix ? rules.prefix[i] : rules.items;
      if (!check(schema, array[i], Path{&path, {}, i}, scope, nullptr, findings)) is_valid = false;
      if (evaluated != nullptr) evaluated->mark(i);
    }
    if (rules.contains != kNoNode &&
        !check_contains(rules, array, path, scope, evaluated, findings)) {
      is_valid = false;
    }
    return is_valid;
  }

  bool check_contains(const ArrayRules& rules, const JsonArray& array, const Path& path,
                      const Scope* scope, Evaluated* evaluated, Findings* findings) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (!check(rules.contains, array[i], Path{&path, {}, i}, scope, nullptr, nullptr)) continue;
      ++count;
      if (evaluated != nullptr && rules.contains_evaluates) evaluated->mark(i);
    }
    const bool is_enough = expect(count >= rules.min_contains, findings, path, "contains", [&] {
      return fmt::format("must hold at least {} fitting item(s), not {}", rules.min_contains,
                         count);
    });
    const bool is_not_too_many = expect(
        !rules.max_contains || count <= *rules.max_contains, findings, path, "maxContains", [&] {
          return fmt::format("must hold at most {} fitting item(s), not {}", *rules.max_contains,
                             count);
        });
    return is_enough && is_not_too_many;
  }

  bool check_object(const ObjectRules& rules, const Json& value, const Path& path,
                    const Scope* scope, Evaluated* evaluated, Findings* findings) {
    const JsonObject& object = value.get_object();
    bool is_valid = check_count(object.size(),
                                {rules.min_properties, rules.max_properties, "minProperties",
                                 "maxProperties", "property", "properties"},
                                path, findings);
    PropertyFinder finder(rules);
    std::size_t required = 0;
    std::size_t index = 0;
    for (const auto& member : object) {
      if (!is_valid && findings == nullptr) return false;
      const PropertyRule* rule = finder.find(member.key());
      if (rule != nullptr && rule->is_required) ++required;
      const Path member_path{&path, member.key()};
      const Verdict verdict =
          check_member(rules, rule, member.key(), member.value(), member_path, scope, findings);
      is_valid = is_valid && verdict.is_valid;
      if (verdict.is_evaluated && evaluated != nullptr) evaluated->mark(index);
      ++index;
    }
    if (required < rules.required_count) {
      is_valid = false;
      if (findings != nullptr) report_missing(rules, object, path, *findings);
    }
    if (!is_valid && findings == nullptr) return false;
    return check_dependents(rules, value, path, scope, evaluated, findings) && is_valid;
  }

  struct Verdict {
    bool is_valid = true;
    bool is_evaluated = false;
  };

  Verdict check_member(const ObjectRules& rules, const PropertyRule* rule, std::string_view name,
                       const Json& value, const Path& path, const Scope* scope,
                       Findings* findings) {
    bool is_valid = true;
    bool is_known = false;
    if (rule != nullptr && rule->schema != kNoNode) {
      is_known = true;
      is_valid = check(rule->schema, value, path, scope, nullptr, findings);
    }
    for (const PatternProperty& each : rules.patterns) {
      if (!RE2::PartialMatch({name.data(), name.size()}, *each.pattern)) continue;
      is_known = true;
      if (!check(each.schema, value, path, scope, nullptr, findings)) is_valid = false;
    }
    if (!is_known && rules.additional != kNoNode) {
      is_known = true;
      if (program_.nodes[rules.additional].is_false) {
        is_valid = report_unknown(rules, path, findings);
      } else if (!check(rules.additional, value, path, scope, nullptr, findings)) {
        is_valid = false;
      }
    }
    if (rules.names != kNoNode) {
      if (!accepts_name(rules.names, name, path, scope)) {
        is_valid = report(findings, path, "propertyNames", "has a name that is not allowed");
      }
    }
    return {is_valid, is_known};
  }

  bool accepts_name(NodeId id, std::string_view name, const Path& path, const Scope* scope) {
    // Most names fit into the buffer, so that nothing is allocated.
    std::array<unsigned char, 256> buffer;
    boost::json::monotonic_resource memory(buffer.data(), buffer.size());
    const Json value(name, &memory);
    ++names_;
    const bool is_accepted = check(id, value, path, scope, nullptr, nullptr);
    --names_;
    return is_accepted;
  }

  static bool report_unknown(const ObjectRules& rules, const Path& path, Findings* findings) {
    if (findings == nullptr) return false;
    std::vector<std::string_view> known;
    for (const PropertyRule& rule : rules.properties) {
      if (rule.schema != kNoNode) known.emplace_back(rule.name);
    }
    findings->add(path, "additionalProperties",
                  known.empty() ? fmt::format("Unknown parameter: {}", path.text())
                                : fmt::format("Unknown parameter: {} (known: {})", path.text(),
                                              fmt::join(known, ", ")));
    return false;
  }

  static void report_missing(const ObjectRules& rules, const JsonObject& object, const Path& path,
                             Findings& findings) {
    for (const PropertyRule& rule : rules.properties) {
      if (!rule.is_required || object.contains(rule.name)) continue;
      const Path missing{&path, rule.name};
      findings.add(missing, "required", "Missing required parameter: " + missing.text());
    }
  }

  bool check_dependents(const ObjectRules& rules, const Json& value, const Path& path,
                        const Scope* scope, Evaluated* evaluated, Findings* findings) {
    const JsonObject& object = value.get_object();
    bool is_valid = true;
    for (const DependentRequired& each : rules.dependent_required) {
      if (!object.contains(each.name)) continue;
      for (const std::string& needed : each.needs) {
        if (object.contains(needed)) continue;
        is_valid = false;
        if (findings == nullptr) return false;
        const Path missing{&path, needed};
        findings->add(missing, "dependentRequired",
                      fmt::format("Missing required parameter: {} (needed together with {})",
                                  missing.text(), each.name));
      }
    }
    for (const DependentSchema& each : rules.dependent_schemas) {
      if (!object.contains(each.name)) continue;
      if (!check(each.schema, value, path, scope, evaluated, findings)) is_valid = false;
      if (!is_valid && findings == nullptr) return false;
    }
    return is_valid;
  }

  bool check_unevaluated(const Node& node, const Json& value, const Path& path, const Scope* scope,
                         Evaluated& evaluated, Findings* findings) {
    bool is_valid = true;
    if (value.is_object()) {
      std::size_t index = 0;
      for (const auto& member : value.get_object()) {
        if (!evaluated.has(index++)) {
          const Path member_path{&path, member.key()};
          if (!check(node.object->unevaluated, member.value(), member_path, scope, nullptr,
                     findings)) {
            is_valid = false;
            if (findings == nullptr) return false;
          }
        }
      }
    } else {
      const JsonArray& array = value.get_array();
      for (std::size_t i = 0; i < array.size(); ++i) {
        if (!evaluated.has(i) && !check(node.array->unevaluated, array[i], Path{&path, {}, i},
                                        scope, nullptr, findings)) {
          is_valid = false;
          if (findings == nullptr) return false;
        }
      }
    }
    evaluated.mark_all();
    return is_valid;
  }

  // A schema whose failure is not the value's: what it looked at counts only if it accepts.
  bool tries(NodeId id, const Json& value, const Path& path, const Scope* scope,
             Evaluated* evaluated) {
    if (evaluated == nullptr) return check(id, value, path, scope, nullptr, nullptr);
    Evaluated mine;
    if (!check(id, value, path, scope, &mine, nullptr)) return false;
    evaluated->merge(mine);
    return true;
  }

  bool check_combinations(const Combinations& rules, const Json& value, const Path& path,
                          const Scope* scope, Evaluated* evaluated, Findings* findings) {
    bool is_valid = true;
    for (const NodeId id : rules.all_of) {
      if (!check(id, value, path, scope, evaluated, findings)) is_valid = false;
      if (!is_valid && findings == nullptr) return false;
    }
    if (!rules.any_of.empty() &&
        !check_any_of(rules.any_of, value, path, scope, evaluated, findings)) {
      is_valid = false;
    }
    if (!is_valid && findings == nullptr) return false;
    if (!rules.one_of.empty() &&
        !check_one_of(rules.one_of, value, path, scope, evaluated, findings)) {
      is_valid = false;
    }
    if (!is_valid && findings == nullptr) return false;
    if (rules.negated != kNoNode && check(rules.negated, value, path, scope, nullptr, nullptr)) {
      is_valid = report(findings, path, "not", "must not be what the schema excludes");
    }
    if (rules.condition != kNoNode) {
      const bool holds = tries(rules.condition, value, path, scope, evaluated);
      const NodeId branch = holds ? rules.then_branch : rules.else_branch;
      if (branch != kNoNode && !check(branch, value, path, scope, evaluated, findings)) {
        is_valid = false;
      }
    }
    return is_valid;
  }

  bool check_any_of(const std::vector<NodeId>& branches, const Json& value, const Path& path,
                    const Scope* scope, Evaluated* evaluated, Findings* findings) {
    bool is_valid = false;
    for (const NodeId id : branches) {
      if (!tries(id, value, path, scope, evaluated)) continue;
      is_valid = true;
      if (evaluated == nullptr) break;  // otherwise the others may look at more
    }
    if (!is_valid && findings != nullptr) {
      explain_closest(branches, value, path, scope, "anyOf", *findings);
    }
    return is_valid;
  }

  bool check_one_of(const std::vector<NodeId>& branches, const Json& value, const Path& path,
                    const Scope* scope, Evaluated* evaluated, Findings* findings) {
    std::size_t first = branches.size();
    for (std::size_t i = 0; i < branches.size(); ++i) {
      if (!tries(branches[i], value, path, scope, evaluated)) continue;
      if (first == branches.size()) {
        first = i;
        continue;
      }
      return expect(false, findings, path, "oneOf", [&] {
        return fmt::format("must fit exactly one alternative, but fits number {} and {}", first + 1,
                           i + 1);
      });
    }
    if (first < branches.size()) return true;
    if (findings != nullptr) explain_closest(branches, value, path, scope, "oneOf", *findings);
    return false;
  }

  // Of several alternatives that all refuse the value, says what is wrong with the one that comes
  // closest: right in type, and with the fewest violations.
  void explain_closest(const std::vector<NodeId>& branches, const Json& value, const Path& path,
                       const Scope* scope, std::string_view keyword, Findings& findings) {
    std::vector<Violation> closest;
    bool is_found = false;
    TypeSet types = 0;
    for (const NodeId id : branches) {
      if (++explanations_ > kMaxExplanations) break;
      Findings mine(findings.limit());
      check(id, value, path, scope, nullptr, &mine);
      std::vector<Violation> list = std::move(mine).take();
      types |= program_.nodes[id].types;
      const std::string here = path.text();
      const bool is_other_type = std::ranges::any_of(list, [&](const Violation& each) {
        return each.path == here && (each.keyword == "type" || each.keyword == "false");
      });
      if (is_other_type) continue;
      if (!is_found || list.size() < closest.size()) closest = std::move(list);
      is_found = true;
    }
    if (is_found) return findings.add_all(std::move(closest));
    report(&findings, path, keyword,
           types != 0 ? fmt::format("must be {}, not {}", type_names(types), kind_name(value))
                      : fmt::format("must fit one of {} alternatives", branches.size()));
  }

  const Program& program_;
  int depth_ = 0;
  std::int64_t checks_ = 0;
  int explanations_ = 0;
  int names_ = 0;  // of members, that are being checked: they are nowhere for long
  bool has_given_up_ = false;
  KnownVerdicts verdicts_;
};

}  // namespace

bool accepts(const Program& program, const Json& value) {
  return Evaluator(program).check(program.root, value, Path{}, nullptr, nullptr, nullptr);
}

std::vector<Violation> violations(const Program& program, const Json& value, std::size_t limit) {
  Findings findings(limit);
  Evaluator(program).check(program.root, value, Path{}, nullptr, nullptr, &findings);
  return std::move(findings).take();
}

}  // namespace wright::json_schema
