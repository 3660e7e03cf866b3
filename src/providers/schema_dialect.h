// JSON schemas as vendors want them. Schemas come from structs, from people and from other servers
// and use all of JSON Schema; vendors accept a subset. What is lost here is only what the vendor
// enforces: every call is checked against the whole schema before it runs.
#pragma once

#include <optional>

#include "wright/json.h"
#include "wright/provider.h"

namespace wright::providers {

// The schema with every local `$ref` written out and no definitions left. A schema that contains
// itself is cut where it repeats, and the description says so. So is one that would become too
// large to be useful.
Json without_refs(const Json& schema);

// The schema in OpenAI's strict dialect: no further properties, every property required, those that
// may be left out nullable, keywords outside the dialect dropped. Nothing where that would change
// what the schema means (maps with free keys, values of any type, a root that is no object).
std::optional<Json> strict_schema(const Json& schema);

// The parameters of a tool, an object with "properties" even when there are none.
struct ToolSchema {
  Json parameters;
  bool is_strict = false;
};
ToolSchema tool_schema(const Json& parameters, const Quirks& quirks,
                       const boost::json::storage_ptr& storage = {});

// Removes what only strictness caused: null for a property that `schema` does not require and that
// may not be null. Other arguments, and those that are not JSON, are returned unchanged.
std::string without_added_nulls(std::string arguments, const Json& schema);

}  // namespace wright::providers
