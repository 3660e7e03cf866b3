#include "core/coercion.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/json_members.h"

namespace wright {
namespace {

constexpr int kMaxDepth = 64;

// The types that a schema names itself; empty when it names none.
std::vector<std::string_view> types_of(const Json& schema) {
  const Json* type = member(schema, "type");
  if (type == nullptr) return {};
  if (type->is_string()) return {type->get_string()};
  std::vector<std::string_view> types;
  if (const JsonArray* list = type->if_array()) {
    for (const Json& each : *list) {
      if (each.is_string()) types.emplace_back(each.get_string());
    }
  }
  return types;
}

std::string_view type_name(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null: return "null";
    case boost::json::kind::bool_: return "boolean";
    case boost::json::kind::int64:
    case boost::json::kind::uint64: return "integer";
    case boost::json::kind::double_: return "number";
    case boost::json::kind::string: return "string";
    case boost::json::kind::array: return "array";
    case boost::json::kind::object: return "object";
  }
  return "";
}

class Coercer {
 public:
  explicit Coercer(const Json& root) : root_(root) {}

  Coerced run(Json value) {
    walk(root_, value, "", 0);
    return {std::move(value), std::move(notes_)};
  }

 private:
  // Follows references and steps into the only alternative that is not null.
  const Json& meant(const Json& schema, int depth) const {
    if (depth > kMaxDepth) return schema;
    if (const Json* reference = member(schema, "$ref")) {
      if (const Json* target = local_target(*reference)) return meant(*target, depth + 1);
    }
    for (const char* keyword : {"anyOf", "oneOf", "allOf"}) {
      const Json* list = member(schema, keyword);
      if (list == nullptr || !list->is_array()) continue;
      const Json* only = nullptr;
      for (const Json& each : list->get_array()) {
        if (types_of(each) == std::vector<std::string_view>{"null"}) continue;
        if (only != nullptr) return schema;
        only = &each;
      }
      if (only != nullptr) return meant(*only, depth + 1);
    }
    return schema;
  }

  const Json* local_target(const Json& reference) const {
    if (!reference.is_string() || !std::string_view(reference.get_string()).starts_with('#')) {
      return nullptr;
    }
    boost::json::error_code error;
    return root_.find_pointer(std::string_view(reference.get_string()).substr(1), error);
  }

  void walk(const Json& raw_schema, Json& value, const std::string& path, int depth) {
    if (depth > kMaxDepth) return;
    const Json& schema = meant(raw_schema, 0);
    const auto types = types_of(schema);
    const auto expects = [&](std::string_view type) {
      return std::ranges::find(types, type) != types.end();
    };
    const bool fits = types.empty() || expects(type_name(value)) ||
                      (value.is_number() && (expects("number") || expects("integer")));
    if (!fits) {
      std::optional<Json> better =
          value.is_string() ? from_text(value.get_string(), expects) : std::optional<Json>();
      if (!better && expects("array") && !value.is_array() && !value.is_null()) {
        better = JsonArray{value};
      }
      if (better) {
        note(path, value, *better);
        value = std::move(*better);
      }
    }
    walk_children(schema, value, path, depth);
  }

  // What the text means, when it is of an expected type.
  template <class Expects>
  static std::optional<Json> from_text(std::string_view text, Expects expects) {
    if (expects("boolean") && (text == "True" || text == "False")) return Json(text == "True");
    auto parsed = parse_json(text);
    if (!parsed || parsed->is_string() || parsed->is_null()) return std::nullopt;
    const bool is_expected =
        expects(type_name(*parsed)) || (parsed->is_number() && expects("number"));
    if (!is_expected) return std::nullopt;
    return std::move(*parsed);
  }

  void walk_children(const Json& schema, Json& value, const std::string& path, int depth) {
    if (JsonArray* array = value.if_array()) {
      const Json* items = member(schema, "items");
      if (items == nullptr || !items->is_object()) return;
      for (std::size_t i = 0; i < array->size(); ++i) {
        walk(*items, (*array)[i], fmt::format("{}[{}]", path, i), depth + 1);
      }
    } else if (JsonObject* object = value.if_object()) {
      const Json* properties = member(schema, "properties");
      const Json* additional = member(schema, "additionalProperties");
      for (auto& [key, item] : *object) {
        const std::string_view name = key;
        const Json* rule = properties != nullptr ? member(*properties, name) : nullptr;
        if (rule == nullptr) rule = additional;
        if (rule == nullptr || !rule->is_object()) continue;
        walk(*rule, item, path.empty() ? std::string(name) : fmt::format("{}.{}", path, name),
             depth + 1);
      }
    }
  }

  void note(const std::string& path, const Json& from, const Json& to) {
    const auto shown = [](const Json& value) {
      std::string text = to_text(value);
      return text.size() <= 60 ? text : std::string(utf8_prefix(text, 60)) + "…";
    };
    notes_.push_back(fmt::format("{}: {} was taken as {}", path.empty() ? "arguments" : path,
                                 shown(from), shown(to)));
  }

  const Json& root_;
  std::vector<std::string> notes_;
};

}  // namespace

Coerced coerce(const Json& schema, Json value) {
  return Coercer(schema).run(std::move(value));
}

}  // namespace wright
