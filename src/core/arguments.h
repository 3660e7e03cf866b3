// The arguments of a call: parsed, corrected where that was asked for, and checked against the
// tool's schema. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wright/tool.h"

namespace wright {

struct ReadArguments {
  Json arguments = JsonObject();
  std::optional<Error> unusable = {};   // why the tool cannot be called with them
  std::vector<std::string> notes = {};  // what was corrected, or does not fit and was let through
  // As the tool's own C++ type, where they fit and the tool has one.
  detail::DecodedArguments decoded = {};
};

ReadArguments read_arguments(const Tool& tool, const ToolCall& call,
                             const ValidationOptions& options);

// Checks arguments that came from an interceptor against the tool's schema.
Result<void> check_arguments(const Tool& tool, const Json& arguments,
                             const ValidationOptions& options);

// Counts consecutive refused calls of a tool; when there are too many, the error also tells the
// model to stop trying. `error` is null for a call that was not refused.
void count_refusals(Error* error, const ToolCall& call, const Context& context,
                    const ValidationOptions& options);

}  // namespace wright
