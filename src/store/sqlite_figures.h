// What reading many rows for figures needs: the condition of an index, and texts that are not
// copied.
#pragma once

#include <string_view>

#include "store/sqlite_names.h"

namespace wright::store {

// That a call is over, in the words of idx_agent_tool_calls_figures: no others find it.
inline constexpr std::string_view kIsOver =
    "(call.status = 'completed' OR call.status = 'failed' OR call.status = 'unknown')";

// As Row::text(), valid until the next row.
std::string_view text_view(const Row& row, int column);

}  // namespace wright::store
