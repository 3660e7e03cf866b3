// Which tables a question about a database speaks of, how they are joined, and whether it asks what
// the database is made of.
#pragma once

#include "offline/database_reading.h"

namespace wright::offline {

void find_tables(DatabaseReading& read);

// Foreign keys, indexes, sizes, who has a column: then the question is understood.
bool is_about_structure(DatabaseReading& read);

}  // namespace wright::offline
