// Where every schema is: documents, the resources inside them ($id), anchors, and what a reference
// leads to. Nothing is fetched.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "wright/json.h"

namespace wright::json_schema {

// Which keywords count.
struct Dialect {
  SchemaDraft draft = SchemaDraft::draft2020_12;
  bool has_applicators = true;
  bool has_validation = true;
  bool has_unevaluated = true;
  bool asserts_formats = false;
};

using ResourceId = std::uint32_t;

struct Resource {
  std::string uri;  // without a fragment
  const Json* root = nullptr;
  Dialect dialect;
  std::map<std::string, const Json*, std::less<>> anchors;
  std::map<std::string, const Json*, std::less<>> dynamic_anchors;
};

struct Location {
  const Json* schema = nullptr;
  ResourceId resource = 0;
  std::string dynamic_anchor;  // set when the reference named one
};

// Keeps pointers into the schema and the documents: both must outlive it.
class SchemaIndex {
 public:
  explicit SchemaIndex(const SchemaOptions& options);

  // The first document added is the root; it gets resource 0.
  void add(const std::string& uri, const Json& document);

  // The resource that a schema belongs to.
  ResourceId resource_of(const Json& schema, ResourceId fallback) const;
  const Resource& resource(ResourceId id) const { return resources_[id]; }
  std::size_t resource_count() const { return resources_.size(); }

  Result<Location> find(ResourceId from, std::string_view reference);

 private:
  void walk(const Json& schema, ResourceId resource);
  void walk_children(const JsonObject& schema, ResourceId resource);
  ResourceId enter(const JsonObject& schema, const Json& json, ResourceId outer);
  Dialect dialect_of(const JsonObject& schema, const Dialect& inherited);
  const Json* document_at(const std::string& uri);
  bool load(const std::string& uri);
  Result<Location> find_pointer(ResourceId resource, std::string_view pointer);

  const SchemaOptions& options_;
  std::map<std::string, Json> metaschemas_;  // those that were asked for
  std::vector<Resource> resources_;
  std::unordered_map<std::string, ResourceId> by_uri_;
  std::unordered_map<const Json*, ResourceId> resource_of_;
};

}  // namespace wright::json_schema
