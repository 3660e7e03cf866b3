#include "core/json_schema/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/json_schema/formats.h"
#include "core/json_schema/index.h"
#include "core/json_schema/pattern.h"
#include "core/json_schema/values.h"

namespace wright::json_schema {
namespace {

constexpr std::array kTypes{
    std::pair{std::string_view("null"), kNull},
    std::pair{std::string_view("boolean"), kBoolean},
    std::pair{std::string_view("integer"), kInteger},
    std::pair{std::string_view("number"), kNumber},
    std::pair{std::string_view("string"), kString},
    std::pair{std::string_view("array"), kArray},
    std::pair{std::string_view("object"), kObject},
};

// Compiles one schema after the other from a queue, so that neither deep schemas nor long chains
// of references use up the stack.
class Compiler {
 public:
  Compiler(const Json& schema, const SchemaOptions& options) : options_(options), index_(options) {
    index_.add("", schema);
    program_.root = node_for(schema, index_.resource_of(schema, 0), "#");
  }

  Result<Program> run() {
    work_off_queue();
    // Compiling the targets of dynamic references may bring in further resources with more of them.
    while (program_.has_dynamic_references && problem_.empty() && queue_dynamic_anchors()) {
      work_off_queue();
    }
    if (!problem_.empty()) return fail(ErrorCode::invalid_argument, problem_);
    return std::move(program_);
  }

 private:
  struct Job {
    const Json* schema;
    ResourceId resource;
    NodeId id;
    std::string where;
  };

  NodeId node_for(const Json& schema, ResourceId resource, std::string where) {
    const auto [found, is_new] = ids_.emplace(&schema, static_cast<NodeId>(program_.nodes.size()));
    if (is_new) {
      program_.nodes.emplace_back();
      queue_.push_back({&schema, resource, found->second, std::move(where)});
    }
    return found->second;
  }

  NodeId child(const Json& schema, std::string_view step) {
    return node_for(schema, index_.resource_of(schema, resource_),
                    fmt::format("{}/{}", where_, step));
  }

  void work_off_queue() {
    while (!queue_.empty() && problem_.empty()) {
      const Job job = std::move(queue_.front());
      queue_.pop_front();
      where_ = job.where;
      resource_ = job.resource;
      Node node;
      node.resource = job.resource;
      compile(*job.schema, node);
      mark_shortcuts(node);
      program_.nodes[job.id] = std::move(node);
    }
  }

  static void mark_shortcuts(Node& node) {
    node.has_unevaluated = (node.object && node.object->unevaluated != kNoNode) ||
                           (node.array && node.array->unevaluated != kNoNode);
    node.has_choices = node.constant || node.choices;
    node.is_type_only = !node.is_false && node.reference == kNoNode &&
                        node.dynamic_reference == kNoNode && !node.has_choices && !node.number &&
                        !node.string && !node.array && !node.object && !node.combinations;
  }

  // Every dynamic anchor is a possible target. False when all of them are nodes already.
  bool queue_dynamic_anchors() {
    program_.resources.clear();
    program_.resources.resize(index_.resource_count());
    for (ResourceId id = 0; id < index_.resource_count(); ++id) {
      for (const auto& [name, schema] : index_.resource(id).dynamic_anchors) {
        const std::string where = fmt::format("{}#{}", index_.resource(id).uri, name);
        program_.resources[id].anchors.emplace_back(name, node_for(*schema, id, where));
      }
    }
    return !queue_.empty();
  }

  void refuse(std::string_view keyword, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{}/{}: {}", where_, keyword, what);
  }

  void compile(const Json& schema, Node& node) {
    if (const bool* accepts = schema.if_bool()) {
      node.is_false = !*accepts;
      return;
    }
    const JsonObject* object = schema.if_object();
    if (object == nullptr) {
      if (problem_.empty()) problem_ = where_ + ": a schema is an object, true or false";
      return;
    }
    dialect_ = index_.resource(resource_).dialect;
    is_draft7_ = dialect_.draft == SchemaDraft::draft7;
    schema_ = object;
    compile_references(node);
    if (is_draft7_ && node.reference != kNoNode) return;
    if (dialect_.has_validation) {
      compile_any_type(node);
      compile_numbers(node);
    }
    compile_strings(node);
    compile_arrays(node);
    compile_objects(node);
    if (dialect_.has_applicators) compile_combinations(node);
  }

  // --- reading keywords ----------------------------------------------------------------------

  const Json* keyword(std::string_view name) const { return schema_->if_contains(name); }

  std::optional<std::size_t> count(std::string_view name) {
    const Json* value = keyword(name);
    if (value == nullptr) return std::nullopt;
    if (!is_integer(*value) || compare_numbers(*value, Json(0)) < 0) {
      refuse(name, "must be a whole number, zero or more");
      return std::nullopt;
    }
    const double number = value->to_number<double>();
    return number < 1e18 ? static_cast<std::size_t>(number) : SIZE_MAX;
  }

  std::optional<Json> number(std::string_view name) {
    const Json* value = keyword(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number()) {
      refuse(name, "must be a number");
      return std::nullopt;
    }
    return *value;
  }

  const JsonString* text(std::string_view name) {
    const Json* value = keyword(name);
    if (value == nullptr) return nullptr;
    if (!value->is_string()) refuse(name, "must be a string");
    return value->if_string();
  }

  const JsonObject* map(std::string_view name) {
    const Json* value = keyword(name);
    if (value == nullptr) return nullptr;
    if (!value->is_object()) refuse(name, "must be an object");
    return value->if_object();
  }

  NodeId one(std::string_view name) {
    const Json* value = keyword(name);
    return value == nullptr ? kNoNode : child(*value, name);
  }

  std::vector<NodeId> list(std::string_view name) {
    const Json* value = keyword(name);
    if (value == nullptr) return {};
    const JsonArray* array = value->if_array();
    if (array == nullptr || array->empty()) {
      refuse(name, "must be an array of at least one schema");
      return {};
    }
    std::vector<NodeId> nodes;
    nodes.reserve(array->size());
    for (std::size_t i = 0; i < array->size(); ++i) {
      nodes.push_back(child((*array)[i], fmt::format("{}/{}", name, i)));
    }
    return nodes;
  }

  std::vector<std::string> names(const Json& value, std::string_view name) {
    std::vector<std::string> result;
    const JsonArray* array = value.if_array();
    if (array == nullptr) {
      refuse(name, "must be an array of names");
      return result;
    }
    for (const Json& item : *array) {
      if (!item.is_string()) {
        refuse(name, "must be an array of names");
        return {};
      }
      result.emplace_back(item.get_string());
    }
    return result;
  }

  std::unique_ptr<const RE2> pattern(std::string_view text, std::string_view keyword_name) {
    auto compiled = compile_pattern(text);
    if (compiled) return std::move(*compiled);
    const std::string what = fmt::format("'{}' cannot be used: {}", text, compiled.error().message);
    if (compiled.error().code == ErrorCode::unsupported) {
      program_.warnings.push_back(fmt::format("{}/{}: {}", where_, keyword_name, what));
    } else {
      refuse(keyword_name, what);
    }
    return nullptr;
  }

  // --- keywords --------------------------------------------------------------------------------

  void compile_references(Node& node) {
    if (const JsonString* reference = text("$ref")) {
      if (const auto found = find(*reference, "$ref")) node.reference = target(*found);
    }
    if (is_draft7_) return;
    if (const JsonString* reference = text("$recursiveRef")) {
      // Draft 2019-09's, without $recursiveAnchor, which has no counterpart here.
      const auto found = find(*reference, "$recursiveRef");
      if (found && node.reference == kNoNode) node.reference = target(*found);
    }
    if (const JsonString* reference = text("$dynamicRef")) {
      const auto found = find(*reference, "$dynamicRef");
      if (!found) return;
      node.dynamic_reference = target(*found);
      node.dynamic_anchor = found->dynamic_anchor;
      if (!node.dynamic_anchor.empty()) program_.has_dynamic_references = true;
    }
  }

  std::optional<Location> find(std::string_view reference, std::string_view name) {
    auto found = index_.find(resource_, reference);
    if (!found) {
      refuse(name, fmt::format("'{}': {}", reference, found.error().message));
      return std::nullopt;
    }
    return std::move(*found);
  }

  NodeId target(const Location& location) {
    return node_for(*location.schema, location.resource,
                    index_.resource(location.resource).uri + "#");
  }

  void compile_any_type(Node& node) {
    if (const Json* type = keyword("type")) {
      if (const JsonArray* array = type->if_array()) {
        for (const Json& item : *array) add_type(node, item);
        if (array->empty()) refuse("type", "must name at least one type");
      } else {
        add_type(node, *type);
      }
      // OpenAPI 3.0's way to say that null is a value too.
      const Json* nullable = keyword("nullable");
      if (nullable != nullptr && nullable->is_bool() && nullable->get_bool()) node.types |= kNull;
    }
    if (const Json* constant = keyword("const")) node.constant = *constant;
    if (const Json* choices = keyword("enum")) {
      const JsonArray* array = choices->if_array();
      if (array == nullptr) return refuse("enum", "must be an array");
      node.choices.emplace(array->begin(), array->end());
    }
  }

  void add_type(Node& node, const Json& type) {
    for (const auto& [name, bit] : kTypes) {
      if (type.is_string() && type.get_string() == name) {
        node.types |= bit;
        return;
      }
    }
    refuse("type", fmt::format("{} is not a type", to_text(type)));
  }

  void compile_numbers(Node& node) {
    NumberRules rules;
    rules.minimum = number("minimum");
    rules.maximum = number("maximum");
    rules.multiple_of = number("multipleOf");
    read_exclusive("exclusiveMinimum", rules.minimum, rules.exclusive_minimum);
    read_exclusive("exclusiveMaximum", rules.maximum, rules.exclusive_maximum);
    if (rules.multiple_of && compare_numbers(*rules.multiple_of, Json(0)) <= 0) {
      refuse("multipleOf", "must be greater than zero");
    }
    if (rules.minimum || rules.maximum || rules.exclusive_minimum || rules.exclusive_maximum ||
        rules.multiple_of) {
      node.number = std::make_unique<NumberRules>(std::move(rules));
    }
  }

  // A number; or, as in draft 4 and in catalogues to this day, whether `inclusive` is to be read
  // as exclusive.
  void read_exclusive(std::string_view name, std::optional<Json>& inclusive,
                      std::optional<Json>& exclusive) {
    const Json* value = keyword(name);
    if (value == nullptr || !value->is_bool()) {
      exclusive = number(name);
    } else if (value->get_bool()) {
      exclusive = std::exchange(inclusive, std::nullopt);
    }
  }

  void compile_strings(Node& node) {
    StringRules rules;
    if (dialect_.has_validation) {
      rules.min_length = count("minLength");
      rules.max_length = count("maxLength");
      if (const JsonString* text_of = text("pattern")) {
        rules.pattern_text = std::string_view(*text_of);
        rules.pattern = pattern(rules.pattern_text, "pattern");
      }
    }
    if (options_.formats == Formats::assert || dialect_.asserts_formats) {
      if (const JsonString* format = text("format")) {
        rules.format_name = std::string_view(*format);
        rules.format = format_named(rules.format_name);
      }
    }
    if (rules.min_length || rules.max_length || rules.pattern || rules.format) {
      node.string = std::make_unique<StringRules>(std::move(rules));
    }
  }

  void compile_arrays(Node& node) {
    ArrayRules rules;
    bool is_needed = false;
    if (dialect_.has_validation) {
      rules.min_items = count("minItems");
      rules.max_items = count("maxItems");
      if (const Json* unique = keyword("uniqueItems")) {
        if (!unique->is_bool()) return refuse("uniqueItems", "must be true or false");
        rules.is_unique = unique->get_bool();
      }
      is_needed = rules.min_items || rules.max_items || rules.is_unique;
    }
    if (dialect_.has_applicators) {
      const Json* items = keyword("items");
      if (items != nullptr && items->is_array()) {
        // Draft 7's form, which schemas that say 2020-12 use as well.
        if (!items->get_array().empty()) rules.prefix = list("items");
        rules.items = one("additionalItems");
      } else {
        if (!is_draft7_) rules.prefix = list("prefixItems");
        rules.items = one("items");
      }
      rules.contains = one("contains");
      if (!is_draft7_ && rules.contains != kNoNode) {
        rules.min_contains = count("minContains").value_or(1);
        rules.max_contains = count("maxContains");
      }
    }
    rules.contains_evaluates = !is_draft7_;
    if (!is_draft7_ && dialect_.has_unevaluated) rules.unevaluated = one("unevaluatedItems");
    if (is_needed || !rules.prefix.empty() || rules.items != kNoNode || rules.contains != kNoNode ||
        rules.unevaluated != kNoNode) {
      node.array = std::make_unique<ArrayRules>(std::move(rules));
    }
  }

  // Adds those that are not there yet. All at once: there may be very many, and they are sorted.
  static void declare(ObjectRules& rules, std::vector<std::string> names) {
    std::ranges::sort(names);
    const std::size_t known = rules.properties.size();
    for (std::string& name : names) {
      const auto before = std::span(rules.properties).first(known);
      const bool is_last = rules.properties.size() > known && rules.properties.back().name == name;
      if (is_last || std::ranges::binary_search(before, name, {}, &PropertyRule::name)) continue;
      rules.properties.push_back(PropertyRule{std::move(name)});
    }
    const auto first = rules.properties.begin();
    std::ranges::inplace_merge(first, first + static_cast<std::ptrdiff_t>(known),
                               rules.properties.end(), {}, &PropertyRule::name);
  }

  // One that was declared.
  static PropertyRule& property(ObjectRules& rules, std::string_view name) {
    return *std::ranges::lower_bound(rules.properties, name, {}, &PropertyRule::name);
  }

  void compile_objects(Node& node) {
    ObjectRules rules;
    if (dialect_.has_validation) {
      rules.min_properties = count("minProperties");
      rules.max_properties = count("maxProperties");
      if (const Json* required = keyword("required")) {
        if (required->is_bool()) {
          return refuse("required",
                        "must be an array of names, in the schema of the object that has them");
        }
        declare(rules, names(*required, "required"));
        for (PropertyRule& rule : rules.properties) rule.is_required = true;
        rules.required_count = rules.properties.size();
      }
      if (const JsonObject* dependents = is_draft7_ ? nullptr : map("dependentRequired")) {
        for (const auto& member : *dependents) {
          rules.dependent_required.push_back(
              {std::string(member.key()), names(member.value(), "dependentRequired")});
        }
      }
    }
    if (dialect_.has_applicators) compile_members(rules);
    if (!is_draft7_ && dialect_.has_unevaluated) rules.unevaluated = one("unevaluatedProperties");
    if (rules.min_properties || rules.max_properties || !rules.properties.empty() ||
        !rules.patterns.empty() || rules.additional != kNoNode || rules.names != kNoNode ||
        !rules.dependent_required.empty() || !rules.dependent_schemas.empty() ||
        rules.unevaluated != kNoNode) {
      node.object = std::make_unique<ObjectRules>(std::move(rules));
    }
  }

  void compile_members(ObjectRules& rules) {
    if (const JsonObject* properties = map("properties")) {
      std::vector<std::string> declared;
      for (const auto& member : *properties) declared.emplace_back(member.key());
      declare(rules, std::move(declared));
      for (const auto& member : *properties) {
        property(rules, member.key()).schema =
            child(member.value(), fmt::format("properties/{}", std::string_view(member.key())));
      }
      for (const auto& member : *properties) {
        const auto place = &property(rules, member.key()) - rules.properties.data();
        rules.declared.push_back(static_cast<std::uint32_t>(place));
      }
    }
    if (const JsonObject* patterns = map("patternProperties")) {
      for (const auto& member : *patterns) {
        auto compiled = pattern(member.key(), "patternProperties");
        if (compiled == nullptr) continue;
        rules.patterns.push_back(
            {std::move(compiled),
             child(member.value(),
                   fmt::format("patternProperties/{}", std::string_view(member.key())))});
      }
    }
    rules.additional = one("additionalProperties");
    rules.names = one("propertyNames");
    if (!is_draft7_) compile_dependents(rules, "dependentSchemas");
    compile_dependents(rules, "dependencies");  // draft 7's; still met in schemas of any draft
  }

  void compile_dependents(ObjectRules& rules, std::string_view name) {
    const JsonObject* dependents = map(name);
    if (dependents == nullptr) return;
    for (const auto& member : *dependents) {
      if (name == "dependencies" && member.value().is_array()) {
        rules.dependent_required.push_back(
            {std::string(member.key()), names(member.value(), name)});
      } else {
        rules.dependent_schemas.push_back(
            {std::string(member.key()),
             child(member.value(), fmt::format("{}/{}", name, std::string_view(member.key())))});
      }
    }
  }

  void compile_combinations(Node& node) {
    Combinations rules{list("allOf"), list("anyOf"), list("oneOf"), one("not"),
                       one("if"),     one("then"),   one("else")};
    if (rules.condition == kNoNode) rules.then_branch = rules.else_branch = kNoNode;
    if (!rules.all_of.empty() || !rules.any_of.empty() || !rules.one_of.empty() ||
        rules.negated != kNoNode || rules.condition != kNoNode) {
      node.combinations = std::make_unique<Combinations>(std::move(rules));
    }
  }

  const SchemaOptions& options_;
  SchemaIndex index_;
  Program program_;
  std::unordered_map<const Json*, NodeId> ids_;
  std::deque<Job> queue_;
  std::string problem_;

  // Of the schema being compiled.
  const JsonObject* schema_ = nullptr;
  Dialect dialect_;
  bool is_draft7_ = false;
  ResourceId resource_ = 0;
  std::string where_;
};

}  // namespace

Result<Program> compile(const Json& schema, const SchemaOptions& options) {
  constexpr int kMaxSchemaDepth = 500;
  if (is_deeper_than(schema, kMaxSchemaDepth)) {
    return fail(ErrorCode::invalid_argument, "#: the schema is nested too deeply");
  }
  for (const auto& [uri, document] : options.documents) {
    if (is_deeper_than(document, kMaxSchemaDepth)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{}#: the schema is nested too deeply", uri));
    }
  }
  return Compiler(schema, options).run();
}

}  // namespace wright::json_schema
