// Where entities come from. The tools speak to this and to nothing else, so that they are the same
// for a code base and for a database.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "entities/entity_session.h"

namespace wright::entities {

struct SimilarityQuery {
  std::string entity_type;
  std::string query;
  std::size_t top_k = 5;
  double min_score = 0;  // of 1, which the best has
};

enum class RelationDirection : std::uint8_t { outgoing, incoming, both };
WRIGHT_ENUM(RelationDirection, outgoing, incoming, both)

struct RelationQuery {
  std::string start_entity_type;
  std::vector<Condition> start_conditions;
  std::string relationship_type;
  RelationDirection direction = RelationDirection::outgoing;
  std::string target_entity_type;  // empty: of any type
  std::size_t limit = 10;
};

// Resources behind it are shared by several threads.
class EntitySource {
 public:
  virtual ~EntitySource() = default;

  // Up to date.
  virtual Result<EntitySession> open(const std::stop_token& stop) = 0;

  // {entity_type, query, entities, count, ranking}, each with a score; a note where something could
  // not be done.
  virtual Result<JsonObject> similar(EntitySession& session, const SimilarityQuery& question,
                                     const std::stop_token& stop) = 0;

  // {relationship_type, direction, relations: [{from, relationship, to}], count, truncated}
  virtual Result<JsonObject> related(EntitySession& session, const RelationQuery& question,
                                     const std::stop_token& stop) = 0;
};

std::unique_ptr<EntitySource> code_entity_source(std::shared_ptr<class CodeIndex> index);
std::unique_ptr<EntitySource> database_entity_source(SqliteReaderOptions options);

// Refused with the relationships that exist.
Result<void> check_relationship(const EntitySchema& schema, std::string_view name);

}  // namespace wright::entities
