// The tool search_session for those who open the store when it is needed.
#pragma once

#include <functional>

#include "wright/store.h"
#include "wright/tool.h"

namespace wright {

// The store that keeps the session. From any thread; it outlives the call.
using FindStore = std::function<Result<Store*>()>;

Tool search_session_tool(FindStore find_store);

}  // namespace wright
