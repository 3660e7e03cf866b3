// From a schema to a Program; refuses what is not a schema, naming the place.
#pragma once

#include "core/json_schema/program.h"
#include "wright/json.h"

namespace wright::json_schema {

Result<Program> compile(const Json& schema, const SchemaOptions& options);

}  // namespace wright::json_schema
