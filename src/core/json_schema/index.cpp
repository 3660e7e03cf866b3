#include "core/json_schema/index.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "core/json_members.h"
#include "core/json_schema/metaschemas.h"
#include "core/json_schema/uri.h"
#include "core/percent.h"

namespace wright::json_schema {
namespace {

// How a keyword holds schemas. Everything else may look like a schema and is not one.
enum class Holds : std::uint8_t { one_or_list, map };
struct Holder {
  std::string_view keyword;
  Holds holds;
};

constexpr std::array kHolders2020{
    Holder{"$defs", Holds::map},
    Holder{"definitions", Holds::map},
    Holder{"properties", Holds::map},
    Holder{"patternProperties", Holds::map},
    Holder{"dependentSchemas", Holds::map},
    Holder{"dependencies", Holds::map},
    Holder{"additionalProperties", Holds::one_or_list},
    Holder{"propertyNames", Holds::one_or_list},
    Holder{"unevaluatedProperties", Holds::one_or_list},
    Holder{"unevaluatedItems", Holds::one_or_list},
    Holder{"items", Holds::one_or_list},
    Holder{"contains", Holds::one_or_list},
    Holder{"prefixItems", Holds::one_or_list},
    Holder{"allOf", Holds::one_or_list},
    Holder{"anyOf", Holds::one_or_list},
    Holder{"oneOf", Holds::one_or_list},
    Holder{"not", Holds::one_or_list},
    Holder{"if", Holds::one_or_list},
    Holder{"then", Holds::one_or_list},
    Holder{"else", Holds::one_or_list},
    Holder{"contentSchema", Holds::one_or_list},
};
constexpr std::array kHolders7{
    Holder{"definitions", Holds::map},
    Holder{"properties", Holds::map},
    Holder{"patternProperties", Holds::map},
    Holder{"dependencies", Holds::map},
    Holder{"additionalProperties", Holds::one_or_list},
    Holder{"propertyNames", Holds::one_or_list},
    Holder{"items", Holds::one_or_list},
    Holder{"additionalItems", Holds::one_or_list},
    Holder{"contains", Holds::one_or_list},
    Holder{"allOf", Holds::one_or_list},
    Holder{"anyOf", Holds::one_or_list},
    Holder{"oneOf", Holds::one_or_list},
    Holder{"not", Holds::one_or_list},
    Holder{"if", Holds::one_or_list},
    Holder{"then", Holds::one_or_list},
    Holder{"else", Holds::one_or_list},
};

std::string without_empty_fragment(std::string uri) {
  if (uri.ends_with('#')) uri.pop_back();
  return uri;
}

std::optional<SchemaDraft> known_draft(std::string_view uri) {
  if (uri == kDraft2020Uri || uri == "https://json-schema.org/draft/2019-09/schema") {
    return SchemaDraft::draft2020_12;
  }
  for (const std::string_view known : {"07", "06", "04"}) {
    if (uri == fmt::format("http://json-schema.org/draft-{}/schema", known) ||
        uri == fmt::format("https://json-schema.org/draft-{}/schema", known)) {
      return SchemaDraft::draft7;
    }
  }
  return std::nullopt;
}

std::string pointer_token(std::string_view text) {
  std::string token = percent_decoded(text);
  for (const auto& [from, to] : {std::pair{"~1", "/"}, std::pair{"~0", "~"}}) {
    for (std::size_t at = 0; (at = token.find(from, at)) != std::string::npos; ++at) {
      token.replace(at, 2, to);
    }
  }
  return token;
}

const Json* child_of(const Json& json, const std::string& token) {
  if (const JsonObject* object = json.if_object()) return object->if_contains(token);
  const JsonArray* array = json.if_array();
  if (array == nullptr) return nullptr;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  const bool is_index = error == std::errc() && end == token.data() + token.size();
  return is_index && index < array->size() ? &(*array)[index] : nullptr;
}

}  // namespace

SchemaIndex::SchemaIndex(const SchemaOptions& options) : options_(options) {}

void SchemaIndex::add(const std::string& uri, const Json& document) {
  Resource resource;
  resource.uri = without_empty_fragment(uri);
  resource.root = &document;
  resource.dialect.draft = options_.default_draft;
  const auto id = static_cast<ResourceId>(resources_.size());
  if (const JsonObject* object = document.if_object()) {
    resource.dialect = dialect_of(*object, resource.dialect);
  }
  by_uri_.emplace(resource.uri, id);
  resources_.push_back(std::move(resource));
  walk(document, id);
}

Dialect SchemaIndex::dialect_of(const JsonObject& schema, const Dialect& inherited) {
  const JsonString* declared = string_in(schema, "$schema");
  if (declared == nullptr) return inherited;
  const std::string uri = without_empty_fragment(std::string(*declared));
  Dialect dialect;
  dialect.draft = options_.default_draft;
  if (const auto draft = known_draft(uri)) {
    dialect.draft = *draft;
    return dialect;
  }
  const Json* meta = document_at(uri);
  const JsonObject* object = meta != nullptr ? meta->if_object() : nullptr;
  if (object == nullptr) return dialect;
  if (const JsonString* parent = string_in(*object, "$schema")) {
    if (const auto draft = known_draft(without_empty_fragment(std::string(*parent)))) {
      dialect.draft = *draft;
    }
  }
  const Json* vocabulary = object->if_contains("$vocabulary");
  if (vocabulary == nullptr || !vocabulary->is_object()) return dialect;
  const auto has = [&](std::string_view name) {
    return vocabulary->get_object().contains(
        fmt::format("https://json-schema.org/draft/2020-12/vocab/{}", name));
  };
  dialect.has_applicators = has("applicator");
  dialect.has_validation = has("validation");
  dialect.has_unevaluated = has("unevaluated");
  dialect.asserts_formats = has("format-assertion");
  return dialect;
}

// The schema's own resource when its $id makes one, else the outer one.
ResourceId SchemaIndex::enter(const JsonObject& schema, const Json& json, ResourceId outer) {
  const Dialect inherited = resources_[outer].dialect;
  const bool is_draft7 = inherited.draft == SchemaDraft::draft7;
  if (is_draft7 && schema.contains("$ref")) return outer;
  const JsonString* declared = string_in(schema, "$id");
  if (declared == nullptr) return outer;
  const auto [address, fragment] = split_fragment(*declared);
  if (address.empty() && !fragment.empty()) {
    if (is_draft7) resources_[outer].anchors.emplace(std::string(fragment), &json);
    return outer;
  }
  const std::string uri = without_empty_fragment(resolve_uri(resources_[outer].uri, *declared));
  if (resources_[outer].root == &json) {
    resources_[outer].uri = uri;
    by_uri_.emplace(uri, outer);
    return outer;
  }
  Resource resource;
  resource.uri = uri;
  resource.root = &json;
  resource.dialect = dialect_of(schema, inherited);
  const auto id = static_cast<ResourceId>(resources_.size());
  by_uri_.emplace(uri, id);
  resources_.push_back(std::move(resource));
  return id;
}

void SchemaIndex::walk(const Json& schema, ResourceId outer) {
  const JsonObject* object = schema.if_object();
  if (object == nullptr || resource_of_.contains(&schema)) return;
  const ResourceId own = enter(*object, schema, outer);
  resource_of_.emplace(&schema, own);
  if (resources_[own].dialect.draft == SchemaDraft::draft2020_12) {
    if (const JsonString* anchor = string_in(*object, "$anchor")) {
      resources_[own].anchors.emplace(std::string(*anchor), &schema);
    }
    if (const JsonString* anchor = string_in(*object, "$dynamicAnchor")) {
      resources_[own].anchors.emplace(std::string(*anchor), &schema);
      resources_[own].dynamic_anchors.emplace(std::string(*anchor), &schema);
    }
  } else if (object->contains("$ref")) {
    // In draft 7 whatever stands next to $ref is ignored, except that other references may lead to
    // the definitions.
    for (const std::string_view key : {"definitions", "$defs"}) {
      const Json* definitions = object->if_contains(key);
      if (definitions == nullptr || !definitions->is_object()) continue;
      for (const auto& member : definitions->get_object()) walk(member.value(), own);
    }
    return;
  }
  walk_children(*object, own);
}

void SchemaIndex::walk_children(const JsonObject& schema, ResourceId resource) {
  const bool is_draft7 = resources_[resource].dialect.draft == SchemaDraft::draft7;
  const std::span<const Holder> holders =
      is_draft7 ? std::span<const Holder>(kHolders7) : std::span<const Holder>(kHolders2020);
  for (const Holder& holder : holders) {
    const Json* value = schema.if_contains(holder.keyword);
    if (value == nullptr) continue;
    const bool is_map = holder.holds == Holds::map;
    if (is_map && value->is_object()) {
      for (const auto& member : value->get_object()) walk(member.value(), resource);
    } else if (!is_map && value->is_array()) {
      for (const Json& item : value->get_array()) walk(item, resource);
    } else if (!is_map) {
      walk(*value, resource);
    }
  }
}

ResourceId SchemaIndex::resource_of(const Json& schema, ResourceId fallback) const {
  const auto found = resource_of_.find(&schema);
  return found == resource_of_.end() ? fallback : found->second;
}

const Json* SchemaIndex::document_at(const std::string& uri) {
  if (const auto found = options_.documents.find(uri); found != options_.documents.end()) {
    return &found->second;
  }
  if (const auto found = metaschemas_.find(uri); found != metaschemas_.end()) return &found->second;
  auto metaschema = metaschema_at(uri);
  if (!metaschema) return nullptr;
  return &metaschemas_.emplace(uri, std::move(*metaschema)).first->second;
}

bool SchemaIndex::load(const std::string& uri) {
  const Json* document = document_at(uri);
  if (document == nullptr) return false;
  add(uri, *document);
  return true;
}

Result<Location> SchemaIndex::find_pointer(ResourceId resource, std::string_view pointer) {
  const Json* at = resources_[resource].root;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    at = child_of(*at, pointer_token(pointer.substr(0, end)));
    if (at == nullptr) return fail(ErrorCode::not_found, "it leads nowhere");
    pointer.remove_prefix(end);
    resource = resource_of(*at, resource);
  }
  walk(*at, resource);  // a place that no keyword marks as a schema, until somebody refers to it
  return Location{at, resource_of(*at, resource), {}};
}

Result<Location> SchemaIndex::find(ResourceId from, std::string_view reference) {
  const std::string uri = resolve_uri(resources_[from].uri, reference);
  const auto [address, fragment] = split_fragment(uri);
  auto found = by_uri_.find(std::string(address));
  if (found == by_uri_.end() && load(std::string(address))) {
    found = by_uri_.find(std::string(address));
  }
  if (found == by_uri_.end()) {
    return fail(
        ErrorCode::not_found,
        fmt::format("the document '{}' is not known (references are never fetched)", address));
  }
  const ResourceId id = found->second;
  if (fragment.empty() || fragment.starts_with('/')) return find_pointer(id, fragment);
  const Resource& resource = resources_[id];
  const std::string name = percent_decoded(fragment);
  const auto anchor = resource.anchors.find(name);
  if (anchor == resource.anchors.end()) {
    return fail(ErrorCode::not_found, fmt::format("there is no anchor '{}'", name));
  }
  const bool is_dynamic = resource.dynamic_anchors.contains(name);
  return Location{anchor->second, resource_of(*anchor->second, id), is_dynamic ? name : ""};
}

}  // namespace wright::json_schema
