// Lets a tool understand other names for its parameters than those its schema advertises. Knows
// nothing about what they mean.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "wright/tool.h"

namespace wright::tools {

struct OtherName {
  std::string_view other;
  std::string_view own;
};

// Renames members. One that is there under both names stays, and is refused as unknown later,
// unless both say the same.
void rename_members(JsonObject& arguments, std::span<const OtherName> names);

// `tool`, with arguments passed through `rewrite` first, whether it is called directly or by the
// pipeline. What `rewrite` has rewritten once it must leave alone.
Tool with_rewrite(Tool tool, std::function<void(JsonObject& arguments)> rewrite);

// `tool`, which still takes these parameters but does not show them to the model.
Tool without_showing(Tool tool, std::span<const std::string_view> parameters);

}  // namespace wright::tools
