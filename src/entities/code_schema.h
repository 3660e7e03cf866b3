// The schema of a code base: its entity types and their fields over the tables of an index.
#pragma once

#include "entities/entity_session.h"

namespace wright::entities {

// `connection` is one to an index. The notes say where times come from.
Result<EntitySchema> code_schema(tools::ReadOnlyDatabase& connection, bool has_history);

}  // namespace wright::entities
