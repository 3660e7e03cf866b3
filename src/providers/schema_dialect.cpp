#include "providers/schema_dialect.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "core/text.h"

namespace wright::providers {
namespace {

// The limits of the strict dialect.
constexpr int kDeepestStrict = 10;
constexpr std::array<std::string_view, 9> kStrictFormats{
    "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"};
constexpr std::array<std::string_view, 12> kStrictAsTheyAre{
    "type",       "description",      "title",
    "const",      "pattern",          "minimum",
    "maximum",    "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minItems",         "maxItems"};
// Keywords whose loss would change which values are meant, not only how strictly they are checked.
constexpr std::array<std::string_view, 9> kNeverStrict{
    "patternProperties", "prefixItems",       "allOf",          "not", "if", "dependentSchemas",
    "contains",          "dependentRequired", "additionalItems"};

// Whether the "type" of a schema is `name` or a list with it.
bool has_type(const JsonObject& schema, std::string_view name) {
  const Json* type = schema.if_contains("type");
  if (type == nullptr) return false;
  if (type->is_string()) return type->get_string() == name;
  if (!type->is_array()) return false;
  return std::ranges::any_of(type->get_array(), [&](const Json& one) {
    return one.is_string() && one.get_string() == name;
  });
}

bool requires_name(const JsonObject& schema, std::string_view name) {
  const Json* required = schema.if_contains("required");
  if (required == nullptr || !required->is_array()) return false;
  return std::ranges::any_of(required->get_array(), [&](const Json& one) {
    return one.is_string() && one.get_string() == name;
  });
}

bool takes_null(const Json& schema) {
  const JsonObject* object = schema.if_object();
  if (object == nullptr) return true;  // `true` accepts everything
  if (object->contains("$ref")) return false;
  for (const std::string_view key : {"anyOf", "oneOf"}) {
    const Json* either = object->if_contains(key);
    if (either == nullptr || !either->is_array()) continue;
    return std::ranges::any_of(either->get_array(), takes_null);
  }
  if (const Json* values = object->if_contains("enum"); values != nullptr && values->is_array()) {
    return std::ranges::any_of(values->get_array(), &Json::is_null);
  }
  if (const Json* value = object->if_contains("const")) return value->is_null();
  return !object->contains("type") || has_type(*object, "null");
}

std::string_view type_of(const Json& value) {
  if (value.is_string()) return "string";
  if (value.is_bool()) return "boolean";
  if (value.is_int64() || value.is_uint64()) return "integer";
  if (value.is_double()) return "number";
  return {};
}

// The common type of a schema's values, which the dialect wants named. Empty where there is none.
std::string_view type_of_values(const JsonObject& schema) {
  if (const Json* value = schema.if_contains("const")) return type_of(*value);
  const Json* values = schema.if_contains("enum");
  if (values == nullptr || !values->is_array() || values->get_array().empty()) return {};
  const std::string_view type = type_of(values->get_array().front());
  const bool is_shared = std::ranges::all_of(
      values->get_array(), [&](const Json& value) { return type_of(value) == type; });
  return is_shared ? type : std::string_view();
}

// A strict schema that also accepts null.
Json nullable(Json schema) {
  JsonObject& object = schema.get_object();
  if (takes_null(schema)) return schema;
  if (Json* either = object.if_contains("anyOf")) {
    either->get_array().push_back(JsonObject{{"type", "null"}});
    return schema;
  }
  if (object.contains("$ref") || object.contains("const") || !object.contains("type")) {
    return JsonObject{{"anyOf", JsonArray{std::move(schema), JsonObject{{"type", "null"}}}}};
  }
  Json& type = object["type"];
  if (type.is_array()) {
    type.get_array().push_back("null");
  } else {
    type = JsonArray{type, "null"};
  }
  if (Json* values = object.if_contains("enum")) values->get_array().push_back(nullptr);
  return schema;
}

class StrictWriter {
 public:
  std::optional<Json> root(const Json& schema) {
    const JsonObject* object = schema.if_object();
    if (object == nullptr || object->contains("anyOf") || object->contains("oneOf") ||
        object->contains("$ref")) {
      return {};
    }
    const Json* type = object->if_contains("type");
    if (type != nullptr && *type != Json("object")) return {};
    const Json* further = object->if_contains("additionalProperties");
    if (further != nullptr && *further != Json(false)) return {};
    JsonObject whole = *object;
    whole["type"] = "object";
    // An object that names no properties has none: it is the schema of a tool without parameters.
    if (!whole.contains("properties")) whole["properties"] = JsonObject();
    Json written = this->schema(whole);
    if (!is_possible_) return {};
    return written;
  }

 private:
  Json impossible() {
    is_possible_ = false;
    return JsonObject();
  }

  Json schema(const Json& source) {
    const JsonObject* object = source.if_object();
    if (object == nullptr || !is_possible_ || depth_ >= kDeepestStrict) return impossible();
    ++depth_;
    JsonObject written;
    for (const auto& [key, value] : *object) keyword(written, key, value);
    if (object->contains("properties") || has_type(*object, "object")) {
      properties(written, *object);
    }
    if (has_type(written, "array") && !written.contains("items")) impossible();
    if (!written.contains("type") && !written.contains("anyOf") && !written.contains("$ref")) {
      const std::string_view type = type_of_values(written);
      if (type.empty()) impossible();  // values of any type
      written["type"] = type;
    }
    --depth_;
    return written;
  }

  void keyword(JsonObject& written, std::string_view key, const Json& value) {
    if (is_one_of(key, kStrictAsTheyAre)) {
      written[key] = value;
    } else if (is_one_of(key, kNeverStrict)) {
      impossible();
    } else if (key == "enum" && value.is_array()) {
      written[key] = value;
    } else if (key == "format" && value.is_string() &&
               is_one_of(value.get_string(), kStrictFormats)) {
      written[key] = value;
    } else if (key == "$ref") {
      written[key] = reference(value);
    } else if (key == "items") {
      written[key] = schema(value);
    } else if (key == "anyOf" || key == "oneOf") {
      if (!value.is_array() || written.contains("anyOf")) {
        impossible();
        return;
      }
      JsonArray either;
      for (const Json& one : value.get_array()) either.push_back(schema(one));
      written["anyOf"] = std::move(either);
    } else if (key == "$defs" || key == "definitions") {
      definitions(written, value);
    }
  }

  Json reference(const Json& value) {
    if (!value.is_string()) return impossible();
    const std::string_view text = value.get_string();
    constexpr std::string_view kOldPlace = "#/definitions/";
    if (text.starts_with(kOldPlace)) {
      return Json("#/$defs/" + std::string(text.substr(kOldPlace.size())));
    }
    if (text != "#" && !text.starts_with("#/$defs/")) return impossible();
    return value;
  }

  void definitions(JsonObject& written, const Json& value) {
    if (!value.is_object()) {
      impossible();
      return;
    }
    const int depth = std::exchange(depth_, 0);  // a definition is not nested by its position
    JsonObject strict;
    for (const auto& [name, item] : value.get_object()) strict[name] = schema(item);
    depth_ = depth;
    written["$defs"] = std::move(strict);
  }

  void properties(JsonObject& written, const JsonObject& source) {
    const Json* further = source.if_contains("additionalProperties");
    const bool is_closed = further != nullptr && *further == Json(false);
    const Json* named = source.if_contains("properties");
    // Additional properties that are described or required cannot be forbidden; unmentioned ones
    // can, as long as there are others.
    if ((further != nullptr && !is_closed) || (named != nullptr && !named->is_object()) ||
        (named == nullptr && !is_closed)) {
      impossible();
      return;
    }
    JsonObject strict;
    JsonArray required;
    if (named != nullptr) {
      for (const auto& [name, item] : named->get_object()) {
        Json property = schema(item);
        strict[name] = requires_name(source, name) ? property : nullable(std::move(property));
        required.push_back(Json(name));
      }
    }
    written["properties"] = std::move(strict);
    written["required"] = std::move(required);
    written["additionalProperties"] = false;
  }

  bool is_possible_ = true;
  int depth_ = 0;
};

// Returns whether anything was removed.
bool remove_added_nulls(Json& value, const Json& schema) {
  const JsonObject* rules = schema.if_object();
  if (rules == nullptr) return false;
  bool has_changed = false;
  const Json* items = rules->if_contains("items");
  if (value.is_array() && items != nullptr) {
    for (Json& item : value.get_array()) has_changed |= remove_added_nulls(item, *items);
  }
  const Json* properties = rules->if_contains("properties");
  if (!value.is_object() || properties == nullptr || !properties->is_object()) return has_changed;
  JsonObject& object = value.get_object();
  for (const auto& [name, rule] : properties->get_object()) {
    Json* found = object.if_contains(name);
    if (found == nullptr) continue;
    if (found->is_null() && !requires_name(*rules, name) && !takes_null(rule)) {
      object.stable_erase(object.find(name));
      has_changed = true;
    } else {
      has_changed |= remove_added_nulls(*found, rule);
    }
  }
  return has_changed;
}

}  // namespace

std::optional<Json> strict_schema(const Json& schema) {
  return StrictWriter().root(schema);
}

ToolSchema tool_schema(const Json& parameters, const Quirks& quirks,
                       const boost::json::storage_ptr& storage) {
  const Json written_out = quirks.supports_schema_refs ? Json() : without_refs(parameters);
  const Json& plain = quirks.supports_schema_refs ? parameters : written_out;
  if (quirks.strict_schemas) {
    if (auto strict = strict_schema(plain)) return {Json(std::move(*strict), storage), true};
  }
  JsonObject object =
      plain.is_object() ? JsonObject(plain.get_object(), storage) : JsonObject(storage);
  if (!object.contains("type")) object["type"] = "object";
  if (!object.contains("properties")) object["properties"] = JsonObject(storage);
  return {std::move(object), false};
}

std::string without_added_nulls(std::string arguments, const Json& schema) {
  if (arguments.find("null") == std::string::npos) return arguments;
  auto parsed = parse_json(arguments);
  if (!parsed) return arguments;
  const Json plain = without_refs(schema);
  return remove_added_nulls(*parsed, plain) ? to_text(*parsed) : arguments;
}

}  // namespace wright::providers
