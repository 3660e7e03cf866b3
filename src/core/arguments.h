// The arguments of a call: read, put right where that was asked for, and held against the tool's
// schema. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wright/tool.h"

namespace wright {

struct ReadArguments {
  Json arguments = JsonObject();
  std::optional<Error> unusable = {};   // why the tool cannot be called with them
  std::vector<std::string> notes = {};  // what was put right, or does not fit and was let through
};

ReadArguments read_arguments(const Tool& tool, const ToolCall& call,
                             const ValidationOptions& options);

// Holds arguments that came from an interceptor against the tool's schema.
Result<void> check_arguments(const Tool& tool, const Json& arguments,
                             const ValidationOptions& options);

// Counts refused calls of a tool in a row, and adds to the error that the model should stop trying
// when they are too many. `error` is null for a call that was not refused.
void count_refusals(Error* error, const ToolCall& call, const Context& context,
                    const ValidationOptions& options);

}  // namespace wright
