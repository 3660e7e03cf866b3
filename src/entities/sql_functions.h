// SQL functions that the queries over entities need beside SQLite's own.
#pragma once

#include <sqlite3.h>

#include <string>

#include "wright/error.h"

namespace wright::entities {

// entity_regex(pattern, text): whether RE2 finds the pattern in the text; NULL for no text.
// entity_contains(text, needle): whether the text has the needle, which is in lower case, in it in
// any case; NULL for no text.
// entity_time(value): milliseconds since 1970 of a text or number; NULL for what is no time.
// Returns SQLite's code.
int install_entity_functions(sqlite3* database);

// Refuses a pattern that entity_regex cannot use, saying why.
Result<void> check_regex(const std::string& pattern);

}  // namespace wright::entities
