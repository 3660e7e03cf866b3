#include "core/json_schema/metaschemas.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <array>

namespace wright::json_schema {
namespace {

struct Vocabulary {
  std::string_view name;
  std::string_view properties;  // the keywords and what each must be
  std::string_view definitions;
};

// {"$dynamicRef":"#meta"} is "a schema of whatever dialect is being checked".
constexpr std::array kVocabularies2020{
    Vocabulary{"core",
               R"({"$id":{"$ref":"#/$defs/uriReferenceString","pattern":"^[^#]*#?$"},
                   "$schema":{"$ref":"#/$defs/uriString"},
                   "$ref":{"$ref":"#/$defs/uriReferenceString"},
                   "$anchor":{"$ref":"#/$defs/anchorString"},
                   "$dynamicRef":{"$ref":"#/$defs/uriReferenceString"},
                   "$dynamicAnchor":{"$ref":"#/$defs/anchorString"},
                   "$vocabulary":{"type":"object",
                                  "propertyNames":{"$ref":"#/$defs/uriString"},
                                  "additionalProperties":{"type":"boolean"}},
                   "$comment":{"type":"string"},
                   "$defs":{"type":"object",
                            "additionalProperties":{"$dynamicRef":"#meta"}}})",
               R"({"anchorString":{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"},
                   "uriString":{"type":"string","format":"uri"},
                   "uriReferenceString":{"type":"string","format":"uri-reference"}})"},
    Vocabulary{"applicator",
               R"({"prefixItems":{"$ref":"#/$defs/schemaArray"},
                   "items":{"$dynamicRef":"#meta"},
                   "contains":{"$dynamicRef":"#meta"},
                   "additionalProperties":{"$dynamicRef":"#meta"},
                   "properties":{"$ref":"#/$defs/schemaMap"},
                   "patternProperties":{"$ref":"#/$defs/schemaMap",
                                        "propertyNames":{"format":"regex"}},
                   "dependentSchemas":{"$ref":"#/$defs/schemaMap"},
                   "propertyNames":{"$dynamicRef":"#meta"},
                   "if":{"$dynamicRef":"#meta"},
                   "then":{"$dynamicRef":"#meta"},
                   "else":{"$dynamicRef":"#meta"},
                   "allOf":{"$ref":"#/$defs/schemaArray"},
                   "anyOf":{"$ref":"#/$defs/schemaArray"},
                   "oneOf":{"$ref":"#/$defs/schemaArray"},
                   "not":{"$dynamicRef":"#meta"}})",
               R"({"schemaArray":{"type":"array","minItems":1,"items":{"$dynamicRef":"#meta"}},
                   "schemaMap":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}}})"},
    Vocabulary{"unevaluated",
               R"({"unevaluatedItems":{"$dynamicRef":"#meta"},
                   "unevaluatedProperties":{"$dynamicRef":"#meta"}})",
               "{}"},
    Vocabulary{"validation",
               R"({"type":{"anyOf":[{"$ref":"#/$defs/simpleTypes"},
                                    {"type":"array","minItems":1,"uniqueItems":true,
                                     "items":{"$ref":"#/$defs/simpleTypes"}}]},
                   "const":true,
                   "enum":{"type":"array","items":true},
                   "multipleOf":{"type":"number","exclusiveMinimum":0},
                   "maximum":{"type":"number"},
                   "exclusiveMaximum":{"type":"number"},
                   "minimum":{"type":"number"},
                   "exclusiveMinimum":{"type":"number"},
                   "maxLength":{"$ref":"#/$defs/count"},
                   "minLength":{"$ref":"#/$defs/count"},
                   "pattern":{"type":"string","format":"regex"},
                   "maxItems":{"$ref":"#/$defs/count"},
                   "minItems":{"$ref":"#/$defs/count"},
                   "uniqueItems":{"type":"boolean"},
                   "maxContains":{"$ref":"#/$defs/count"},
                   "minContains":{"$ref":"#/$defs/count"},
                   "maxProperties":{"$ref":"#/$defs/count"},
                   "minProperties":{"$ref":"#/$defs/count"},
                   "required":{"$ref":"#/$defs/stringArray"},
                   "dependentRequired":{"type":"object",
                                        "additionalProperties":{"$ref":"#/$defs/stringArray"}}})",
               R"({"count":{"type":"integer","minimum":0},
                   "simpleTypes":{"enum":["array","boolean","integer","null","number","object",
                                          "string"]},
                   "stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true}})"},
    Vocabulary{"meta-data",
               R"({"title":{"type":"string"},"description":{"type":"string"},"default":true,
                   "deprecated":{"type":"boolean"},"readOnly":{"type":"boolean"},
                   "writeOnly":{"type":"boolean"},"examples":{"type":"array","items":true}})",
               "{}"},
    Vocabulary{"format-annotation", R"({"format":{"type":"string"}})", "{}"},
    Vocabulary{"format-assertion", R"({"format":{"type":"string"}})", "{}"},
    Vocabulary{"content",
               R"({"contentEncoding":{"type":"string"},"contentMediaType":{"type":"string"},
                   "contentSchema":{"$dynamicRef":"#meta"}})",
               "{}"},
};

constexpr std::string_view kDraft2020 = R"({
  "$schema":"https://json-schema.org/draft/2020-12/schema",
  "$id":"https://json-schema.org/draft/2020-12/schema",
  "$dynamicAnchor":"meta",
  "$vocabulary":{"https://json-schema.org/draft/2020-12/vocab/core":true,
                 "https://json-schema.org/draft/2020-12/vocab/applicator":true,
                 "https://json-schema.org/draft/2020-12/vocab/unevaluated":true,
                 "https://json-schema.org/draft/2020-12/vocab/validation":true,
                 "https://json-schema.org/draft/2020-12/vocab/meta-data":true,
                 "https://json-schema.org/draft/2020-12/vocab/format-annotation":true,
                 "https://json-schema.org/draft/2020-12/vocab/content":true},
  "allOf":[{"$ref":"meta/core"},{"$ref":"meta/applicator"},{"$ref":"meta/unevaluated"},
           {"$ref":"meta/validation"},{"$ref":"meta/meta-data"},
           {"$ref":"meta/format-annotation"},{"$ref":"meta/content"}],
  "type":["object","boolean"],
  "properties":{
    "definitions":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}},
    "dependencies":{"type":"object",
                    "additionalProperties":{"anyOf":[{"$dynamicRef":"#meta"},
                                                     {"$ref":"meta/validation#/$defs/stringArray"}]}}}
})";

constexpr std::string_view kDraft7 = R"({
  "$schema":"http://json-schema.org/draft-07/schema#",
  "$id":"http://json-schema.org/draft-07/schema#",
  "definitions":{
    "schemaArray":{"type":"array","minItems":1,"items":{"$ref":"#"}},
    "count":{"type":"integer","minimum":0},
    "nonNegativeInteger":{"$ref":"#/definitions/count"},
    "simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]},
    "stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true}},
  "type":["object","boolean"],
  "properties":{
    "$id":{"type":"string","format":"uri-reference"},
    "$schema":{"type":"string","format":"uri"},
    "$ref":{"type":"string","format":"uri-reference"},
    "$comment":{"type":"string"},
    "title":{"type":"string"},"description":{"type":"string"},"default":true,
    "readOnly":{"type":"boolean"},"writeOnly":{"type":"boolean"},
    "examples":{"type":"array","items":true},
    "multipleOf":{"type":"number","exclusiveMinimum":0},
    "maximum":{"type":"number"},"exclusiveMaximum":{"type":"number"},
    "minimum":{"type":"number"},"exclusiveMinimum":{"type":"number"},
    "maxLength":{"$ref":"#/definitions/count"},"minLength":{"$ref":"#/definitions/count"},
    "pattern":{"type":"string","format":"regex"},
    "additionalItems":{"$ref":"#"},
    "items":{"anyOf":[{"$ref":"#"},{"$ref":"#/definitions/schemaArray"}]},
    "maxItems":{"$ref":"#/definitions/count"},"minItems":{"$ref":"#/definitions/count"},
    "uniqueItems":{"type":"boolean"},
    "contains":{"$ref":"#"},
    "maxProperties":{"$ref":"#/definitions/count"},"minProperties":{"$ref":"#/definitions/count"},
    "required":{"$ref":"#/definitions/stringArray"},
    "additionalProperties":{"$ref":"#"},
    "definitions":{"type":"object","additionalProperties":{"$ref":"#"}},
    "properties":{"type":"object","additionalProperties":{"$ref":"#"}},
    "patternProperties":{"type":"object","additionalProperties":{"$ref":"#"},
                         "propertyNames":{"format":"regex"}},
    "dependencies":{"type":"object",
                    "additionalProperties":{"anyOf":[{"$ref":"#"},
                                                     {"$ref":"#/definitions/stringArray"}]}},
    "propertyNames":{"$ref":"#"},
    "const":true,
    "enum":{"type":"array","items":true},
    "type":{"anyOf":[{"$ref":"#/definitions/simpleTypes"},
                     {"type":"array","minItems":1,"uniqueItems":true,
                      "items":{"$ref":"#/definitions/simpleTypes"}}]},
    "format":{"type":"string"},
    "contentMediaType":{"type":"string"},"contentEncoding":{"type":"string"},
    "if":{"$ref":"#"},"then":{"$ref":"#"},"else":{"$ref":"#"},
    "allOf":{"$ref":"#/definitions/schemaArray"},
    "anyOf":{"$ref":"#/definitions/schemaArray"},
    "oneOf":{"$ref":"#/definitions/schemaArray"},
    "not":{"$ref":"#"}},
  "default":true
})";

Json vocabulary_schema(const Vocabulary& vocabulary) {
  return *parse_json(fmt::format(
      R"({{"$schema":"{0}","$id":"https://json-schema.org/draft/2020-12/meta/{1}",)"
      R"("$dynamicAnchor":"meta","type":["object","boolean"],"properties":{2},"$defs":{3}}})",
      kDraft2020Uri, vocabulary.name, vocabulary.properties, vocabulary.definitions));
}

}  // namespace

std::optional<Json> metaschema_at(std::string_view uri) {
  if (uri == kDraft2020Uri) return *parse_json(kDraft2020);
  if (uri == kDraft7Uri) return *parse_json(kDraft7);
  constexpr std::string_view kMeta = "https://json-schema.org/draft/2020-12/meta/";
  if (!uri.starts_with(kMeta)) return std::nullopt;
  for (const Vocabulary& vocabulary : kVocabularies2020) {
    if (uri.substr(kMeta.size()) == vocabulary.name) return vocabulary_schema(vocabulary);
  }
  return std::nullopt;
}

}  // namespace wright::json_schema
