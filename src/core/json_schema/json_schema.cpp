#include "wright/json.h"

#include <algorithm>

#include "core/json_schema/compiler.h"
#include "core/json_schema/evaluator.h"
#include "core/try.h"

namespace wright {

JsonSchema::JsonSchema(std::shared_ptr<const json_schema::Program> program)
    : program_(std::move(program)) {}

Result<JsonSchema> JsonSchema::compile(const Json& schema, const SchemaOptions& options) {
  auto program = TRY(json_schema::compile(schema, options));
  return JsonSchema(std::make_shared<const json_schema::Program>(std::move(program)));
}

bool JsonSchema::accepts(const Json& value) const {
  return json_schema::accepts(*program_, value);
}

std::vector<Violation> JsonSchema::violations(const Json& value, std::size_t limit) const {
  return json_schema::violations(*program_, value, std::max<std::size_t>(limit, 1));
}

const std::vector<std::string>& JsonSchema::warnings() const {
  return program_->warnings;
}

}  // namespace wright
