// How the entities of a code base belong together: what contains what, and whose name occurs where.
#pragma once

#include "entities/entity_source.h"
#include "tools/workspace/workspace.h"

namespace wright::entities {

// Names are looked up, not resolved: a reference says that the name of an entity stands in the
// lines of another, outside of nothing else than that.
Result<JsonObject> code_relations(EntitySession& session, const tools::Workspace& workspace,
                                  const RelationQuery& question, const std::stop_token& stop);

}  // namespace wright::entities
