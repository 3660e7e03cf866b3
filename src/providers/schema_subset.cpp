#include "providers/schema_subset.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "core/text.h"
#include "providers/schema_dialect.h"
#include "providers/schema_keywords.h"

namespace wright::providers {
namespace {

// --- Anthropic ------------------------------------------------------------------------------

constexpr std::array<std::string_view, 6> kAnthropicAsTheyAre{"type",  "enum",    "const",
                                                              "title", "default", "description"};
constexpr std::array<std::string_view, 10> kAnthropicFormats{
    "date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"};
// Limits on values: where they cannot be enforced, the model is told.
constexpr std::array<std::string_view, 13> kLimits{
    "minimum",     "maximum",       "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength",   "maxLength",     "pattern",          "minItems",         "maxItems",
    "uniqueItems", "minProperties", "maxProperties"};
// Keywords whose loss would change which values are meant.
constexpr std::array<std::string_view, 8> kInexpressible{
    "patternProperties", "prefixItems", "not",         "if",
    "dependentSchemas",  "contains",    "$dynamicRef", "propertyNames"};

class AnswerSchemaWriter {
 public:
  std::optional<Json> root(const Json& schema) {
    Json written = this->schema(without_refs(schema));
    if (!is_possible_) return {};
    return written;
  }

 private:
  Json schema(const Json& source) {
    const JsonObject* object = source.if_object();
    if (object == nullptr) return impossible();
    JsonObject written;
    JsonObject limits;
    for (const auto& [key, value] : *object) keyword(written, limits, key, value);
    const Json* type = object->if_contains("type");
    if (object->contains("properties") || (type != nullptr && *type == Json("object"))) {
      close(written, *object);
    }
    if (!written.contains("type") && !written.contains("anyOf") && !written.contains("allOf") &&
        !written.contains("enum") && !written.contains("const")) {
      return impossible();
    }
    if (!limits.empty()) {
      const Json* said = written.if_contains("description");
      const std::string before =
          said != nullptr && said->is_string() ? std::string(said->get_string()) + " " : "";
      written["description"] = fmt::format("{}Limits: {}", before, to_text(limits));
    }
    return written;
  }

  void keyword(JsonObject& written, JsonObject& limits, std::string_view key, const Json& value) {
    const bool is_format =
        key == "format" && value.is_string() && is_one_of(value.get_string(), kAnthropicFormats);
    if (is_format || is_one_of(key, kAnthropicAsTheyAre)) {
      written[key] = value;
    } else if (is_one_of(key, kLimits)) {
      limits[key] = value;
    } else if (is_one_of(key, kInexpressible)) {
      impossible();
    } else if (key == "items") {
      written[key] = schema(value);
    } else if ((key == "anyOf" || key == "oneOf" || key == "allOf") && value.is_array()) {
      JsonArray either;
      for (const Json& one : value.get_array()) either.push_back(schema(one));
      written[key == "allOf" ? "allOf" : "anyOf"] = std::move(either);
    }
  }

  void close(JsonObject& written, const JsonObject& source) {
    const Json* further = source.if_contains("additionalProperties");
    const Json* named = source.if_contains("properties");
    const bool is_closed = further != nullptr && *further == Json(false);
    const bool is_free = further != nullptr && !is_closed;
    if (is_free || (named == nullptr && !is_closed) || (named != nullptr && !named->is_object())) {
      impossible();
      return;
    }
    JsonObject properties;
    if (named != nullptr) {
      for (const auto& [name, value] : named->get_object()) properties[name] = schema(value);
    }
    written["properties"] = std::move(properties);
    if (const Json* required = source.if_contains("required")) written["required"] = *required;
    written["additionalProperties"] = false;
  }

  Json impossible() {
    is_possible_ = false;
    return JsonObject();
  }

  bool is_possible_ = true;
};

// --- Gemini ---------------------------------------------------------------------------------

constexpr std::array<std::string_view, 21> kGeminiKeywords{"$id",
                                                           "$defs",
                                                           "$ref",
                                                           "$anchor",
                                                           "type",
                                                           "format",
                                                           "title",
                                                           "description",
                                                           "enum",
                                                           "items",
                                                           "minItems",
                                                           "maxItems",
                                                           "prefixItems",
                                                           "minimum",
                                                           "maximum",
                                                           "anyOf",
                                                           "oneOf",
                                                           "required",
                                                           "properties",
                                                           "additionalProperties",
                                                           "propertyOrdering"};

Json gemini_value(std::string_view keyword, const Json& value) {
  switch (holds(keyword)) {
    case Holds::value: return value;
    case Holds::schema: return gemini_schema(value);
    case Holds::schemas_by_name: {
      if (!value.is_object()) return value;
      JsonObject schemas;
      for (const auto& [name, schema] : value.get_object()) schemas[name] = gemini_schema(schema);
      return schemas;
    }
    case Holds::schemas_in_order: {
      if (!value.is_array()) return value;
      JsonArray schemas;
      for (const Json& schema : value.get_array()) schemas.push_back(gemini_schema(schema));
      return schemas;
    }
  }
  return value;
}

}  // namespace

std::optional<Json> anthropic_answer_schema(const Json& schema) {
  return AnswerSchemaWriter().root(schema);
}

Json anthropic_input_schema(Json schema) {
  if (!schema.is_object()) return JsonObject{{"type", "object"}, {"properties", JsonObject()}};
  JsonObject& object = schema.get_object();
  for (const std::string_view key : {"anyOf", "oneOf", "allOf"}) {
    if (const auto found = object.find(key); found != object.end()) object.stable_erase(found);
  }
  object["type"] = "object";
  return schema;
}

Json gemini_schema(const Json& schema) {
  const JsonObject* object = schema.if_object();
  if (object == nullptr) return schema;
  JsonObject written;
  for (const auto& [key, value] : *object) {
    if (key == "const") {
      written["enum"] = JsonArray{value};
    } else if (key == "definitions" || is_one_of(key, kGeminiKeywords)) {
      written[key] = gemini_value(key, value);
    }
  }
  return written;
}

}  // namespace wright::providers
