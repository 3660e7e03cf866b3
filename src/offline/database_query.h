// Asks sqlite_reader, whatever the agent calls it. Not to be used with other tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "offline/investigation.h"
#include "wright/json.h"

namespace wright::offline {

// The name of the agent's tool that reads databases; empty when it has none.
std::string_view database_reader(const Investigation& look);

Json query_database(Investigation& look, std::string_view sql, int limit = 100);

// The one count that a query gives; nothing when it gives something else.
std::optional<std::int64_t> count_in(const Json& answer);

}  // namespace wright::offline
