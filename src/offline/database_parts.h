// The parts of a question about a database: how many rows, per what, when, and under which
// conditions.
#pragma once

#include "offline/database_reading.h"

namespace wright::offline {

// The tables are known, and the columns that the prompt names.
void take_parts(DatabaseReading& read);

}  // namespace wright::offline
